"""Which generator serves which operator, and the arrays they are made of."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from rushlight.reference import cast

Case: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
Generator: TypeAlias = Callable[[str], Iterator[Case]]

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
REALS = FLOATS + INTEGERS
ALL = (*REALS, "bool")
COMPLEX = ("complex64", "complex128")
SHAPES = ((), (0,), (3,), (2, 3), (2, 0, 3), (2, 3, 4))

GENERATORS: dict[str, list[Generator]] = {}


def serves(*operators: str) -> Callable[[Generator], Generator]:
    """Names the operators (without "aten.") that a generator makes cases for."""

    def register(generator: Generator) -> Generator:
        for operator in operators:
            GENERATORS.setdefault(f"aten.{operator}", []).append(generator)
        return generator

    return register


class Source:
    """Random arrays, the same ones for the same operator."""

    def __init__(self, operator: str) -> None:
        self.random = np.random.default_rng(zlib.crc32(operator.encode()))

    def __call__(
        self,
        shape: Sequence[int],
        dtype: str = "float32",
        low: float = -3,
        high: float = 3,
    ) -> Any:
        """Uniform numbers; integers include both ends, and unsigned ones start at 0."""
        shape = tuple(shape)
        if dtype == "bool":
            return np.asarray(self.random.integers(0, 2, shape), dtype=np.bool_)
        if dtype.startswith(("int", "uint")):
            start = max(0, int(low)) if dtype == "uint8" else int(low)
            return np.asarray(self.random.integers(start, int(high) + 1, shape), dtype=dtype)
        values = self.random.uniform(low, high, shape)
        if dtype.startswith("complex"):
            values = values + 1j * self.random.uniform(low, high, shape)
        return cast(values, dtype)

    def index(self, shape: Sequence[int], size: int, dtype: str = "int64") -> Any:
        """Indices into a dimension of this size."""
        return np.asarray(self.random.integers(0, size, tuple(shape)), dtype=dtype)

    def distinct(self, shape: Sequence[int], dtype: str = "float32") -> Any:
        """Numbers of which no two are equal, in random order."""
        count = int(np.prod(shape))
        values = self.random.permutation(count) - count // 3
        return cast(values.reshape(tuple(shape)), dtype)

    def forms(self, dtype: str = "float32", low: float = -3, high: float = 3) -> Iterator[Any]:
        """One array of every shape, and some that are not contiguous."""
        for shape in SHAPES:
            yield self(shape, dtype, low, high)
        yield self((4, 3), dtype, low, high).T
        yield self((5, 6), dtype, low, high)[::2, 1::3]
        yield np.broadcast_to(self((3, 1), dtype, low, high), (3, 4), subok=True)


def dims_of(array: Any) -> Iterator[int]:
    """Every dimension once, counted from the front or from the back."""
    rank = max(array.ndim, 1)
    for dim in range(rank):
        yield dim if dim % 2 == 0 else dim - rank
    yield -rank
