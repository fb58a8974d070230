"""Resampling one dimension at a time: for every output place the input places and weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .arrays import Array, Sizes, accumulate, cast, dtype_of

# (input size, output size, scale or None) -> places and weights, both (output size, taps)
Taps = Callable[[int, int, float | None], tuple[Array, Array]]


def target(
    value: Array, output_size: Sizes | None, scale_factors: Sequence[float] | None
) -> tuple[list[int], list[float | None]]:
    """The output sizes and scales of the ``.vec`` overloads, which give one or the other."""
    rank = value.ndim - 2
    if output_size is not None:
        return list(output_size), [None] * rank
    assert scale_factors is not None
    sizes = [math.floor(n * f) for n, f in zip(value.shape[2:], scale_factors, strict=True)]
    return sizes, list(scale_factors)


def resample(taps: Taps, value: Array, output_size: Sizes, scales: Sequence[float | None]) -> Array:
    dtype = dtype_of(value)
    if taps is nearest or taps is nearest_exact:
        out = np.asarray(value)
    else:
        out = accumulate(value, dtype) if dtype != "uint8" else value.astype(np.float64)
    for i, (size, scale) in enumerate(zip(output_size, scales, strict=True)):
        axis = 2 + i
        places, weights = taps(out.shape[axis], size, scale)
        picked = np.take(out, places, axis=axis)  # (..., size, taps, ...)
        if weights.shape[1] == 1:
            out = picked.squeeze(axis + 1)
        else:
            shape = (1,) * axis + weights.shape + (1,) * (out.ndim - axis - 1)
            out = (picked * weights.reshape(shape)).sum(axis=axis + 1)
    return cast(np.rint(out) if dtype == "uint8" else out, dtype)


def _step(size: int, out: int, scale: float | None) -> float:
    """How far apart two outputs are in the input."""
    return 1 / scale if scale is not None and scale > 0 else size / out


def nearest(size: int, out: int, scale: float | None) -> tuple[Array, Array]:
    step = np.float32(_step(size, out, scale))
    places = np.floor(np.arange(out, dtype=np.float32) * step).astype(np.int64)
    return np.minimum(places, size - 1)[:, None], np.ones((out, 1))


def nearest_exact(size: int, out: int, scale: float | None) -> tuple[Array, Array]:
    step = np.float32(_step(size, out, scale))
    centres = (np.arange(out, dtype=np.float32) + np.float32(0.5)) * step
    return np.minimum(np.floor(centres).astype(np.int64), size - 1)[:, None], np.ones((out, 1))


def _sources(size: int, out: int, scale: float | None, align_corners: bool) -> Array:
    """Where every output lies in the input."""
    if align_corners:
        return np.arange(out) * ((size - 1) / (out - 1) if out > 1 else 0.0)
    return (np.arange(out) + 0.5) * _step(size, out, scale) - 0.5


def linear(align_corners: bool) -> Taps:
    def taps(size: int, out: int, scale: float | None) -> tuple[Array, Array]:
        source = np.maximum(_sources(size, out, scale, align_corners), 0)
        low = np.minimum(np.floor(source).astype(np.int64), size - 1)
        high = np.minimum(low + 1, size - 1)
        part = np.clip(source - low, 0, 1)
        return np.stack([low, high], 1), np.stack([1 - part, part], 1)

    return taps


def cubic_weights(part: Array) -> Array:
    """Keys' kernel (1981) with A = -0.75, for the four places around."""
    a = -0.75

    def near(x: Array) -> Array:
        return np.asarray(((a + 2) * x - (a + 3)) * x * x + 1)

    def far(x: Array) -> Array:
        return np.asarray(((a * x - 5 * a) * x + 8 * a) * x - 4 * a)

    return np.stack([far(part + 1), near(part), near(1 - part), far(2 - part)], axis=-1)


def cubic(align_corners: bool) -> Taps:
    def taps(size: int, out: int, scale: float | None) -> tuple[Array, Array]:
        source = _sources(size, out, scale, align_corners)
        low = np.floor(source).astype(np.int64)
        places = np.clip(low[:, None] + np.arange(-1, 3), 0, size - 1)
        return places, cubic_weights(source - low)

    return taps


