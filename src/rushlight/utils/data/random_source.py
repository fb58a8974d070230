"""Random numbers for samplers, from whichever generator the caller has."""

from __future__ import annotations

import sys
from typing import Any, Protocol

import numpy as np

from rushlight import _C

MASK = 2**64 - 1


class RandomSource(Protocol):
    """What samplers draw."""

    def seed(self) -> int:
        """A number in [0, 2**63)."""

    def permutation(self, n: int) -> list[int]:
        """0 to n - 1 in random order."""

    def integers(self, high: int, count: int) -> list[int]:
        """``count`` numbers in [0, high)."""

    def multinomial(self, weights: Any, count: int, replacement: bool) -> list[int]:
        """``count`` indices, drawn with the probabilities that ``weights`` are proportional to."""


def random_source(generator: Any = None) -> RandomSource:
    """Where to draw from.

    Args:
        generator: None for the process's default generator (``rushlight.manual_seed``); an int, a
            seed; a ``numpy.random.Generator``; a generator with ``initial_seed`` and
            ``manual_seed``; or a ``torch.Generator``, which gives the numbers that PyTorch's
            samplers would draw.

    Raises:
        TypeError: for anything else.
    """
    if generator is None:
        return NumpySource(np.random.Generator(np.random.PCG64(draw_seed())))
    if isinstance(generator, int):
        return NumpySource(np.random.Generator(np.random.PCG64(generator & MASK)))
    if isinstance(generator, np.random.Generator):
        return NumpySource(generator)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(generator, torch.Generator):
        return TorchSource(generator)
    if hasattr(generator, "initial_seed") and hasattr(generator, "manual_seed"):
        seed = generator.initial_seed()
        generator.manual_seed(_C.mix_seeds(seed & MASK, 1))  # the next use gives other numbers
        return NumpySource(np.random.Generator(np.random.PCG64(seed & MASK)))
    raise TypeError(
        "generator must be None, an int, a numpy.random.Generator or a torch.Generator, "
        f"not {type(generator).__name__}"
    )


def draw_seed(generator: Any = None) -> int:
    """A seed in [0, 2**63) from a generator; from the process's default one if it is None."""
    if generator is None:
        return _C.draw_random_seed()
    return random_source(generator).seed()


class NumpySource:
    """Draws from a ``numpy.random.Generator``."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def seed(self) -> int:
        return int(self.generator.integers(2**63))

    def permutation(self, n: int) -> list[int]:
        numbers: list[int] = self.generator.permutation(n).tolist()
        return numbers

    def integers(self, high: int, count: int) -> list[int]:
        numbers: list[int] = self.generator.integers(high, size=count).tolist()
        return numbers

    def multinomial(self, weights: Any, count: int, replacement: bool) -> list[int]:
        p = np.asarray(weights, dtype=np.float64)
        if replacement:
            steps = np.cumsum(p)
            draws = self.generator.random(count) * steps[-1]
            picked: list[int] = np.searchsorted(steps, draws, side="right").tolist()
            return picked
        # The first arrivals of Poisson processes with these rates (Efraimidis and Spirakis, 2006).
        with np.errstate(divide="ignore"):
            arrival = self.generator.standard_exponential(len(p)) / p
        first: list[int] = np.argsort(arrival, kind="stable")[:count].tolist()
        return first


class TorchSource:
    """Draws from a ``torch.Generator`` what PyTorch's own samplers draw."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator
        self.torch = sys.modules["torch"]

    def seed(self) -> int:
        empty = self.torch.empty((), dtype=self.torch.int64)
        return int(empty.random_(generator=self.generator).item())

    def permutation(self, n: int) -> list[int]:
        order: list[int] = self.torch.randperm(n, generator=self.generator).tolist()
        return order

    def integers(self, high: int, count: int) -> list[int]:
        drawn = self.torch.randint(high, (count,), generator=self.generator)
        numbers: list[int] = drawn.tolist()
        return numbers

    def multinomial(self, weights: Any, count: int, replacement: bool) -> list[int]:
        p = self.torch.as_tensor(weights, dtype=self.torch.float64)
        drawn = self.torch.multinomial(p, count, replacement, generator=self.generator)
        numbers: list[int] = drawn.tolist()
        return numbers
