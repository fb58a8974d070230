"""What the quantisations share."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Array


def along(values: Array, axis: int, rank: int) -> Array:
    """One number per channel, shaped to broadcast along `axis`."""
    return np.asarray(values).reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def grid(x: Array, scale: Any, zero_point: Array, low: int, high: int) -> tuple[Array, Array]:
    """The nearest place on the grid, halves to even, and whether it was inside its ends."""
    place = np.rint(x * (np.float32(1) / scale) + zero_point.astype(np.float32))
    return np.clip(place, low, high), np.asarray((place >= low) & (place <= high))
