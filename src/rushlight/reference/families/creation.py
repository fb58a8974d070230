"""New tensors from sizes and numbers. Layout, device and memory placement change no value."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, Number, Sizes, cast, dtype_of, is_floating
from ..promotion import DEFAULT_FLOAT, number_type


def full_default(
    size: Sizes, fill_value: Number, *, dtype: str | None = None, **placement: object
) -> Array:
    return cast(np.full(tuple(size), fill_value), dtype or number_type(fill_value))


def zeros_default(size: Sizes, *, dtype: str | None = None, **placement: object) -> Array:
    return full_default(size, 0, dtype=dtype or DEFAULT_FLOAT)


def ones_default(size: Sizes, *, dtype: str | None = None, **placement: object) -> Array:
    return full_default(size, 1, dtype=dtype or DEFAULT_FLOAT)


def empty_memory_format(size: Sizes, *, dtype: str | None = None, **placement: object) -> Array:
    """Any values would do; these are zeros."""
    return zeros_default(size, dtype=dtype)


def empty_permuted_default(
    size: Sizes, physical_layout: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return zeros_default(size, dtype=dtype)


def empty_strided_default(
    size: Sizes, stride: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return zeros_default(size, dtype=dtype)


def full_like_default(
    self: Array, fill_value: Number, *, dtype: str | None = None, **placement: object
) -> Array:
    return full_default(self.shape, fill_value, dtype=dtype or dtype_of(self))


def zeros_like_default(self: Array, *, dtype: str | None = None, **placement: object) -> Array:
    return full_like_default(self, 0, dtype=dtype)


def ones_like_default(self: Array, *, dtype: str | None = None, **placement: object) -> Array:
    return full_like_default(self, 1, dtype=dtype)


def empty_like_default(self: Array, *, dtype: str | None = None, **placement: object) -> Array:
    return full_like_default(self, 0, dtype=dtype)


def new_full_default(
    self: Array, size: Sizes, fill_value: Number, *, dtype: str | None = None, **placement: object
) -> Array:
    return full_default(size, fill_value, dtype=dtype or dtype_of(self))


def new_zeros_default(
    self: Array, size: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return new_full_default(self, size, 0, dtype=dtype)


def new_ones_default(
    self: Array, size: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return new_full_default(self, size, 1, dtype=dtype)


def new_empty_default(
    self: Array, size: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return new_full_default(self, size, 0, dtype=dtype)


def new_empty_strided_default(
    self: Array, size: Sizes, stride: Sizes, *, dtype: str | None = None, **placement: object
) -> Array:
    return new_full_default(self, size, 0, dtype=dtype)


def scalar_tensor_default(s: Number, *, dtype: str | None = None, **placement: object) -> Array:
    return cast(s, dtype or DEFAULT_FLOAT)


def arange_start_step(
    start: Number, end: Number, step: Number = 1, *, dtype: str | None = None, **placement: object
) -> Array:
    """start, start + step, … up to but without end."""
    whole = all(isinstance(x, int) for x in (start, end, step))
    out = dtype or ("int64" if whole else DEFAULT_FLOAT)
    if not is_floating(out):
        start, end, step = int(start.real), int(end.real), int(step.real)
    count = math.ceil((end.real - start.real) / step.real)
    if count < 0:
        raise RuntimeError(
            "upper bound and lower bound inconsistent with step sign: "
            f"start {start}, end {end}, step {step}"
        )
    return cast(start + np.arange(count) * step, out)


def arange_start(
    start: Number, end: Number, *, dtype: str | None = None, **placement: object
) -> Array:
    return arange_start_step(start, end, dtype=dtype)


def arange_default(end: Number, *, dtype: str | None = None, **placement: object) -> Array:
    return arange_start_step(0, end, dtype=dtype)


def linspace_default(
    start: Number, end: Number, steps: int, *, dtype: str | None = None, **placement: object
) -> Array:
    return cast(np.linspace(start, end, steps), dtype or DEFAULT_FLOAT)


def logspace_default(
    start: Number,
    end: Number,
    steps: int,
    base: float = 10.0,
    *,
    dtype: str | None = None,
    **placement: object,
) -> Array:
    return cast(np.power(base, np.linspace(start, end, steps)), dtype or DEFAULT_FLOAT)


def eye_m(n: int, m: int, *, dtype: str | None = None, **placement: object) -> Array:
    return cast(np.eye(n, m), dtype or DEFAULT_FLOAT)


def eye_default(n: int, *, dtype: str | None = None, **placement: object) -> Array:
    return eye_m(n, n, dtype=dtype)


def tril_indices_default(
    row: int, col: int, offset: int = 0, *, dtype: str | None = "int64", **placement: object
) -> Array:
    return cast(np.stack(np.tril_indices(row, offset, col)), dtype or "int64")


def triu_indices_default(
    row: int, col: int, offset: int = 0, *, dtype: str | None = "int64", **placement: object
) -> Array:
    return cast(np.stack(np.triu_indices(row, offset, col)), dtype or "int64")


def vander_default(x: Array, N: int | None = None, increasing: bool = False) -> Array:
    return cast(np.vander(x, N, increasing), "int64" if x.dtype.kind in "biu" else dtype_of(x))


def one_hot_default(self: Array, num_classes: int = -1) -> Array:
    classes = int(self.max()) + 1 if num_classes == -1 else num_classes
    return cast(self[..., None] == np.arange(classes), "int64")


def hann_window_periodic(
    window_length: int, periodic: bool, *, dtype: str | None = None, **placement: object
) -> Array:
    length = window_length + 1 if periodic and window_length > 1 else window_length
    return cast(np.hanning(length)[:window_length], dtype or DEFAULT_FLOAT)


def hann_window_default(
    window_length: int, *, dtype: str | None = None, **placement: object
) -> Array:
    return hann_window_periodic(window_length, True, dtype=dtype)
