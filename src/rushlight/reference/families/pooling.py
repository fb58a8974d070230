"""Poolings over windows, and adaptive ones over equal parts."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Sizes, accumulate, cast, dtype_of, ints, trailing
from ..pools import adaptive_parts, average_pool, maximum_pool

TwoArrays = tuple[Array, Array]
Size = int | Sizes


def max_pool2d_with_indices_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> TwoArrays:
    """The indices are places in the flattened image."""
    return maximum_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> TwoArrays:
    return maximum_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_with_indices_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> TwoArrays:
    return maximum_pool(self, 1, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> Array:
    return maximum_pool(self, 1, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool2d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> Array:
    return maximum_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool3d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
) -> Array:
    return maximum_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode)[0]


def avg_pool1d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    return average_pool(self, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    return average_pool(
        self, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d_default(
    self: Array,
    kernel_size: Size,
    stride: Size = (),
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    return average_pool(
        self, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_avg_pool1d_default(self: Array, output_size: Size) -> Array:
    dtype = dtype_of(self)
    sizes = ints(output_size, 1)
    out = np.empty((*self.shape[:-1], *sizes))
    for at, part in adaptive_parts(accumulate(self, dtype), sizes):
        out[trailing(at)] = part.mean(axis=-1)
    return cast(out, dtype)


def adaptive_avg_pool2d_default(self: Array, output_size: Size) -> Array:
    dtype = dtype_of(self)
    sizes = ints(output_size, 2)
    out = np.empty((*self.shape[:-2], *sizes))
    for at, part in adaptive_parts(accumulate(self, dtype), sizes):
        out[trailing(at)] = part.mean(axis=(-2, -1))
    return cast(out, dtype)


def _adaptive_avg_pool2d_default(self: Array, output_size: Size) -> Array:
    return adaptive_avg_pool2d_default(self, output_size)


def adaptive_avg_pool3d_default(self: Array, output_size: Size) -> Array:
    dtype = dtype_of(self)
    sizes = ints(output_size, 3)
    out = np.empty((*self.shape[:-3], *sizes))
    for at, part in adaptive_parts(accumulate(self, dtype), sizes):
        out[trailing(at)] = part.mean(axis=(-3, -2, -1))
    return cast(out, dtype)


def _adaptive_avg_pool3d_default(self: Array, output_size: Size) -> Array:
    return adaptive_avg_pool3d_default(self, output_size)


def adaptive_max_pool1d_default(self: Array, output_size: Size) -> TwoArrays:
    values, places = adaptive_max_pool2d_default(self[..., None, :], (1, *ints(output_size, 1)))
    return values[..., 0, :], places[..., 0, :]


def adaptive_max_pool2d_default(self: Array, output_size: Size) -> TwoArrays:
    plain = np.asarray(self)
    sizes = ints(output_size, 2)
    out: Array = np.empty((*self.shape[:-2], *sizes), dtype=plain.dtype)
    places: Array = np.empty(out.shape, dtype=np.int64)
    numbers: Array = np.arange(plain.shape[-2] * plain.shape[-1]).reshape(plain.shape[-2:])
    named = adaptive_parts(numbers, sizes)
    for (at, part), (_, names) in zip(adaptive_parts(plain, sizes), named, strict=True):
        flat = part.reshape(*part.shape[:-2], -1)
        best = flat.argmax(axis=-1)
        out[trailing(at)] = np.take_along_axis(flat, best[..., None], -1)[..., 0]
        places[trailing(at)] = names.reshape(-1)[best]
    return cast(out, dtype_of(self)), places


def max_unpool2d_default(self: Array, indices: Array, output_size: Sizes) -> Array:
    """Puts every value back at its place in the flattened image; elsewhere 0."""
    flat = np.asarray(self).reshape(-1, self.shape[-2] * self.shape[-1])
    out = np.zeros((len(flat), output_size[0] * output_size[1]), dtype=flat.dtype)
    np.put_along_axis(out, indices.reshape(flat.shape), flat, axis=1)
    return cast(out.reshape(*self.shape[:-2], *output_size), dtype_of(self))
