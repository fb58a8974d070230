"""Copies and changes of type; devices and memory formats change no value."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Number, cast, copy_of, dtype_of


def clone_default(self: Array, *, memory_format: object = None) -> Array:
    return copy_of(self)


def contiguous_default(self: Array, *, memory_format: object = None) -> Array:
    return self if self.flags.c_contiguous else np.array(self, order="C", subok=True)


def lift_fresh_copy_default(self: Array) -> Array:
    return copy_of(self)


def detach_copy_default(self: Array) -> Array:
    return copy_of(self)


def _to_copy_default(self: Array, *, dtype: str | None = None, **placement: object) -> Array:
    return copy_of(cast(self, dtype or dtype_of(self)))


def to_dtype(
    self: Array,
    dtype: str,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: object = None,
) -> Array:
    return _to_copy_default(self, dtype=dtype) if copy else cast(self, dtype)


def to_dtype_layout(
    self: Array, *, dtype: str | None = None, copy: bool = False, **placement: object
) -> Array:
    return to_dtype(self, dtype or dtype_of(self), copy=copy)


def to_device(
    self: Array,
    device: object,
    dtype: str,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: object = None,
) -> Array:
    return to_dtype(self, dtype, copy=copy)


def to_other(
    self: Array,
    other: Array,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: object = None,
) -> Array:
    return to_dtype(self, dtype_of(other), copy=copy)


def type_as_default(self: Array, other: Array) -> Array:
    return cast(self, dtype_of(other))


def copy_default(self: Array, src: Array, non_blocking: bool = False) -> Array:
    """`src` broadcast to the sizes of `self` and converted to its type."""
    out = np.empty(self.shape, dtype=self.dtype)
    out[...] = cast(src, dtype_of(self))
    return cast(out, dtype_of(self))


def fill_Scalar(self: Array, value: Number) -> Array:
    return cast(np.full(self.shape, value), dtype_of(self))


def fill_Tensor(self: Array, value: Array) -> Array:
    return copy_default(self, value)


def zero_default(self: Array) -> Array:
    return fill_Scalar(self, 0)


def set_data_default(self: Array, new_data: Array) -> None:
    self[...] = new_data


def item_default(self: Array) -> Number:
    number: Number = self.item()
    return number


def _local_scalar_dense_default(self: Array) -> Number:
    return item_default(self)


def is_nonzero_default(self: Array) -> bool:
    return bool(self.item())
