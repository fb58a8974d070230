"""Resampling: nearest, linear in one to three dimensions, bicubic, and by a grid."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Sizes, accumulate, cast, dtype_of
from ..resample import (
    antialiased,
    cubic,
    keys_cubic,
    linear,
    nearest,
    nearest_exact,
    resample,
    sample_grid,
    target,
    triangle,
)

Scale = float | None
Scales = list[float] | tuple[float, ...] | None


def upsample_nearest1d_default(self: Array, output_size: Sizes, scales: Scale = None) -> Array:
    return resample(nearest, self, output_size, [scales])


def upsample_nearest2d_default(
    self: Array, output_size: Sizes, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    return resample(nearest, self, output_size, [scales_h, scales_w])


def upsample_nearest3d_default(
    self: Array,
    output_size: Sizes,
    scales_d: Scale = None,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    return resample(nearest, self, output_size, [scales_d, scales_h, scales_w])


def upsample_nearest1d_vec(input: Array, output_size: Sizes | None, scale_factors: Scales) -> Array:
    return resample(nearest, input, *target(input, output_size, scale_factors))


def upsample_nearest2d_vec(input: Array, output_size: Sizes | None, scale_factors: Scales) -> Array:
    return resample(nearest, input, *target(input, output_size, scale_factors))


def upsample_nearest3d_vec(input: Array, output_size: Sizes | None, scale_factors: Scales) -> Array:
    return resample(nearest, input, *target(input, output_size, scale_factors))


def _upsample_nearest_exact1d_vec(
    input: Array, output_size: Sizes | None, scale_factors: Scales
) -> Array:
    return resample(nearest_exact, input, *target(input, output_size, scale_factors))


def _upsample_nearest_exact2d_vec(
    input: Array, output_size: Sizes | None, scale_factors: Scales
) -> Array:
    return resample(nearest_exact, input, *target(input, output_size, scale_factors))


def _upsample_nearest_exact3d_vec(
    input: Array, output_size: Sizes | None, scale_factors: Scales
) -> Array:
    return resample(nearest_exact, input, *target(input, output_size, scale_factors))


def upsample_linear1d_default(
    self: Array, output_size: Sizes, align_corners: bool, scales: Scale = None
) -> Array:
    return resample(linear(align_corners), self, output_size, [scales])


def upsample_bilinear2d_default(
    self: Array,
    output_size: Sizes,
    align_corners: bool,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    return resample(linear(align_corners), self, output_size, [scales_h, scales_w])


def upsample_trilinear3d_default(
    self: Array,
    output_size: Sizes,
    align_corners: bool,
    scales_d: Scale = None,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    return resample(linear(align_corners), self, output_size, [scales_d, scales_h, scales_w])


def upsample_bicubic2d_default(
    self: Array,
    output_size: Sizes,
    align_corners: bool,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    return resample(cubic(align_corners), self, output_size, [scales_h, scales_w])


def upsample_linear1d_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    return resample(linear(align_corners), input, *target(input, output_size, scale_factors))


def upsample_bilinear2d_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    return resample(linear(align_corners), input, *target(input, output_size, scale_factors))


def upsample_trilinear3d_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    return resample(linear(align_corners), input, *target(input, output_size, scale_factors))


def upsample_bicubic2d_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    return resample(cubic(align_corners), input, *target(input, output_size, scale_factors))


def grid_sampler_2d_default(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    """Modes: 0 bilinear, 1 nearest, 2 bicubic. Paddings: 0 zeros, 1 border, 2 reflection."""
    dtype = dtype_of(input)
    image, places = accumulate(input, dtype), accumulate(grid, dtype)
    out = sample_grid(image, places, interpolation_mode, padding_mode, align_corners)
    return cast(out, dtype)


def grid_sampler_default(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    return grid_sampler_2d_default(input, grid, interpolation_mode, padding_mode, align_corners)


def affine_grid_generator_default(theta: Array, size: Sizes, align_corners: bool) -> Array:
    """The sampling points of affine maps theta (N, 2, 3), for images of `size` (N, C, H, W)."""
    dtype = dtype_of(theta)
    axes = []
    for length in size[2:]:
        line = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        axes.append(line if align_corners else line * (length - 1) / length)
    grids = np.meshgrid(*axes, indexing="ij")[::-1]  # x first
    points = np.stack([*grids, np.ones_like(grids[0])], axis=-1)
    out = np.einsum("nij,...j->n...i", accumulate(theta, dtype), points)
    return cast(out, dtype)


def _upsample_bilinear2d_aa_default(
    self: Array,
    output_size: Sizes,
    align_corners: bool,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    """When it shrinks, the triangle widens with the step, so that nothing is skipped."""
    return resample(
        antialiased(triangle, 2, align_corners), self, output_size, [scales_h, scales_w]
    )


def _upsample_bilinear2d_aa_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    sizes, scales = target(input, output_size, scale_factors)
    return resample(antialiased(triangle, 2, align_corners), input, sizes, scales)


def _upsample_bicubic2d_aa_vec(
    input: Array, output_size: Sizes | None, align_corners: bool, scale_factors: Scales
) -> Array:
    sizes, scales = target(input, output_size, scale_factors)
    return resample(antialiased(keys_cubic, 4, align_corners), input, sizes, scales)
