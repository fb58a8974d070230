"""What the losses share."""

from __future__ import annotations

import numpy as np

from .arrays import Array, accumulate, cast, dtype_of


def reduced(loss: Array, reduction: int, dtype: str) -> Array:
    """0 keeps every element, 1 takes the mean, 2 the sum."""
    if reduction == 1:
        return cast(loss.sum() / np.float64(loss.size), dtype)
    return cast(loss.sum() if reduction == 2 else loss, dtype)


def negative_log_likelihood(
    logs: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """The loss and the sum of weights it was divided by."""
    dtype = dtype_of(logs)
    values = accumulate(logs, dtype)
    axis = 0 if logs.ndim == 1 else 1
    kept = target != ignore_index
    classes = np.where(kept, target, 0)
    if classes.size and not (classes.min() >= 0 and classes.max() < logs.shape[axis]):
        raise IndexError(f"Target {classes.max()} is out of bounds.")
    picked = np.take_along_axis(values, np.expand_dims(classes, axis), axis).squeeze(axis)
    scale = np.ones(logs.shape[axis]) if weight is None else accumulate(weight, dtype)
    scales = np.where(kept, scale[classes], 0.0)
    loss = np.where(kept, -picked * scales, 0.0)
    if reduction == 0:
        return cast(loss, dtype), cast(np.float64(0), dtype)
    total = scales.sum()
    return cast(loss.sum() / total if reduction == 1 else loss.sum(), dtype), cast(total, dtype)
