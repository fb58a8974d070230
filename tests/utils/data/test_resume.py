"""state_dict() and load_state_dict(): an interrupted sequence is the uninterrupted one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    WeightedRandomSampler,
)
from tests.utils.data.datasets import Draws, Resumable, Squares, Stream, plain, workers

RESUMED = [("process", 0), ("process", 2), ("thread", 1), ("thread", 2)]


def sequence(loader: DataLoader[Any], epochs: int) -> list[Any]:
    return [plain(batch) for _ in range(epochs) for batch in loader]


@pytest.mark.parametrize("dataset", [Draws(14), Stream(14), Stream(14, True), Resumable(14)])
@pytest.mark.parametrize(("kind", "n"), RESUMED)
def test_resume_in_mid_epoch(dataset: Any, kind: str, n: int) -> None:
    shuffle = isinstance(dataset, Draws)

    def make(kind: str, n: int) -> DataLoader[Any]:
        return DataLoader(dataset, 2, shuffle=shuffle or None, seed=9, **workers(kind, n))

    expected = sequence(make("process", 0), 3)
    assert len(expected) == 21
    got: list[Any] = []
    loader = make(kind, n)
    for stop, (kind2, n2) in [(3, (kind, n)), (2, ("thread", 2)), (9, (kind, n))]:
        # twice in the first epoch, and once in the second, at another number of workers
        iterator = iter(loader)
        for _ in range(stop):
            try:
                got.append(plain(next(iterator)))
            except StopIteration:
                iterator = iter(loader)
                got.append(plain(next(iterator)))
        state = json.loads(json.dumps(loader.state_dict()))
        del iterator
        loader = make(kind2, n2)
        loader.load_state_dict(state)
        assert loader.state_dict() == state
    got += sequence(loader, 1)
    got += sequence(loader, 3 - len(got) // 7)
    assert got == expected


def test_resume_at_the_end_of_an_epoch() -> None:
    loader = DataLoader(Squares(4), 2, shuffle=True, seed=1)
    iterator = iter(loader)
    next(iterator), next(iterator)
    last = loader.state_dict()
    assert next(iterator, None) is None
    after = loader.state_dict()
    expected = sequence(loader, 1)
    for state in (last, after):
        again = DataLoader(Squares(4), 2, shuffle=True, seed=1, **workers("thread", 2))
        again.load_state_dict(state)
        if state is last:
            assert sequence(again, 1) == []  # the epoch had ended
        assert sequence(again, 1) == expected


def test_resume_without_a_seed() -> None:
    loader = DataLoader(Squares(20), 2, shuffle=True)
    iterator = iter(loader)
    next(iterator)
    state = json.loads(json.dumps(loader.state_dict()))
    expected = [plain(b) for b in iterator] + sequence(loader, 2)
    again = DataLoader(Squares(20), 2, shuffle=True)
    again.load_state_dict(state)
    assert sequence(again, 3) == expected


@pytest.mark.parametrize(
    "generator", [4, np.random.default_rng(4), np.random.Generator(np.random.MT19937(4))]
)
def test_resume_with_a_generator(generator: Any) -> None:
    loader = DataLoader(Squares(20), 2, shuffle=True, generator=generator)
    next(iter(loader))
    iterator = iter(loader)
    next(iterator)
    state = json.loads(json.dumps(loader.state_dict()))
    expected = [plain(b) for b in iterator] + sequence(loader, 1)
    again = DataLoader(
        Squares(20),
        2,
        shuffle=True,
        generator=type(loader.generator)(type(loader.generator.bit_generator)(0)),
    )
    again.load_state_dict(state)
    assert sequence(again, 2) == expected


class Counting:
    """A sampler with a state of its own: what it gives depends on what it gave before."""

    def __init__(self) -> None:
        self.sum = 0

    def __iter__(self) -> Any:
        while self.sum < 60:
            self.sum += 1 + self.sum % 3
            yield self.sum

    def state_dict(self) -> dict[str, int]:
        return {"sum": self.sum}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.sum = state["sum"]


def test_resume_a_sampler_with_a_state() -> None:
    expected = sequence(DataLoader(Squares(99), 2, sampler=Counting()), 1)
    loader = DataLoader(Squares(99), 2, sampler=Counting(), **workers("thread", 2))
    iterator = iter(loader)
    got = [plain(next(iterator)) for _ in range(3)]
    again = DataLoader(Squares(99), 2, sampler=Counting())
    again.load_state_dict(json.loads(json.dumps(loader.state_dict())))
    assert got + sequence(again, 1) == expected


class Chaotic:
    def __iter__(self) -> Any:
        return iter(np.random.permutation(50).tolist())


def test_resume_notices_a_sampler_that_cannot_be_replayed() -> None:
    loader = DataLoader(Squares(50), 5, sampler=Chaotic())
    next(iter(loader))
    again = DataLoader(Squares(50), 5, sampler=Chaotic())
    again.load_state_dict(loader.state_dict())
    with pytest.raises(RuntimeError, match="other keys than before"):
        iter(again)


def test_bad_states() -> None:
    loader = DataLoader(Squares(3))
    with pytest.raises(ValueError, match="not the state"):
        loader.load_state_dict({})
    with pytest.raises(ValueError, match="version 99"):
        loader.load_state_dict({**loader.state_dict(), "version": 99})


def test_out_of_order_resume() -> None:
    loader = DataLoader(Squares(40), 2, in_order=False, seed=1, **workers("process", 2))
    iterator = iter(loader)
    got = [i for _ in range(7) for i in plain(next(iterator)[0])]
    again = DataLoader(Squares(40), 2, seed=1)
    again.load_state_dict(json.loads(json.dumps(loader.state_dict())))
    got += [i for b in again for i in plain(b[0])]
    assert sorted(got) == list(range(40))


EVERYWHERE: dict[str, Callable[..., DataLoader[Any]]] = {
    "shuffled": lambda **k: DataLoader(Draws(9), 2, shuffle=True, seed=3, **k),
    "samples": lambda **k: DataLoader(Draws(5), None, shuffle=True, seed=3, **k),
    "own generator": lambda **k: DataLoader(Draws(9), 2, shuffle=True, generator=7, **k),
    "weighted": lambda **k: DataLoader(
        Draws(9), 2, sampler=WeightedRandomSampler([1, 2, 3] * 3, 9), seed=3, **k
    ),
    "batch sampler": lambda **k: DataLoader(
        Draws(9), batch_sampler=BatchSampler(RandomSampler(range(9)), 4, True), seed=3, **k
    ),
    "rank 1 of 2": lambda **k: DataLoader(
        Draws(19), 2, sampler=DistributedSampler(range(19), 2, 1), seed=3, **k
    ),
    "stream": lambda **k: DataLoader(Stream(9), 2, seed=3, **k),
    "stream and own generator": lambda **k: DataLoader(Stream(9), 2, generator=7, **k),
    "shuffled stream": lambda **k: DataLoader(Stream(9, True), 2, seed=3, drop_last=True, **k),
    "stream with a state": lambda **k: DataLoader(Resumable(9), 2, seed=3, **k),
}


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 2), (2, 0)])
def test_resume_everywhere(name: str, before: int, after: int) -> None:
    make = EVERYWHERE[name]
    loader = make(**workers("thread", before))
    batches: list[Any] = []
    states = [(0, json.dumps(loader.state_dict()))]  # batches consumed, state
    for _ in range(2):
        for batch in loader:
            batches.append(plain(batch))
            states.append((len(batches), json.dumps(loader.state_dict())))
        states.append((len(batches), json.dumps(loader.state_dict())))  # between epochs
    for consumed, state in states:
        again = make(**workers("thread", after))
        again.load_state_dict(json.loads(state))
        assert json.dumps(again.state_dict()) == state
        got = sequence(again, 3)
        assert got[: len(batches) - consumed] == batches[consumed:], consumed
