"""What the code of a dataset can learn about the worker it runs in."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class WorkerInfo:
    """A worker.

    Attributes:
        id: 0 to ``num_workers - 1``.
        num_workers: how many there are.
        seed: of this worker and epoch.
        dataset: this worker's copy (in a thread: the dataset, of an iterable one a shallow copy).
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass
class LoadingContext:
    """What this thread loads for; there is one while a loader's code runs."""

    worker: int
    num_workers: int
    batch_size: int
    key: int = 0
    info: WorkerInfo | None = None
    seed: Callable[[int, int], None] | None = None  # seeds the generators: key, index
    divided: bool = field(default=False)  # the dataset has asked which share is its own


class _Current(threading.local):
    context: LoadingContext | None = None


current = _Current()


def get_worker_info() -> WorkerInfo | None:
    """The worker that the calling code runs in; None outside workers."""
    context = current.context
    if context is None:
        return None
    context.divided = True
    return context.info


def answer_pytorch() -> None:
    """From now on ``torch.utils.data.get_worker_info()`` gives what ours gives.

    In a worker process this is for good. In a process with worker threads it changes nothing for
    other threads: there PyTorch's own answer is given.
    """
    module: Any = sys.modules.get("torch.utils.data._utils.worker")
    package: Any = sys.modules.get("torch.utils.data")
    if module is None or package is None or getattr(module.get_worker_info, "_rushlight", False):
        return
    theirs = module.get_worker_info

    def get_worker_info_of_thread() -> Any:
        info = get_worker_info()
        return theirs() if info is None else info

    get_worker_info_of_thread._rushlight = True  # type: ignore[attr-defined]
    module.get_worker_info = get_worker_info_of_thread
    package.get_worker_info = get_worker_info_of_thread
    package._utils.worker.get_worker_info = get_worker_info_of_thread
