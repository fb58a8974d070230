"""How far a loader has got, and how to go on from there."""

from __future__ import annotations

import copy
from typing import Any

from rushlight import _C
from rushlight.utils.data.order import Order, generator_state, set_generator_state
from rushlight.utils.data.random_source import draw_seed
from rushlight.utils.data.tasks import Batch

VERSION = 1


class LoaderState:
    """The epoch, the batches of it that reached the user, and what repeats the order."""

    def __init__(self) -> None:
        self.epoch = 0
        self.batches = 0  # all before this number are consumed
        self.ahead: set[int] = set()  # consumed batches after it (in_order=False)
        self.seed: int | None = None  # of the epoch; None before it begins
        self.workers = 1
        self.datasets: dict[str, Any] = {}  # state of each worker's dataset after its last batch
        self._order: Order | None = None
        self._resumed: dict[str, Any] | None = None
        # After a resume: the state that the process's generator had when the epoch's seed was
        # drawn, from which the seeds of the epochs to come are drawn, as they would have been.
        self._source: list[int] | None = None
        self._after: list[int] | None = None  # the same, once the seed is drawn
        self._generators: list[Any] = []  # states, once the epoch's seed is drawn
        self._loaded_generators: list[Any] | None = None
        self._loaded: dict[str, Any] = {}
        self._pass = 0

    def draw_seed(self) -> int:
        """An epoch's seed, from the process's generator, or from where a resumed loader's was."""
        if self._source is None:
            seed = draw_seed()
            self._after = list(_C.random_state())
            return seed
        before = _C.random_state()
        try:
            _C.set_random_state(*self._source)
            seed = draw_seed()
            self._after = self._source = list(_C.random_state())
        finally:
            _C.set_random_state(*before)
        return seed

    def restore(self, generators: list[Any]) -> None:
        """Puts generators where they were when the state that was loaded was taken."""
        for generator, place in zip(generators, self._loaded_generators or [], strict=False):
            set_generator_state(generator, place)
        self._loaded_generators = None

    def note(self, generators: list[Any]) -> None:
        """Where the order of the epoch that begins starts from."""
        self._generators = [generator_state(g) for g in generators]

    def take_resumed(self) -> dict[str, Any] | None:
        """What to resume from, if this iteration is the first after a load in mid-epoch."""
        resumed, self._resumed = self._resumed, None
        if resumed is None:
            if self.seed is not None:  # the pass before was given up
                self.epoch += 1
            self.batches, self.ahead, self.datasets = 0, set(), {}
        return resumed

    def begin(self, seed: int, order: Order | None, workers: int) -> int:
        """A pass begins, or goes on; returns its number, for `consume` and `end`."""
        self.seed, self._order, self.workers = seed, order, max(1, workers)
        self._pass += 1
        return self._pass

    def consume(self, number: int, batch: Batch) -> None:
        """A batch has reached the user."""
        if number != self._pass:
            return  # of an iterator that is not the latest
        self.ahead.add(batch.number)
        while self.batches in self.ahead:
            self.ahead.remove(self.batches)
            self.batches += 1
        if self._order is not None:
            self._order.consume(batch.number)
        if batch.state is not None:
            self.datasets[str(batch.number % self.workers)] = batch.state

    def end(self, number: int) -> None:
        """The epoch is over."""
        if number != self._pass:
            return
        self.epoch += 1
        self.batches, self.ahead, self.datasets = 0, set(), {}
        self.seed = self._order = None

    def save(self, generators: list[Any]) -> dict[str, Any]:
        state: dict[str, Any] = {"version": VERSION, "epoch": self.epoch, "batches": self.batches}
        if self._after is not None:
            state["source"] = self._after
        if self._resumed is not None:  # loaded, and not yet iterated
            return copy.deepcopy(self._loaded)
        if self.seed is None:
            places = self._loaded_generators or [generator_state(g) for g in generators]
            return {**state, "generators": places} if places else state
        state["seed"] = self.seed
        if self._generators:
            state["generators"] = self._generators
        if self.ahead:
            state["ahead"] = sorted(self.ahead)
        if self._order is not None and (order := self._order.state()):
            state["order"] = order
        if self.datasets:
            state["workers"] = self.workers
            state["datasets"] = self.datasets
        return copy.deepcopy(state)

    def load(self, state: dict[str, Any], workers: int) -> None:
        if not isinstance(state, dict) or not isinstance(state.get("version"), int):
            raise ValueError("this is not the state of a rushlight DataLoader")
        if state["version"] > VERSION:
            raise ValueError(
                f"the state has version {state['version']}, this rushlight reads up to {VERSION}"
            )
        state = copy.deepcopy(state)
        self.epoch, self.batches = state["epoch"], state["batches"]
        self.ahead = set(state.get("ahead", []))
        self._source = self._after = state.get("source")
        # Datasets in another number of workers begin anew and pass over what was consumed.
        same = state.get("workers") == workers
        self.datasets = state.get("datasets", {}) if same else {}
        self._resumed = state if "seed" in state else None
        self._loaded_generators = state.get("generators")
        self._loaded = state
        self.seed, self._order = state.get("seed"), None
