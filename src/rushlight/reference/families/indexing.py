"""Picking elements by index or mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array, Number, Operand, at_least_1d, axis_of, cast, dtype_of
from ..indices import checked, indexer, places_along
from ..promotion import result_type


def index_Tensor(self: Array, indices: Sequence[Array | None]) -> Array:
    picked: Array = self[indexer(self, indices)]
    return picked


def _unsafe_index_Tensor(self: Array, indices: Sequence[Array | None]) -> Array:
    return index_Tensor(self, indices)


def index_put_default(
    self: Array, indices: Sequence[Array | None], values: Array, accumulate: bool = False
) -> Array:
    """A copy with the chosen elements replaced, or added to."""
    out = np.array(self)
    if accumulate:
        np.add.at(out, indexer(self, indices), np.asarray(values))
    else:
        out[indexer(self, indices)] = values
    return cast(out, dtype_of(self))


def _unsafe_index_put_default(
    self: Array, indices: Sequence[Array | None], values: Array, accumulate: bool = False
) -> Array:
    return index_put_default(self, indices, values, accumulate)


def _index_put_impl_default(
    self: Array,
    indices: Sequence[Array | None],
    values: Array,
    accumulate: bool = False,
    unsafe: bool = False,
) -> Array:
    return index_put_default(self, indices, values, accumulate)


def index_select_default(self: Array, dim: int, index: Array) -> Array:
    axis = axis_of(dim, self.ndim)
    value = at_least_1d(self)
    picked = value[(slice(None),) * axis + (checked(index, value.shape[axis]).reshape(-1),)]
    return picked.reshape(self.shape) if self.ndim == 0 else picked


def gather_default(self: Array, dim: int, index: Array, *, sparse_grad: bool = False) -> Array:
    """out[i][j] = self[index[i][j]][j] for dim 0, and so on."""
    if index.size == 0:
        return cast(np.empty(index.shape, dtype=self.dtype), dtype_of(self))
    value, places = at_least_1d(self), at_least_1d(index)
    return value[places_along(value, axis_of(dim, self.ndim), places)].reshape(index.shape)


def take_along_dim_default(self: Array, indices: Array, dim: int | None = None) -> Array:
    if dim is None:
        return self.reshape(-1)[indices.reshape(-1)]
    axis = axis_of(dim, self.ndim)
    shapes = [[1 if i == axis else n for i, n in enumerate(a.shape)] for a in (self, indices)]
    common = list(np.broadcast_shapes(*map(tuple, shapes)))
    sides = [[*common[:axis], a.shape[axis], *common[axis + 1 :]] for a in (self, indices)]
    source = np.broadcast_to(self, sides[0], subok=True)
    return gather_default(source, axis, np.broadcast_to(indices, sides[1]))


def take_default(self: Array, index: Array) -> Array:
    """Elements of the flattened tensor."""
    return self.reshape(-1)[checked(index, self.size)]


def put_default(self: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    flat = self.reshape(-1)
    return index_put_default(
        flat, [index.reshape(-1)], source.reshape(-1), accumulate
    ).reshape(self.shape)  # fmt: skip


def masked_select_default(self: Array, mask: Array) -> Array:
    value, chosen = np.broadcast_arrays(self, mask, subok=True)
    picked: Array = value[chosen]
    return picked


def masked_fill_Scalar(self: Array, mask: Array, value: Number) -> Array:
    dtype = dtype_of(self)
    return cast(np.where(mask, np.asarray(cast(value, dtype)), np.asarray(self)), dtype)


def masked_fill_Tensor(self: Array, mask: Array, value: Array) -> Array:
    dtype = dtype_of(self)
    return cast(np.where(mask, np.asarray(cast(value, dtype)), np.asarray(self)), dtype)


def masked_scatter_default(self: Array, mask: Array, source: Array) -> Array:
    """Puts the elements of `source`, in order, where the mask is true."""
    chosen = np.broadcast_to(mask, np.broadcast_shapes(self.shape, mask.shape))
    out = np.broadcast_to(self, chosen.shape).copy()
    out[chosen] = source.reshape(-1)[: int(chosen.sum())]
    return cast(out, dtype_of(self))


def where_self(condition: Array, self: Operand, other: Operand) -> Array:
    dtype = result_type(self, other)
    a, b = np.asarray(cast(self, dtype)), np.asarray(cast(other, dtype))
    return cast(np.where(condition, a, b), dtype)


def where_ScalarOther(condition: Array, self: Array, other: Number) -> Array:
    return where_self(condition, self, other)


def where_ScalarSelf(condition: Array, self: Number, other: Array) -> Array:
    return where_self(condition, self, other)


def where_Scalar(condition: Array, self: Number, other: Number) -> Array:
    return where_self(condition, self, other)


def where_default(condition: Array) -> list[Array]:
    return [cast(places, "int64") for places in np.nonzero(at_least_1d(condition))]


def nonzero_default(self: Array) -> Array:
    """The places of all elements that are not zero, one a row."""
    places: Any = np.argwhere(np.asarray(self) != 0)
    return cast(places, "int64")


def nonzero_numpy_default(self: Array) -> list[Array]:
    return where_default(self)


def argwhere_default(self: Array) -> Array:
    return nonzero_default(self)
