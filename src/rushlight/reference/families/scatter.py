"""Writing into a copy of a tensor at given places."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, Number, Sizes, accumulate, at_least_1d, axis_of, cast, copy_of, dtype_of
from ..indices import checked, places_along
from ..strided import strided
from . import views

_REDUCE = {
    "sum": np.add,
    "add": np.add,
    "prod": np.multiply,
    "multiply": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}
_IDENTITY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -np.inf, "amin": np.inf}


def scatter_src(self: Array, dim: int, index: Array, src: Array) -> Array:
    """out[index[i][j]][j] = src[i][j] for dim 0, and so on."""
    out = at_least_1d(np.array(self))
    if index.size:
        places = at_least_1d(index)
        source = at_least_1d(np.asarray(src))[tuple(slice(0, n) for n in places.shape)]
        out[places_along(out, axis_of(dim, self.ndim), places)] = source
    return cast(out.reshape(self.shape), dtype_of(self))


def scatter_value(self: Array, dim: int, index: Array, value: Number) -> Array:
    return scatter_src(self, dim, index, np.full(index.shape, value))


def scatter_reduce(self: Array, dim: int, index: Array, src: Array, *, reduce: str) -> Array:
    dtype = dtype_of(self)
    out = at_least_1d(np.array(accumulate(self, dtype)))
    if index.size:
        places = at_least_1d(index)
        source = at_least_1d(accumulate(src, dtype))[tuple(slice(0, n) for n in places.shape)]
        _REDUCE[reduce].at(out, places_along(out, axis_of(dim, self.ndim), places), source)
    return cast(out.reshape(self.shape), dtype)


def scatter_value_reduce(
    self: Array, dim: int, index: Array, value: Number, *, reduce: str
) -> Array:
    return scatter_reduce(self, dim, index, np.full(index.shape, value), reduce=reduce)


def scatter_add_default(self: Array, dim: int, index: Array, src: Array) -> Array:
    return scatter_reduce(self, dim, index, src, reduce="add")


def scatter_reduce_two(
    self: Array, dim: int, index: Array, src: Array, reduce: str, *, include_self: bool = True
) -> Array:
    """`reduce`: sum, prod, mean, amax or amin; `include_self` adds the old value to the group."""
    dtype = dtype_of(self)
    if index.size == 0:
        return cast(np.array(self), dtype)
    places = at_least_1d(index)
    out = at_least_1d(np.array(accumulate(self, dtype)))
    at = places_along(out, axis_of(dim, self.ndim), places)
    source = at_least_1d(accumulate(src, dtype))[tuple(slice(0, n) for n in places.shape)]
    hits = np.zeros(out.shape, dtype=np.int64)
    np.add.at(hits, at, 1)
    if not include_self:
        start = _IDENTITY[reduce]
        if np.isinf(start) and out.dtype.kind != "f":
            limits = np.iinfo(out.dtype)
            start = limits.min if start < 0 else limits.max
        out[hits > 0] = start
    _REDUCE["sum" if reduce == "mean" else reduce].at(out, at, source)
    if reduce == "mean":
        count = np.maximum(hits + (1 if include_self else 0), 1)
        out = out / count if out.dtype.kind == "f" else out // count
    return cast(out.reshape(self.shape), dtype)


def index_add_default(
    self: Array, dim: int, index: Array, source: Array, *, alpha: Number = 1
) -> Array:
    dtype = dtype_of(self)
    out = at_least_1d(np.array(accumulate(self, dtype)))
    axis = axis_of(dim, self.ndim)
    at: Any = (slice(None),) * axis + (checked(index, out.shape[axis]).reshape(-1),)
    addend = accumulate(source, dtype) * accumulate(alpha, dtype)
    np.add.at(out, at, at_least_1d(addend))
    return cast(out.reshape(self.shape), dtype)


def index_copy_default(self: Array, dim: int, index: Array, source: Array) -> Array:
    out = at_least_1d(np.array(self))
    axis = axis_of(dim, self.ndim)
    at = (slice(None),) * axis + (checked(index, out.shape[axis]).reshape(-1),)
    out[at] = at_least_1d(np.asarray(source))
    return cast(out.reshape(self.shape), dtype_of(self))


def index_fill_int_Scalar(self: Array, dim: int, index: Array, value: Number) -> Array:
    out = at_least_1d(np.array(self))
    axis = axis_of(dim, self.ndim)
    out[(slice(None),) * axis + (checked(index, out.shape[axis]).reshape(-1),)] = value
    return cast(out.reshape(self.shape), dtype_of(self))


def index_fill_int_Tensor(self: Array, dim: int, index: Array, value: Array) -> Array:
    return index_fill_int_Scalar(self, dim, index, value.item())


def select_scatter_default(self: Array, src: Array, dim: int, index: int) -> Array:
    out = copy_of(self)
    views.select_int(out, dim, index)[...] = src
    return cast(out, dtype_of(self))


def slice_scatter_default(
    self: Array,
    src: Array,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Array:
    out = copy_of(self)
    views.slice_Tensor(out, dim, start, end, step)[...] = src
    return cast(out, dtype_of(self))


def diagonal_scatter_default(
    self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Array:
    out = copy_of(self)
    views.diagonal_default(out, offset, dim1, dim2)[...] = src
    return cast(out, dtype_of(self))


def as_strided_scatter_default(
    self: Array, src: Array, size: Sizes, stride: Sizes, storage_offset: int | None = None
) -> Array:
    out = np.array(self, order="C", subok=True)
    strided(out, size, stride, storage_offset)[...] = src
    return cast(out, dtype_of(self))


def fill_diagonal__default(self: Array, fill_value: Number, wrap: bool = False) -> Array:
    """Only exists in place."""
    np.fill_diagonal(self, fill_value, wrap)
    return self