def _reflect(x: Array, twice_low: int, twice_high: int) -> Array:
    """Mirrors at both borders (given doubled) until x is inside."""
    if twice_low == twice_high:
        return np.zeros_like(x)
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    distance = np.abs(x - low)
    extra, flips = np.fmod(distance, span), np.floor(distance / span)
    return np.asarray(np.where(flips % 2 == 0, extra, span - extra) + low)


def _padded(x: Array, size: int, padding_mode: int, align_corners: bool) -> Array:
    if padding_mode == 2:
        ends = (0, 2 * (size - 1)) if align_corners else (-1, 2 * size - 1)
        x = _reflect(x, *ends)
    return np.asarray(np.clip(x, 0, size - 1)) if padding_mode else x


def sample_grid(
    image: Array, grid: Array, mode: int, padding_mode: int, align_corners: bool
) -> Array:
    """image (N, C, H, W) at the points of grid (N, h, w, 2), x before y, -1 to 1."""
    height, width = image.shape[2:]
    coordinates = []
    for i, size in ((1, height), (0, width)):
        x = grid[..., i]
        x = (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2
        coordinates.append(x if mode == 2 else _padded(x, size, padding_mode, align_corners))
    y, x = coordinates
    rows, row_weights = _taps_at(y, mode)
    columns, column_weights = _taps_at(x, mode)
    out = np.zeros((*image.shape[:2], *grid.shape[1:3]))
    batch = np.arange(len(image))[:, None, None]
    for i in range(rows.shape[-1]):
        for j in range(columns.shape[-1]):
            r, c = rows[..., i].astype(np.float64), columns[..., j].astype(np.float64)
            if mode == 2:
                r = _padded(r, height, padding_mode, align_corners)
                c = _padded(c, width, padding_mode, align_corners)
            inside = (r >= 0) & (r < height) & (c >= 0) & (c < width)
            at_row = np.clip(r, 0, height - 1).astype(np.int64)
            at_column = np.clip(c, 0, width - 1).astype(np.int64)
            picked = np.moveaxis(image[batch, :, at_row, at_column], -1, 1)
            weight = row_weights[..., i] * column_weights[..., j] * inside
            out += picked * weight[:, None]
    return out


def _taps_at(x: Array, mode: int) -> tuple[Array, Array]:
    """Places and weights around each coordinate: two for bilinear, one for nearest, four cubic."""
    if mode == 1:
        return np.rint(x)[..., None], np.ones((*x.shape, 1))
    low = np.floor(x)
    part = x - low
    if mode == 0:
        return np.stack([low, low + 1], -1), np.stack([1 - part, part], -1)
    return low[..., None] + np.arange(-1, 3), cubic_weights(part)


def triangle(x: Array) -> Array:
    return np.asarray(np.maximum(1 - np.abs(x), 0))


def keys_cubic(x: Array) -> Array:
    """Keys' kernel (1981) with A = -0.5, as Pillow has it."""
    a, x = -0.5, np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.asarray(np.where(x < 1, near, np.where(x < 2, far, 0)))


def antialiased(kernel: Callable[[Array], Array], width: int, align_corners: bool) -> Taps:
    """The kernel (of `width` at its own size) stretched by the step where that is above 1."""

    def taps(size: int, out: int, scale: float | None) -> tuple[Array, Array]:
        step = _step(size, out, scale)
        if align_corners:
            step = (size - 1) / (out - 1) if out > 1 else 0.0
        reach = width / 2 * max(step, 1)
        centres = step * (np.arange(out) + 0.5)
        first = np.maximum(np.floor(centres - reach + 0.5), 0).astype(np.int64)
        last = np.minimum(np.floor(centres + reach + 0.5), size).astype(np.int64)
        places = first[:, None] + np.arange(int((last - first).max()))
        weights = kernel((places - centres[:, None] + 0.5) / max(step, 1))
        weights = np.where(places < last[:, None], weights, 0)
        return np.minimum(places, size - 1), weights / weights.sum(axis=1, keepdims=True)

    return taps
