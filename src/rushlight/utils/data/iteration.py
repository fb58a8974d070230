"""One pass over a dataset: what every iterator does, and the one without workers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from rushlight.utils.data.fetch import Fetcher
from rushlight.utils.data.order import Order
from rushlight.utils.data.seeding import Generators
from rushlight.utils.data.stats import Stats
from rushlight.utils.data.tasks import Batch, Epoch, Reply, Spec, Task


class Pool(Protocol):
    """Workers of one kind."""

    name: str

    def begin(self, worker: int, epoch: Epoch) -> None: ...
    def start(self) -> None: ...
    def submit(self, worker: int, task: Task) -> None: ...
    def receive(self, timeout: float) -> tuple[Reply, float] | None: ...
    def death(self) -> tuple[int, int | None, int | str | None] | None: ...
    def stack(self, worker: int) -> str: ...
    def stop(self) -> None: ...


@dataclass
class Pass:
    """What a pass needs: the same for all kinds of workers."""

    spec: Spec
    seed: int
    order: Order | None  # None for an iterable dataset
    consumed: int = 0  # batches, before this pass began in the middle
    ahead: frozenset[int] = frozenset()  # batches after those that were consumed too
    dataset_states: dict[str, Any] = field(default_factory=dict)  # by worker
    finish: Callable[[Any], Any] = lambda data: data  # what happens to a batch in this process
    on_batch: Callable[[Batch], None] = lambda batch: None  # keeps the loader's state
    on_end: Callable[[], None] = lambda: None
    stats: Stats = field(default_factory=Stats)
    timeout: float = 0.0
    prefetch: int | None = None
    in_order: bool = True


class LoaderIterator:
    """The iterator that ``iter(loader)`` returns."""

    def __init__(self, plan: Pass) -> None:
        self.plan = plan
        self.finished = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        stats = self.plan.stats
        stats.asked()
        if self.finished:
            raise StopIteration
        try:
            batch = self._next()
        except StopIteration:
            self.finished = True
            self.plan.on_end()
            stats.ended()
            raise
        self.plan.on_batch(batch)
        if batch.failure is not None:
            raise batch.failure.rebuild()
        data = self.plan.finish(batch.data)
        stats.gave(batch)
        return data

    def _next(self) -> Batch:
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of the workers."""
        self.finished = True


class InProcessIterator(LoaderIterator):
    """Without workers: batches are made when they are asked for."""

    def __init__(self, plan: Pass) -> None:
        super().__init__(plan)
        self.generators = Generators()
        self.fetcher = Fetcher(plan.spec, None, self.generators, "DataLoader")
        self.numbers = itertools.count(plan.consumed)
        state = plan.dataset_states.get("0")
        skip = 0 if state is not None else plan.consumed
        self._apart(lambda: self.fetcher.begin(Epoch(0, plan.seed, skip, state)))

    def _apart(self, function: Callable[[], None]) -> None:
        """Calls a function whose random draws leave no trace in this process's generators."""
        if not self.fetcher.per_sample:
            function()
            return
        saved = self.generators.save()
        try:
            function()
        finally:
            self.generators.restore(saved)

    def _next(self) -> Batch:
        while True:
            batch = self._make(next(self.numbers))
            if batch.number not in self.plan.ahead:
                return batch

    def _make(self, number: int) -> Batch:
        order = self.plan.order
        keys = None if order is None else next(order)
        batch = Batch(number, start=time.perf_counter())

        def load() -> None:
            try:
                self.fetcher.load(batch, keys)
            except StopIteration as error:
                raise RuntimeError("the dataset raised StopIteration") from error

        try:
            self._apart(load)
        except Exception:
            self.plan.on_batch(batch)
            raise
        if order is None and batch.size == 0:
            raise StopIteration
        return batch
