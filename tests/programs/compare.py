"""Compares what a program showed under two libraries.

Where numbers differ by more than a few roundings, or a comparison of such numbers comes out the
other way, the program is run again with noise of the size of a rounding in every operation that
rounds: what that changes by as much is no difference between the libraries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .calls import Program
from .maker import layout_is_free
from .observe import Facts, Observation

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 4e-6, "float64": 1e-13,
             "complex64": 1e-5, "complex128": 1e-13}  # fmt: skip
NOISY_RUNS = 6


@dataclass(frozen=True)
class Difference:
    """``where``: the function or the kind of observation; ``what``: what was seen, and where."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"

    @property
    def kind(self) -> str:
        """Without names and numbers: what is the same fault again and again."""
        what = re.sub(r"\[.*\]|\(.*?\)|\bv\d+", "", self.what)
        return f"{self.where}:{re.sub(r'-?[0-9][0-9.e+-]*|nan|-?inf', '#', what)}"


class Comparison:
    """The first difference between ``ours`` and ``theirs``, or None.

    ``again(seed)`` runs the program under the other library with noise; ``exact_strides``: the
    other library lays tensors out as PyTorch does.
    """

    def __init__(
        self,
        program: Program,
        ours: Observation,
        theirs: Observation,
        again: Callable[[int], Observation],
        exact_strides: bool,
    ) -> None:
        self._program, self._ours, self._theirs = program, ours, theirs
        self._again, self._exact_strides = again, exact_strides

    def difference(self) -> Difference | None:
        return next(self._differences(), None)

    def _differences(self) -> Iterator[Difference]:
        for call, mine, other in zip(
            self._program, self._ours.results, self._theirs.results, strict=True
        ):
            if text := self._metadata(mine, other, not layout_is_free(call)):
                yield Difference(call.function, text)
        for key in sorted(self._theirs.reads):
            if key not in self._ours.reads:
                yield Difference("read", f"v{key[1]} is missing")
            elif text := self._values(key):
                yield Difference(_when(key[0], self._program), f"v{key[1]} {text}")
        for number, other in self._theirs.left.items():
            mine = self._ours.left[number]
            if text := self._metadata([mine], [other]):
                yield Difference("at the end", f"v{number} {text}")
        if self._ours.aliases != self._theirs.aliases:
            text = f"{self._ours.aliases} instead of {self._theirs.aliases}"
            yield Difference("shared memory", text)

    def _metadata(self, mine: Any, other: Any, strides: bool = True) -> str | None:
        if mine is None and other is None:
            return None
        if not isinstance(mine, list) or not isinstance(other, list):
            return None if accepted(mine, other) else f"{_name(mine)} instead of {_name(other)}"
        if len(mine) != len(other):
            return f"{len(mine)} results instead of {len(other)}"
        for a, b in zip(mine, other, strict=True):
            if (a.dtype, a.shape) != (b.dtype, b.shape):
                return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
            if strides and self._exact_strides and steps(a) != steps(b):
                return f"shape {list(a.shape)}: strides {a.strides} instead of {b.strides}"
        return None

    def _values(self, key: tuple[int, int]) -> str | None:
        (_, a), (dtype, b) = self._ours.reads[key], self._theirs.reads[key]
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
        wrong = ~close(a, b, TOLERANCE.get(dtype, 0.0))
        if not wrong.any():
            return None
        for run in self._noisy:
            _, c = run.reads.get(key, ("", None))
            if c is None or c.shape != b.shape or c.dtype != b.dtype:
                return None
            wrong &= ~(_distance(a, b) <= 16 * _distance(c, b))
        if not wrong.any():
            return None
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"at {list(place)} ({dtype}): {a[place]!r} instead of {b[place]!r}"

    @cached_property
    def _noisy(self) -> list[Observation]:
        return [self._again(seed) for seed in range(NOISY_RUNS)]


def accepted(mine: Any, other: Any) -> bool:
    """Whether both outcomes of a call are errors, ours of the other's type or one derived from
    it."""
    return isinstance(mine, type) and isinstance(other, type) and issubclass(mine, other)


def close(a: NDArray[Any], b: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Where both are equal (NaN equals NaN), or within the tolerance relative to themselves."""
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if not tolerance:
            return np.asarray(same)
        size = np.maximum(np.abs(b), 1e-2)
        return np.asarray(same | (np.abs(a - b) <= tolerance * size))


def _distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """How far apart: infinite where only one is NaN or infinite, 1 for booleans that differ."""
    with np.errstate(all="ignore"):
        if a.dtype == bool:
            return np.asarray(a != b).astype(float)
        wide = complex if a.dtype.kind == "c" else float
        difference = np.abs(a.astype(wide) - b.astype(wide))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        return np.where(same, 0.0, np.where(np.isfinite(difference), difference, np.inf))


def steps(facts: Facts) -> tuple[int, ...]:
    """The strides that matter: of dimensions with more than one element."""
    if 0 in facts.shape:
        return ()
    return tuple(s for s, n in zip(facts.strides, facts.shape, strict=True) if n > 1)


def _name(outcome: Any) -> str:
    return "a result" if isinstance(outcome, list) else getattr(outcome, "__name__", str(outcome))


def _when(position: int, program: Program) -> str:
    return "at the end" if position == len(program) else "read"
