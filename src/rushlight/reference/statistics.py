"""Mean and variance, the part that reductions and normalisations share."""

from __future__ import annotations

import math

import numpy as np

from .arrays import Array, Number, Sizes, accumulate, axes_of, cast, dtype_of


def variance(
    self: Array, dim: int | Sizes | None, correction: Number, keepdim: bool
) -> tuple[Array, Array]:
    """The variance (over count - correction, at least 0) and the mean, in float64."""
    axes = axes_of(dim, self.ndim)
    values = accumulate(self, dtype_of(self))
    count = math.prod(self.shape[axis] for axis in axes)
    mean = values.sum(axis=axes, keepdims=True) / np.float64(count)
    squares = np.sum(np.abs(values - mean) ** 2, axis=axes, keepdims=keepdim)
    divisor = np.float64(max(0.0, count - float(correction.real)))
    spread = np.asarray(squares / divisor)
    return spread, np.asarray(mean if keepdim else mean.reshape(spread.shape))


def affine(
    input: Array,
    mean: Array | None,
    scale: Array | None,
    weight: Array | None,
    bias: Array | None,
    dtype: str = "",
) -> Array:
    """(input - mean) * scale * weight + bias, each of them one number per channel (dimension 1)."""
    out = dtype or dtype_of(input)
    value = accumulate(input, out)
    per_channel = (1, -1) + (1,) * (input.ndim - 2)
    if mean is not None and scale is not None:
        value = (value - mean.reshape(per_channel)) * scale.reshape(per_channel)
    if weight is not None:
        value = value * accumulate(weight, out).reshape(per_channel)
    if bias is not None:
        value = value + accumulate(bias, out).reshape(per_channel)
    return cast(value, out)


def statistics_dtype(input: Array, weight: Array | None) -> str:
    """Half tensors keep their statistics in float32 when their weights are float32."""
    return dtype_of(input) if weight is None else dtype_of(weight)
