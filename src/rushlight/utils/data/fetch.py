"""From keys, or a stream, to batches: what a worker of any kind, or the loader itself, does."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.utils.data.collate_settings import Allocate, collating
from rushlight.utils.data.errors import capture, keys_text
from rushlight.utils.data.seeding import Generators, seed_like_pytorch
from rushlight.utils.data.tasks import Batch, Epoch, Reply, Spec, Task
from rushlight.utils.data.worker_info import LoadingContext, WorkerInfo, current

clock = time.perf_counter  # one clock for all processes of a machine


class Fetcher:
    """Makes the batches of one worker.

    Args:
        spec: what to load.
        worker: 0 to ``num_workers - 1``; None in the loader's own process.
        generators: what samples draw from.
        name: for messages, such as ``DataLoader worker process 0 (pid 7)``.
    """

    def __init__(self, spec: Spec, worker: int | None, generators: Generators, name: str) -> None:
        self.spec = spec
        self.worker = worker or 0
        self.name = name
        self.pid = os.getpid()
        self.generators = generators
        self.per_sample = spec.seeding == "sample"
        self.inside = worker is not None
        self.context = LoadingContext(self.worker, max(1, spec.num_workers), spec.batch_size)
        self.token = -1
        self.iterator: Iterator[Any] | None = None
        self.ended = False

    def begin(self, epoch: Epoch, *, first: bool = True) -> None:
        """Starts a pass: seeds, and opens the iterable dataset or restores the dataset's state."""
        spec = self.spec
        self.token, self.key, self.ended = epoch.token, epoch.seed, False
        seed = epoch.seed + self.worker
        if self.inside and not self.per_sample and first:
            seed = seed_like_pytorch(epoch.seed, self.worker)
        context = self.context
        context.key = epoch.seed
        context.info = (
            WorkerInfo(self.worker, spec.num_workers, seed, spec.dataset) if self.inside else None
        )
        context.seed = self.generators.seed if self.per_sample else None
        with self._loading():
            if first and self.inside and spec.worker_init_fn is not None:
                spec.worker_init_fn(self.worker)
            if epoch.state is not None:
                spec.dataset.load_state_dict(epoch.state)
            if spec.iterable:
                self._open(epoch.skip)

    def _open(self, skip: int) -> None:
        if self.per_sample:
            self.generators.seed(self.key, 0)
        self.iterator = iter(self.spec.dataset)
        for i in range(skip):
            if not self._next_samples(self.worker + i * self.context.num_workers):
                break

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """In this block `get_worker_info` and `shard` see what this thread loads for."""
        before, current.context = current.context, self.context
        try:
            yield
        finally:
            current.context = before

    def run(
        self,
        task: Task,
        allocate: Allocate | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Reply:
        """Makes the batches of a task. Exceptions are part of the reply."""
        reply = Reply(self.worker, task.number, task.token)
        with self._loading(), collating(self.spec.kind, allocate):
            for i, number in enumerate(task.batch_numbers()):
                if cancelled():
                    break
                batch = Batch(number, self.worker, start=clock())
                keys = None if task.keys is None else task.keys[i]
                try:
                    self._make(batch, keys)
                except BaseException as error:  # SystemExit too: the user learns where
                    if os.getpid() != self.pid:
                        raise  # in a child that the dataset forked
                    where = f"{self.name}, {self._where(number, keys)}"
                    batch.failure = capture(error, where)
                    self.ended |= self.spec.iterable
                if self.ended and batch.data is None and batch.failure is None:
                    break
                reply.batches.append(batch)
                if self.ended:
                    break
        reply.ended = self.ended
        reply.divided = self.context.divided
        return reply

    def load(self, batch: Batch, keys: Any) -> None:
        """Makes one batch here and now; exceptions are the caller's."""
        with self._loading(), collating(self.spec.kind):
            self._make(batch, keys)

    def _where(self, number: int, keys: Any) -> str:
        return f"batch {number}" if keys is None else f"samples {keys_text(keys)}"

    def _make(self, batch: Batch, keys: Any) -> None:
        spec = self.spec
        start, computing = clock(), time.thread_time()
        samples = self._next_samples(batch.number) if spec.iterable else self._samples(keys)
        done = clock()
        batch.fetch = done - start
        if spec.iterable and not samples:
            return
        batch.size = len(samples) if spec.auto_collation else 1
        batch.data = spec.collate_fn(samples if spec.auto_collation else samples[0])
        batch.collate, batch.computing = clock() - done, time.thread_time() - computing
        if hasattr(spec.dataset, "state_dict"):
            batch.state = spec.dataset.state_dict()

    def _samples(self, keys: Any) -> list[Any]:
        dataset = self.spec.dataset
        if not self.spec.auto_collation:
            self._seed(keys)
            return [dataset[keys]]
        if callable(getattr(dataset, "__getitems__", None)):
            if keys:
                self._seed(keys[0])
            return list(dataset.__getitems__(keys))
        if not self.per_sample:
            return [dataset[key] for key in keys]
        seed, epoch = self.generators.seed, self.key
        samples = []
        for key in keys:
            seed(epoch, key)
            samples.append(dataset[key])
        return samples

    def _seed(self, index: Any) -> None:
        if self.per_sample:
            self.generators.seed(self.key, index)

    def _next_samples(self, number: int) -> list[Any]:
        """The samples of the next batch of the stream, empty at its end."""
        spec, iterator = self.spec, self.iterator
        if self.ended or iterator is None:
            return []
        size = spec.batch_size if spec.auto_collation else 1
        samples = []
        for i in range(size):
            self._seed(number * size + i)
            for sample in itertools.islice(iterator, 1):
                samples.append(sample)
            if len(samples) <= i:
                self.ended = True
                if spec.auto_collation and spec.drop_last:
                    return []
                break
        return samples
