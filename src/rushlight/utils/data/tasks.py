"""What travels between a loader and its workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rushlight.utils.data.arrays import Kind
from rushlight.utils.data.errors import Failure


@dataclass
class Spec:
    """What a worker needs to know once."""

    dataset: Any
    iterable: bool
    collate_fn: Callable[[Any], Any]
    auto_collation: bool
    batch_size: int
    drop_last: bool
    kind: Kind | None
    num_workers: int
    worker_init_fn: Callable[[int], Any] | None = None
    seeding: str = "sample"


@dataclass
class Epoch:
    """The start of a pass over the dataset."""

    token: int  # tells replies of this pass from those of one that was given up
    seed: int
    skip: int = 0  # batches of an iterable dataset that this worker passes over
    state: Any = None  # of the dataset, to begin from


@dataclass
class Task:
    """Batches for one worker to make."""

    number: int
    token: int
    first: int  # number of the first batch in the epoch
    step: int  # from one batch's number to the next one's
    keys: Sequence[Any] | None = None  # of each batch; None for an iterable dataset
    count: int = 0  # batches, for an iterable dataset

    def batch_numbers(self) -> range:
        n = self.count if self.keys is None else len(self.keys)
        return range(self.first, self.first + n * self.step, self.step)


@dataclass
class Batch:
    """One batch that a worker has made, or why it could not."""

    number: int
    worker: int = 0
    data: Any = None
    failure: Failure | None = None
    state: Any = None  # of the dataset, after this batch, where it has state_dict()
    size: int = 0  # samples
    start: float = 0.0  # seconds of the monotonic clock
    fetch: float = 0.0  # seconds
    collate: float = 0.0
    computing: float = 0.0  # of both, with a processor


@dataclass
class Reply:
    """The answer to a task."""

    worker: int
    number: int
    token: int
    batches: list[Batch] = field(default_factory=list)
    ended: bool = False  # an iterable dataset has no more
    divided: bool = True  # an iterable dataset asked which share is its own
    packed: float = 0.0  # seconds that packing took
    nbytes: int = 0
    failure: Failure | None = None  # the worker could not start
