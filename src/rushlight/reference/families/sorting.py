"""Sorting, selecting by rank, searching, counting. NaN is larger than every number."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..arrays import Array, Number, at_least_1d, axis_of, cast, copy_of, dtype_of, widen
from ..order import stable_order, unique_rows


def sort_stable(
    self: Array, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Array, Array]:
    values = at_least_1d(self)
    axis = axis_of(dim, self.ndim)
    order = stable_order(values, axis, descending)
    ordered = np.take_along_axis(values, order, axis)
    return cast(ordered.reshape(self.shape), dtype_of(self)), order.reshape(self.shape)


def sort_default(self: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    return sort_stable(self, stable=False, dim=dim, descending=descending)


def argsort_default(self: Array, dim: int = -1, descending: bool = False) -> Array:
    return sort_default(self, dim, descending)[1]


def argsort_stable(self: Array, *, stable: bool, dim: int = -1, descending: bool = False) -> Array:
    return sort_default(self, dim, descending)[1]


def msort_default(self: Array) -> Array:
    return sort_default(self, 0)[0]


def topk_default(
    self: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Array, Array]:
    if self.ndim == 0:
        return copy_of(self), np.zeros((), dtype=np.int64)
    axis = axis_of(dim, self.ndim)
    if not 0 <= k <= self.shape[axis]:
        raise RuntimeError("selected index k out of range")
    values, order = sort_default(self, dim, descending=largest)
    first = (slice(None),) * axis + (slice(0, k),)
    return values[first], order[first]


def kthvalue_default(
    self: Array, k: int, dim: int = -1, keepdim: bool = False
) -> tuple[Array, Array]:
    """The k-th smallest, counted from 1."""
    if self.ndim == 0:
        return copy_of(self), np.zeros((), dtype=np.int64)
    axis = axis_of(dim, self.ndim)
    values, order = sort_default(self, dim)
    at = (slice(None),) * axis + ((slice(k - 1, k) if keepdim else k - 1), Ellipsis)
    return values[at], order[at]


def median_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    """The lower of the two middle values; the first NaN where there is one."""
    if self.ndim == 0:
        return copy_of(self), np.zeros((), dtype=np.int64)
    axis = axis_of(dim, self.ndim)
    plain = np.asarray(self)
    middle, places = kthvalue_default(plain, (self.shape[axis] + 1) // 2, dim, True)
    missing = np.isnan(plain)
    broken = missing.any(axis=axis, keepdims=True)
    places = np.where(broken, missing.argmax(axis=axis, keepdims=True), places)
    middle = np.take_along_axis(plain, places, axis)
    if not keepdim:
        middle, places = middle.squeeze(axis), places.squeeze(axis)
    return cast(middle, dtype_of(self)), places


def mode_default(self: Array, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """The most frequent value, the smallest of equally frequent ones, and its last place."""
    values = np.moveaxis(at_least_1d(np.asarray(self)), axis_of(dim, self.ndim), -1)
    found = np.empty(values.shape[:-1], dtype=values.dtype)
    places = np.empty(values.shape[:-1], dtype=np.int64)
    for at in np.ndindex(values.shape[:-1]):
        distinct, counts = np.unique(values[at], return_counts=True)
        found[at] = distinct[np.argmax(counts)]
        places[at] = np.flatnonzero(values[at] == found[at])[-1]
    if keepdim and self.ndim:
        axis = axis_of(dim, self.ndim)
        found, places = np.expand_dims(found, axis), np.expand_dims(places, axis)
    return cast(found, dtype_of(self)), places


def searchsorted_Tensor(
    sorted_sequence: Array,
    self: Array,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Array | None = None,
) -> Array:
    """Where to insert each value to keep every row sorted; `right` goes behind equal ones."""
    rows = np.asarray(sorted_sequence)
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter, -1)
    right = right or side == "right"
    where: Literal["left", "right"] = "right" if right else "left"
    out = np.empty(self.shape, dtype=np.int32 if out_int32 else np.int64)
    if rows.ndim == 1:
        out[...] = np.searchsorted(rows, np.asarray(self), where)
        return out
    for at in np.ndindex(rows.shape[:-1]):
        out[at] = np.searchsorted(rows[at], np.asarray(self)[at], where)
    return out


def searchsorted_Scalar(
    sorted_sequence: Array,
    self: Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Array | None = None,
) -> Array:
    return searchsorted_Tensor(
        sorted_sequence, cast(self, dtype_of(sorted_sequence)),
        out_int32=out_int32, right=right, side=side, sorter=sorter,
    )  # fmt: skip


def bucketize_Tensor(
    self: Array, boundaries: Array, *, out_int32: bool = False, right: bool = False
) -> Array:
    return searchsorted_Tensor(boundaries, self, out_int32=out_int32, right=right)


def bucketize_Scalar(
    self: Number, boundaries: Array, *, out_int32: bool = False, right: bool = False
) -> Array:
    return searchsorted_Scalar(boundaries, self, out_int32=out_int32, right=right)


def _unique2_default(
    self: Array, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Array, Array, Array]:
    """Distinct values in order; what was not asked for is an empty tensor."""
    values, inverse, counts = np.unique(
        np.asarray(self), return_inverse=True, return_counts=True, equal_nan=False
    )
    nothing = np.zeros(0, dtype=np.int64)
    return (
        cast(values, dtype_of(self)),
        inverse.reshape(self.shape) if return_inverse else nothing,
        counts if return_counts else nothing,
    )


def unique_dim_default(
    self: Array,
    dim: int,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> tuple[Array, Array, Array]:
    values, inverse, counts = np.unique(
        np.asarray(self), return_inverse=True, return_counts=True, axis=axis_of(dim, self.ndim)
    )
    nothing = np.zeros(0, dtype=np.int64)
    return (
        cast(values, dtype_of(self)),
        inverse.reshape(-1) if return_inverse else nothing,
        counts if return_counts else nothing,
    )


def unique_consecutive_default(
    self: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[Array, Array, Array]:
    """Only equal neighbours become one."""
    values = np.asarray(self).reshape(-1) if dim is None else np.moveaxis(self, dim, 0)
    keep, inverse, counts = unique_rows(values)
    kept = values[keep] if dim is None else np.moveaxis(values[keep], 0, dim)
    nothing = np.zeros(0, dtype=np.int64)
    return (
        cast(kept, dtype_of(self)),
        (inverse.reshape(self.shape) if dim is None else inverse) if return_inverse else nothing,
        counts if return_counts else nothing,
    )


def bincount_default(self: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    if weights is None:
        return cast(np.bincount(self, minlength=minlength), "int64")
    dtype = "float32" if dtype_of(weights) == "float32" else "float64"
    return cast(np.bincount(self, weights, minlength), dtype)


def histc_default(self: Array, bins: int = 100, min: Number = 0, max: Number = 0) -> Array:
    """Counts in equal bins; min = max takes the range from the data."""
    values = widen(self, dtype_of(self))
    low, high = float(min.real), float(max.real)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    counts, _ = np.histogram(values, bins, (low, high))
    return cast(counts, dtype_of(self))


def isin_Tensor_Tensor(
    elements: Array, test_elements: Array, *, assume_unique: bool = False, invert: bool = False
) -> Array:
    return np.isin(elements, test_elements, invert=invert)
