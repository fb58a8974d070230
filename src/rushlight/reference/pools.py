"""The windows of poolings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .arrays import Array, Sizes, accumulate, cast, dtype_of, ints, is_floating, trailing
from .windows import pad_spatial, shifted

Size = int | Sizes


def pooled_size(
    size: int, kernel: int, stride: int, pad: int, dilation: int, ceil_mode: bool
) -> int:
    """The number of windows; with `ceil_mode` the last may hang over, unless all in padding."""
    span = size + 2 * pad - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + pad:
        count -= 1
    return count


def windows(
    value: Array,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    fill: float,
) -> Array:
    """All windows over the last dimensions: (..., elements of a window, *windows)."""
    rank = len(kernel)
    sizes = value.shape[-rank:]
    counts = [
        pooled_size(*args, ceil_mode)
        for args in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    if min(counts) < 1:
        raise RuntimeError(f"pooling: input of size {list(sizes)} is too small for {list(kernel)}")
    ends = [(n - 1) * s + d * (k - 1) + 1
            for n, s, d, k in zip(counts, stride, dilation, kernel, strict=True)]  # fmt: skip
    after = [max(0, e - n - p) for e, n, p in zip(ends, sizes, padding, strict=True)]
    padded = pad_spatial(value, padding, after, fill)
    parts = [part for _, part in shifted(padded, kernel, stride, dilation, counts)]
    return np.stack(parts, axis=value.ndim - rank)


def maximum_pool(
    self: Array,
    rank: int,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
) -> tuple[Array, Array]:
    """The largest element of every window and its place in the flattened input; NaN wins."""
    kernel, pads, dilate = (ints(v, rank) for v in (kernel_size, padding, dilation))
    step = ints(stride, rank) or kernel
    plain = np.asarray(self)
    lowest = -np.inf if is_floating(dtype_of(self)) else np.iinfo(plain.dtype).min
    numbers = np.arange(int(np.prod(plain.shape[-rank:]))).reshape(plain.shape[-rank:])
    values = windows(plain, kernel, step, pads, dilate, ceil_mode, lowest)
    names = windows(numbers, kernel, step, pads, dilate, ceil_mode, -1)
    # padding never wins: where all real elements are -inf the first of them is taken
    ranked = np.where(names >= 0, values, lowest)
    axis = plain.ndim - rank
    best = _first_largest(ranked, np.broadcast_to(names, ranked.shape), axis)
    out = np.take_along_axis(ranked, best, axis).squeeze(axis)
    places = np.take_along_axis(np.broadcast_to(names, ranked.shape), best, axis).squeeze(axis)
    return cast(out, dtype_of(self)), places


def _first_largest(values: Array, names: Array, axis: int) -> Array:
    largest = values.max(axis=axis, keepdims=True)
    candidates = (names >= 0) & ((values == largest) | np.isnan(values))
    return np.asarray(candidates.argmax(axis=axis, keepdims=True))


def average_pool(
    self: Array,
    rank: int,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """The mean of every window. What hangs over beyond the padding never counts."""
    dtype = dtype_of(self)
    kernel, pads = ints(kernel_size, rank), ints(padding, rank)
    step = ints(stride, rank) or kernel
    ones = (1,) * rank
    sums = windows(accumulate(self, dtype), kernel, step, pads, ones, ceil_mode, 0)
    total = sums.sum(axis=self.ndim - rank)
    if divisor_override is not None:
        return cast(total / divisor_override, dtype)
    inside: Array = np.ones(self.shape[-rank:])
    if count_include_pad:
        inside = pad_spatial(inside, pads, pads, 1)
        before, sizes = (0,) * rank, inside.shape
        ends = [(n - 1) * s + k for n, s, k in zip(total.shape[-rank:], step, kernel, strict=True)]
        inside = pad_spatial(
            inside, before, [max(0, e - n) for e, n in zip(ends, sizes, strict=True)], 0
        )
        parts = shifted(inside, kernel, step, ones, total.shape[-rank:])
        counts = sum(part for _, part in parts)
    else:
        counts = windows(inside, kernel, step, pads, ones, ceil_mode, 0).sum(axis=0)
    return cast(total / counts, dtype)


def adaptive_parts(value: Array, sizes: Sizes) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Cuts the last dimensions into parts from floor(i n / m) to ceil((i + 1) n / m)."""
    shape = value.shape[-len(sizes) :]
    for at in itertools.product(*(range(size) for size in sizes)):
        places = tuple(
            slice(i * n // m, -(-(i + 1) * n // m))
            for i, n, m in zip(at, shape, sizes, strict=True)
        )
        yield at, value[trailing(places)]
