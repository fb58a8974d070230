"""Random numbers that follow from the sample, not from the worker that happens to load it.

Before each sample the generators that its code may draw from are seeded from the epoch's key and
the sample's index: Python's ``random``, ``numpy.random``, rushlight's, and PyTorch's where the
program has imported it. The first two are Mersenne Twisters, whose own seeding takes longer than
many a sample: their state is written directly (``rushlight._C.Twister``), after a check, once per
process, that it lies where we think it does; where it does not, they are seeded through their
interface.
"""

from __future__ import annotations

import functools
import random
import sys
import zlib
from typing import Any, Protocol

import numpy as np

from rushlight import _C
from rushlight._C import SampleSeeder, Twister

MASK = 2**64 - 1


class _Twister(Protocol):
    def seed(self, seed: int) -> None: ...
    def touched(self) -> bool: ...
    def save(self) -> Any: ...
    def restore(self, state: Any) -> None: ...


class _SlowTwister:
    """The same through a library's own functions."""

    def __init__(self, get: Any, put: Any, seed: Any) -> None:
        self.save, self.restore, self._seed = get, put, seed

    def seed(self, seed: int) -> None:
        self._seed(seed)

    def touched(self) -> bool:
        return True


def python_twister(instance: random.Random) -> _Twister:
    """The state of one of Python's generators."""
    if _knows_python():
        return _twister_in(instance)
    return _SlowTwister(instance.getstate, instance.setstate, instance.seed)


def _twister_in(instance: random.Random) -> Twister:
    start = id(instance) + object.__basicsize__
    return Twister(start + 4, start)


@functools.cache  # and so in a forked child what its parent found
def _knows_python() -> bool:
    if sys.implementation.name != "cpython" or _size_of_python_state() < 2500:
        return False
    instance = random.Random(1)
    words = np.frombuffer(_twister_in(instance).save(), np.uint32)
    return bool(words.tolist() == list(instance.getstate()[1]))


def _size_of_python_state() -> int:
    import _random

    return _random.Random.__basicsize__ - object.__basicsize__


def numpy_twister(state: Any) -> _Twister | None:
    """The state of a ``RandomState`` (or ``numpy.random``); None if it is no Mersenne Twister."""
    bits = np.random.get_bit_generator() if state is np.random else state._bit_generator
    if not isinstance(bits, np.random.MT19937):
        return None
    if _knows_numpy():
        return _twister_behind(bits)
    return _SlowTwister(state.get_state, state.set_state, lambda s: state.seed(s & 0xFFFFFFFF))


def _twister_behind(bits: np.random.MT19937) -> Twister:
    address = bits.ctypes.state_address
    return Twister(address, address + 4 * 624)


@functools.cache
def _knows_numpy() -> bool:
    bits = np.random.MT19937(1)
    found = np.frombuffer(_twister_behind(bits).save(), np.uint32)
    expected: Any = bits.state["state"]
    return np.array_equal(found[:-1], expected["key"]) and bool(found[-1] == expected["pos"])


class Generators:
    """The generators that the code of a sample draws from: the process's, or a thread's own."""

    def __init__(self, python: Any = None, numpy: Any = None, torch: Any = None) -> None:
        self.python: Any = python or random._inst
        self.numpy = numpy or np.random
        self._torch = torch
        twisters = [python_twister(self.python), numpy_twister(self.numpy)]
        self._python, self._numpy = twisters
        self._all = [t for t in twisters if t is not None]
        self._seeder = SampleSeeder(tuple(t for t in self._all if isinstance(t, Twister)))
        self._slow = [t for t in self._all if not isinstance(t, Twister)]
        self._fresh = False  # whether normal deviates kept for the next call are known to be gone
        self._numpy_state: Any = None  # at the latest `save`

    def seed(self, key: int, index: Any) -> None:
        """Seeds all of them for the sample with this index."""
        number = (index if type(index) is int else index_number(index)) & MASK
        torch_seed = self._seeder.seed(key, number) if self._fresh and not self._slow else -1
        if torch_seed < 0:
            self._forget_normal_deviates()
            torch_seed = self._seeder.seed(key, number, True)
            for i, twister in enumerate(self._slow):
                twister.seed(_C.mix_seeds(torch_seed, i))
        torch = sys.modules.get("torch")
        if torch is not None:
            (self._torch or torch.default_generator).manual_seed(torch_seed)

    def _forget_normal_deviates(self) -> None:
        # random.gauss and numpy.random.normal make two numbers at a time and keep one.
        self.python.gauss_next = None
        if self._numpy is not None:
            state = self.numpy.get_state(legacy=False)
            if state["has_gauss"]:
                self.numpy.set_state({**state, "has_gauss": 0, "gauss": 0.0})
        self._fresh = True

    def save(self) -> Any:
        """The state of all of them."""
        torch = sys.modules.get("torch")
        return (
            self._python and self._python.save(),
            self.python.gauss_next,
            self._numpy and self._numpy.save(),
            self._look_at_numpy(),
            _C.random_state(),
            torch and (self._torch or torch.default_generator).get_state(),
        )

    def _look_at_numpy(self) -> Any:
        # Slow: only if anything may have changed since. A kept normal deviate can be used up
        # without a trace elsewhere; that none is kept cannot change without one.
        known = self._numpy_state
        if known is None or known["has_gauss"] or self._numpy is None or self._numpy.touched():
            known = self._numpy_state = self.numpy.get_state(legacy=False)
        self._fresh = not known["has_gauss"] and self.python.gauss_next is None
        return known

    def restore(self, saved: Any) -> None:
        """Puts a saved state back."""
        python, gauss, numpy, numpy_state, own, torch_state = saved
        touched = self._numpy is not None and self._numpy.touched()
        if self._python is not None:
            self._python.restore(python)
        self.python.gauss_next = gauss
        if self._numpy is not None:
            if touched or numpy_state["has_gauss"]:
                self.numpy.set_state(numpy_state)
            self._numpy.restore(numpy)
        _C.set_random_state(*own)
        torch = sys.modules.get("torch")
        if torch is not None and torch_state is not None:
            (self._torch or torch.default_generator).set_state(torch_state)


def index_number(index: Any) -> int:
    """A number for a key of any kind, the same in every process."""
    try:
        return int(index.__index__())
    except (AttributeError, TypeError):
        return zlib.crc32(repr(index).encode()) | 1 << 40


def seed_like_pytorch(base_seed: int, worker: int) -> int:
    """Seeds a worker once, as PyTorch does, and returns its seed."""
    seed = base_seed + worker
    random.seed(seed)
    np.random.seed(_C.mix_seeds(base_seed, worker) & 0xFFFFFFFF)
    _C.set_random_state(seed & MASK, 0)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
        from torch.utils.data._utils.worker import _generate_state

        np.random.seed(_generate_state(base_seed, worker))
    return seed
