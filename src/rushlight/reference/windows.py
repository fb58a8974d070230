"""What convolutions and poolings share: windows over the last dimensions of a tensor."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .arrays import Array, Sizes, trailing


def pad_spatial(value: Array, before: Sizes, after: Sizes, fill: float) -> Array:
    """Pads the last ``len(before)`` dimensions."""
    widths = [(0, 0)] * (value.ndim - len(before)) + list(zip(before, after, strict=True))
    return np.asarray(np.pad(value, widths, constant_values=fill))


def window_count(size: int, kernel: int, stride: int, dilation: int) -> int:
    """How many windows fit into `size` padded elements."""
    return (size - dilation * (kernel - 1) - 1) // stride + 1


def shifted(
    value: Array, kernel: Sizes, stride: Sizes, dilation: Sizes, counts: Sizes
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """For every offset inside the window, the elements which all windows have there."""
    for offset in itertools.product(*(range(k) for k in kernel)):
        places = tuple(
            slice(o * d, o * d + (n - 1) * s + 1, s)
            for o, d, n, s in zip(offset, dilation, counts, stride, strict=True)
        )
        yield offset, value[trailing(places)]


def convolution(
    data: Array, filters: Array, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Array:
    """data (N, groups, C, *spatial), filters (groups, O, C, *kernel) -> (N, groups, O, *out)."""
    kernel = filters.shape[3:]
    padded = pad_spatial(data, padding, padding, 0)
    counts = [
        window_count(*sizes)
        for sizes in zip(padded.shape[3:], kernel, stride, dilation, strict=True)
    ]
    if min(counts, default=1) < 0 or (0 in counts and 0 not in padded.shape[3:]):
        raise RuntimeError(
            f"Calculated padded input size per channel: {padded.shape[3:]}. Kernel size: {kernel}. "
            "Kernel size can't be greater than actual input size"
        )
    out = np.zeros((*data.shape[:2], filters.shape[1], *counts), dtype=data.dtype)
    for offset, part in shifted(padded, kernel, stride, dilation, counts):
        taps = filters[trailing(offset)]  # (groups, O, C)
        columns = part.reshape(*part.shape[:3], -1)  # (N, groups, C, windows)
        out += (taps @ columns).reshape(out.shape)
    return out


def transposed_convolution(
    data: Array,
    filters: Array,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    output_padding: Sizes,
) -> Array:
    """data (N, groups, C, *spatial), filters (groups, C, O, *kernel) -> (N, groups, O, *out).

    Every input element adds its multiple of the kernel to the output.
    """
    kernel, counts = filters.shape[3:], data.shape[3:]
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 + extra
        for n, s, d, k, extra in zip(counts, stride, dilation, kernel, output_padding, strict=True)
    ]
    out = np.zeros((*data.shape[:2], filters.shape[2], *sizes), dtype=data.dtype)
    columns = data.reshape(*data.shape[:3], -1)  # (N, groups, C, elements)
    for offset, view in shifted(out, kernel, stride, dilation, counts):
        taps = filters[trailing(offset)].swapaxes(1, 2)  # (groups, O, C)
        view[...] += (taps @ columns).reshape(view.shape)
    inside = tuple(slice(p, n - p) for n, p in zip(sizes, padding, strict=True))
    return np.asarray(out[trailing(inside)])
