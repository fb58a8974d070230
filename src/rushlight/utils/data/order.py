"""The keys of an epoch, batch by batch, and how to begin again in the middle."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight import _C
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomOrder,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

_OURS = (RandomOrder, SequentialSampler, BatchSampler, SubsetRandomSampler, WeightedRandomSampler)


class Order:
    """Key lists (or keys, without batches) of one epoch.

    Args:
        sampler: what to iterate over.
        seed: of the epoch; samplers without a generator of their own follow from it.
        consumed: how many key lists were consumed before.
        saved: what :meth:`state` gave then.
    """

    def __init__(self, sampler: Any, seed: int, consumed: int, saved: Any) -> None:
        self.chain = list(_chain(sampler))
        self.stateful = next((s for s in self.chain if hasattr(s, "state_dict")), None)
        self.checked = not all(isinstance(s, _OURS) for s in self.chain)
        self.drawn = consumed
        self._states: dict[int, Any] = {}  # of a stateful sampler, by batches drawn
        self._checks: dict[int, int] = {}
        self._check = self._consumed_check = 0
        self._state: Any = None
        saved = saved or {}
        for depth, s in enumerate(self.chain):
            if isinstance(s, RandomOrder) and s.generator is None:
                s.replay(_C.mix_seeds(seed, depth) >> 1)
            if "epoch" in saved and hasattr(s, "set_epoch"):
                s.set_epoch(saved["epoch"])
        self.epoch = next((s.epoch for s in self.chain if hasattr(s, "set_epoch")), None)
        if self.stateful is not None and "sampler" in saved:
            self.stateful.load_state_dict(saved["sampler"])
            self._state = saved["sampler"]
            self.keys = iter(sampler)
        else:
            self.keys = iter(sampler)
            self._skip(consumed, saved.get("check"))

    def _skip(self, consumed: int, check: int | None) -> None:
        for _ in range(consumed):
            keys = next(self.keys, None)
            if self.checked:
                self._check = zlib.crc32(repr(keys).encode(), self._check)
        self._consumed_check = self._check
        if check is not None and self._check != check:
            raise RuntimeError(
                f"the sampler gave other keys than before for the first {consumed} batches, so the "
                "epoch cannot be resumed: seed it, or give it state_dict() and load_state_dict()"
            )

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        keys = next(self.keys)
        if self.stateful is not None:
            self._states[self.drawn] = self.stateful.state_dict()
        elif self.checked:
            self._check = zlib.crc32(repr(keys).encode(), self._check)
            self._checks[self.drawn] = self._check
        self.drawn += 1
        return keys

    def consume(self, number: int) -> None:
        """The batch with this number has reached the user."""
        if self.stateful is not None:
            self._state = self._states.pop(number)
        elif self.checked:
            self._consumed_check = self._checks.pop(number)

    def state(self) -> dict[str, Any]:
        """How to begin again after the batches consumed."""
        state: dict[str, Any] = {}
        if self.epoch is not None:
            state["epoch"] = self.epoch
        if self.stateful is not None and self._state is not None:
            state["sampler"] = self._state
        elif self.checked:
            state["check"] = self._consumed_check
        return state


def _chain(sampler: Any) -> Iterator[Any]:
    """A sampler and those it draws from."""
    while sampler is not None:
        yield sampler
        sampler = getattr(sampler, "sampler", None)


def generators_of(sampler: Any, own: Any) -> list[Any]:
    """The generators that epochs depend on: those of samplers, and the loader's own."""
    found: list[Any] = []
    for generator in [*(getattr(s, "generator", None) for s in _chain(sampler)), own]:
        if generator is not None and all(generator is not g for g in found):
            found.append(generator)
    return found


def generator_state(generator: Any) -> Any:
    """The state of a generator, for JSON."""
    if isinstance(generator, np.random.Generator):
        return _plain(generator.bit_generator.state)
    if isinstance(generator, int):
        return generator
    return base64.b64encode(bytes(generator.get_state().numpy().tobytes())).decode()


def set_generator_state(generator: Any, state: Any) -> None:
    """Puts back what :func:`generator_state` gave."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif not isinstance(generator, int):
        raw = np.frombuffer(base64.b64decode(state), np.uint8).copy()
        kind = type(generator.get_state())
        if kind.__module__.startswith("torch"):
            import torch

            generator.set_state(torch.from_numpy(raw))
        else:
            generator.set_state(kind(raw))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
