"""Searching, sorting, sets, and taking by index."""

from __future__ import annotations

from typing import NamedTuple

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor

from .dtypes import common
from .statistical import sum as _sum


class UniqueAll(NamedTuple):
    """Results of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Results of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Results of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest elements are, the first of equal ones."""
    return ops.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest elements are, the first of equal ones."""
    return ops.argmin(x, axis, keepdims)


def count_nonzero(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Tensor:
    """How many elements are not zero."""
    return _sum(x != 0, axis=axis, keepdims=keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The places of elements that are not zero, a vector for each dimension."""
    if x.ndim == 0:
        raise ValueError("nonzero: expected an array with dimensions")
    return tuple(ops.unbind(ops.nonzero(x), 1))


def searchsorted(
    x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where ``x2`` would be inserted into the sorted ``x1``."""
    x1, x2 = common(x1, x2)
    return ops.searchsorted(x1, x2.contiguous(), right=side == "right", sorter=sorter)


def where(condition: Tensor, x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """``x1`` where the condition holds, ``x2`` elsewhere."""
    return ops.where(condition, *common(x1, x2))


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The order in which the elements are sorted."""
    return ops.argsort(x, stable=stable, dim=axis, descending=descending)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along ``axis``."""
    return ops.sort(x, stable=stable, dim=axis, descending=descending)[0]


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices along ``axis`` at ``indices``."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError("take: expected an axis for an array of more than one dimension")
        axis = 0
    axis %= x.ndim
    taken = ops.index_select(x, axis, ops.where(indices < 0, indices + x.shape[axis], indices)
                             .flatten().to(_C.int64))  # fmt: skip
    return taken.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements along ``axis`` at ``indices``, which has as many dimensions as ``x``."""
    size = x.shape[axis]
    indices = indices.to(_C.int64)
    return ops.take_along_dim(x, ops.where(indices < 0, indices + size, indices), axis)


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different elements in order, where each comes first, which of them each element is, and
    how often each comes. NaNs are all different."""
    flat = x.flatten()
    order = ops.argsort(flat, stable=True)
    ordered = ops.index_select(flat, 0, order)
    new = ops.ones(flat.shape, dtype=_C.bool)
    if flat.numel() > 1:
        new[1:] = ordered[1:] != ordered[:-1]
    starts = ops.nonzero(new).flatten()
    inverse = ops.empty_like(order)
    inverse[order] = ops.cumsum(new, 0) - 1
    ends = ops.cat([starts[1:], ops.full((1,), flat.numel(), dtype=_C.int64)])
    counts = ends - starts if flat.numel() else starts
    return UniqueAll(
        ops.index_select(ordered, 0, starts),
        ops.index_select(order, 0, starts),
        inverse.reshape(x.shape),
        counts,
    )


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different elements in order, and how often each comes."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different elements in order, and which of them each element is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The different elements in order."""
    return unique_all(x).values
