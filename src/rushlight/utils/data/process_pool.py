"""Workers that are processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.multiprocessing.arena import Block, ShmQueue, allocate
from rushlight.utils.data.arrays import block_array
from rushlight.utils.data.errors import pickling_error
from rushlight.utils.data.packing import unpack
from rushlight.utils.data.process_main import DUMP, STACK_SIGNAL, STOP, TOKEN, Channels, worker_main
from rushlight.utils.data.seeding import Generators
from rushlight.utils.data.tasks import Epoch, Reply, Spec, Task

GRACE = 5.0  # seconds that workers have to finish the batch in hand
MESSAGES = 1 << 20  # bytes that wait in the queue of replies


class ProcessPool:
    """Processes, a queue of tasks for each, and one queue for their replies.

    The dataset is inherited when processes are forked; otherwise it is pickled once, into a block
    that all of them read.
    """

    name = "process"

    def __init__(self, spec: Spec, context: Any = None) -> None:
        n = spec.num_workers
        self.context = context or multiprocessing.get_context()
        self.status = allocate(8 * (DUMP + n))
        self._fields = block_array(self.status, np.int64)
        self._fields[:] = 0
        self.replies = ShmQueue(MESSAGES)
        self.tasks = [ShmQueue(1 << 16) for _ in range(n)]
        forks = self.context.get_start_method() == "fork"
        self._spec: Spec | None = spec if forks else None
        if forks:
            Generators()  # what is looked up once here, no worker needs to look up
        self._pickled = None if self._spec is not None else pickle_spec(spec)
        self._started = False
        self.processes: list[Any] = []
        self._finalizer = weakref.finalize(
            self, _stop, self.processes, self._fields, self.tasks, self.replies, os.getpid()
        )

    def start(self) -> None:
        """Starts the processes: what they have to do is in their queues, so each begins at once."""
        if self._started:
            return
        self._started = True
        for worker, tasks in enumerate(self.tasks):
            process = self.context.Process(
                target=worker_main,
                args=(
                    Channels(worker, tasks, self.replies, self.status),
                    self._spec,
                    self._pickled,
                ),
                daemon=True,
                name=f"rushlight-data-{worker}",
            )
            with warnings.catch_warnings():
                # Forking beside threads is what the caller asked for, or the system's default;
                # the engine's threads are safe across it.
                warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)
                process.start()
            self.processes.append(process)

    def begin(self, worker: int, epoch: Epoch) -> None:
        self._fields[TOKEN] = epoch.token  # tasks of the pass before are not wanted any more
        self._put(worker, pickle.dumps(epoch, protocol=5))

    def submit(self, worker: int, task: Task) -> None:
        self._put(worker, pickle.dumps(task, protocol=5))

    def _put(self, worker: int, message: bytes) -> None:
        while not self.tasks[worker].put(message, timeout=1.0 if self._started else 0.0):
            self.start()
            if self.death() is not None:
                return  # `receive` finds nothing more, and the caller asks for the death

    def receive(self, timeout: float) -> tuple[Reply, float] | None:
        """The next reply and the seconds it took to unpack; None after ``timeout`` seconds."""
        message = self.replies.receive(timeout)
        if message is None:
            return None
        start = time.perf_counter()
        return unpack(*message), time.perf_counter() - start

    def death(self) -> tuple[int, int | None, int | None] | None:
        """A worker that is gone: its number, process id and exit code."""
        for worker, process in enumerate(self.processes):
            if not process.is_alive():
                return worker, process.pid, process.exitcode
        return None

    def stack(self, worker: int) -> str:
        """Where all threads of a worker are."""
        process, descriptor = self.processes[worker], int(self._fields[DUMP + worker])
        if descriptor == 0 or process.pid is None:
            return "the worker has not started yet"
        path = Path(f"/proc/{process.pid}/fd/{descriptor}")
        with contextlib.suppress(OSError):
            os.kill(process.pid, STACK_SIGNAL)
            text, deadline = "", time.monotonic() + 1.0
            while time.monotonic() < deadline:
                time.sleep(0.02)
                before, text = text, path.read_text(errors="replace")
                if text and text == before:
                    return text
            return text or "the worker did not answer: it is stopped, or inside the system"
        return "the worker is gone"

    def stop(self) -> None:
        """Ends the workers; those that have not finished their batch in time are killed."""
        self._finalizer()


def pickle_spec(spec: Spec) -> Block:
    """What workers need, in a block that all of them read."""
    try:
        data = pickle.dumps(spec, protocol=5)
    except Exception as error:
        for field in ("dataset", "collate_fn", "worker_init_fn"):
            value = getattr(spec, field)
            try:
                pickle.dumps(value)
            except Exception as cause:
                raise pickling_error(value, field, cause) from error
        raise
    block = allocate(len(data))
    memoryview(block)[:] = data
    return block


def _stop(
    processes: list[Any], fields: Any, tasks: list[ShmQueue], replies: ShmQueue, owner: int
) -> None:
    if os.getpid() != owner:  # a forked child has the object, not the workers
        return
    fields[STOP] = 1
    for queue in tasks:
        queue.close()
    deadline = time.monotonic() + GRACE
    for process in processes:
        _drain(replies)
        process.join(max(0.0, deadline - time.monotonic()))
    for end in (signal.SIGTERM, signal.SIGKILL):
        for process in processes:
            if process.is_alive():
                os.kill(process.pid, end)
        for process in processes:
            process.join(0.5 if end == signal.SIGTERM else None)
    _drain(replies)
    replies.close()
    for process in processes:
        process.close()


def _drain(replies: ShmQueue) -> None:
    with contextlib.suppress(ValueError, OSError):
        while replies.receive(0) is not None:
            pass
