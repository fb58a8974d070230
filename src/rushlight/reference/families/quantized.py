"""Quantisation: numbers on an integer grid, q = round(x / scale) + zero_point."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, cast, dtype_of, widen
from ..quantize import along, grid


def quantized_decomposed_quantize_per_tensor_default(
    input: Array, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: str
) -> Array:
    x = widen(input, dtype_of(input))
    value = np.rint(x * np.float32(1.0 / scale)) + zero_point
    return cast(np.clip(value, quant_min, quant_max), dtype)


def quantized_decomposed_dequantize_per_tensor_default(
    input: Array,
    scale: float,
    zero_point: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
    *,
    out_dtype: str | None = None,
) -> Array:
    out = out_dtype or "float32"
    return cast((cast(input, out) - zero_point) * np.float32(scale), out)


def quantized_decomposed_quantize_per_channel_default(
    input: Array,
    scales: Array,
    zero_points: Array,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
) -> Array:
    s, z = along(scales, axis, input.ndim), along(zero_points, axis, input.ndim)
    value = np.rint(widen(input, dtype_of(input)) * (1.0 / s)) + z
    return cast(np.clip(value, quant_min, quant_max), dtype)


def quantized_decomposed_dequantize_per_channel_default(
    input: Array,
    scales: Array,
    zero_points: Array | None,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
    *,
    out_dtype: str | None = None,
) -> Array:
    value = cast(input, "float32")
    if zero_points is not None:
        value = value - along(zero_points, axis, input.ndim)
    return cast(value * along(scales, axis, input.ndim), out_dtype or "float32")


def fake_quantize_per_tensor_affine_cachemask_default(
    self: Array, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    """The numbers the grid can hold nearest to x, and where x lies on the grid."""
    x = widen(self, dtype_of(self))
    q, inside = grid(x, np.float32(scale), np.asarray(zero_point), quant_min, quant_max)
    return cast((q - zero_point) * np.float32(scale), dtype_of(self)), inside


def fake_quantize_per_tensor_affine_default(
    self: Array, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Array:
    return fake_quantize_per_tensor_affine_cachemask_default(
        self, scale, zero_point, quant_min, quant_max
    )[0]


def fake_quantize_per_channel_affine_cachemask_default(
    self: Array, scale: Array, zero_point: Array, axis: int, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    s, z = along(scale, axis, self.ndim), along(zero_point, axis, self.ndim)
    q, inside = grid(widen(self, dtype_of(self)), s, z, quant_min, quant_max)
    return cast((q - z) * s, dtype_of(self)), inside


def fake_quantize_per_channel_affine_default(
    self: Array, scale: Array, zero_point: Array, axis: int, quant_min: int, quant_max: int
) -> Array:
    return fake_quantize_per_channel_affine_cachemask_default(
        self, scale, zero_point, axis, quant_min, quant_max
    )[0]
