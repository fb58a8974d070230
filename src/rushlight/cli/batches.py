"""Splitting a set of samples that is larger than a program takes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rushlight.export import ValueRange

from .errors import UsageError
from .inputs import Array, ProgramInput


class Batch(NamedTuple):
    """Flat inputs of one call; the last ``padding`` samples only fill it up."""

    values: list[Any]
    size: int
    padding: int = 0


def split(
    inputs: Sequence[ProgramInput],
    values: Sequence[Any],
    ranges: Mapping[str, ValueRange],
    batch: int | None = None,
) -> list[Batch]:
    """The calls to make: one if the program takes all samples at once and `batch` is not given.

    The samples lie along the first dimension of the first tensor and of every other tensor whose
    first dimension is declared equal. A program exported for a fixed number of samples gets that
    many at a time, the last call filled up with copies of the last sample.
    """
    sample = next(
        (k for k, i in enumerate(inputs) if i.is_tensor and i.shape and _rank(values[k])), None
    )
    if sample is None:
        if batch is not None:
            raise UsageError("--batch: the program takes no tensor with a dimension of samples")
        return [Batch(list(values), 1)]
    first = inputs[sample].shape[0]
    total = values[sample].shape[0]
    low, high = _limits(first, ranges)
    if batch is not None and not low <= batch <= high:
        raise UsageError(f"--batch: the program takes {low} to {high} samples, not {batch}")
    most = high if batch is None else batch
    if total <= most:  # too few samples are the engine's to judge
        return [Batch(list(values), total)]
    batched = [
        i.is_tensor and i.shape[:1] == (first,) and _rank(v) > 0 and v.shape[0] == total
        for i, v in zip(inputs, values, strict=True)
    ]
    if isinstance(first, int):
        return _fixed(values, batched, total, first)
    calls = -(-total // int(most))
    bounds = [total * k // calls for k in range(calls + 1)]
    return [Batch(_part(values, batched, a, b), b - a) for a, b in pairwise(bounds)]


def _rank(value: Any) -> int:
    return len(getattr(value, "shape", ()))


def _limits(first: int | str, ranges: Mapping[str, ValueRange]) -> tuple[float, float]:
    if isinstance(first, int):
        return first, first
    return ranges.get(first, ValueRange(1, float("inf")))


def _part(values: Sequence[Any], batched: Sequence[bool], start: int, stop: int) -> list[Any]:
    return [_slice(v, start, stop) if cut else v for v, cut in zip(values, batched, strict=True)]


def _slice(value: Any, start: int, stop: int) -> Any:
    if isinstance(value, np.ndarray):
        return value[start:stop]
    from rushlight import _C

    return _C.call_op("aten.slice.Tensor", value, 0, start, stop)


def _fixed(values: Sequence[Any], batched: Sequence[bool], total: int, size: int) -> list[Batch]:
    batches = []
    for start in range(0, total, size):
        stop = min(start + size, total)
        part = _part(values, batched, start, stop)
        padding = size - (stop - start)
        if padding:
            part = [_filled(v, padding) if cut else v for v, cut in zip(part, batched, strict=True)]
        batches.append(Batch(part, size, padding))
    return batches


def _filled(value: Any, padding: int) -> Any:
    if isinstance(value, np.ndarray):
        return np.concatenate([value, np.repeat(value[-1:], padding, axis=0)])
    from rushlight import _C

    last = _slice(value, value.shape[0] - 1, value.shape[0])
    return _C.call_op("aten.cat.default", [value, *[last] * padding], 0)


def join(batches: Sequence[Batch], outputs: Sequence[Sequence[Array]]) -> list[Array | None]:
    """Each flat output of all calls as one array; None for one that has no sample dimension."""
    joined: list[Array | None] = []
    for parts in zip(*outputs, strict=True):
        if len(parts) == 1:
            joined.append(parts[0])
        elif all(p.shape[:1] == (b.size,) for p, b in zip(parts, batches, strict=True)):
            kept = [p[: b.size - b.padding] for p, b in zip(parts, batches, strict=True)]
            joined.append(np.concatenate(kept))
        else:
            joined.append(None)
    return joined
