"""Index tensors as NumPy indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .arrays import Array


def checked(index: Array, size: int) -> Array:
    """Integer indices within a dimension of `size`; negative ones count from the end."""
    if index.size and not (-size <= index.min() and index.max() < size):
        bad = index[(index < -size) | (index >= size)].reshape(-1)[0]
        raise IndexError(f"index {bad} is out of bounds for dimension with size {size}")
    return index


def indexer(self: Array, indices: Sequence[Array | None]) -> tuple[Any, ...]:
    """The tuple to index with; a byte tensor is a mask, None takes the whole dimension."""
    if len(indices) > self.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {self.ndim} (got {len(indices)})"
        )
    parts: list[Any] = []
    for index in indices:
        if index is None:
            parts.append(slice(None))
        elif index.dtype == np.uint8:
            parts.append(index.astype(np.bool_))
        else:
            parts.append(np.asarray(index))
    return tuple(parts)


def places_along(value: Array, axis: int, index: Array) -> tuple[Array, ...]:
    """Where `gather` reads and `scatter` writes: `index` along `axis`, elsewhere its own place."""
    places = list(np.ogrid[tuple(slice(0, size) for size in index.shape)])
    places[axis] = checked(index, value.shape[axis])
    return tuple(places)
