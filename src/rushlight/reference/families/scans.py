"""Running sums, products and extrema along one dimension."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, accumulate, at_least_1d, axis_of, cast, dtype_of, widen
from ..joining import join
from ..promotion import category, integral_sum_type
from ..scalars import logaddexp


def cumsum_default(self: Array, dim: int, *, dtype: str | None = None) -> Array:
    out = integral_sum_type(self, dtype)
    values = at_least_1d(accumulate(cast(self, out), out))
    return cast(np.cumsum(values, axis=axis_of(dim, self.ndim)), out).reshape(self.shape)


def cumprod_default(self: Array, dim: int, *, dtype: str | None = None) -> Array:
    out = integral_sum_type(self, dtype)
    values = at_least_1d(accumulate(cast(self, out), out))
    return cast(np.cumprod(values, axis=axis_of(dim, self.ndim)), out).reshape(self.shape)


def logcumsumexp_default(self: Array, dim: int) -> Array:
    values = np.moveaxis(at_least_1d(accumulate(self, dtype_of(self))), axis_of(dim, self.ndim), 0)
    result = values.copy()
    for i in range(1, len(values)):
        result[i] = logaddexp(result[i - 1], values[i])
    moved = np.moveaxis(result, 0, axis_of(dim, self.ndim))
    return cast(moved, dtype_of(self)).reshape(self.shape)


def cummax_default(self: Array, dim: int) -> tuple[Array, Array]:
    """The largest value so far and the last place where it stood; NaN wins."""
    values = np.moveaxis(at_least_1d(np.asarray(self)), axis_of(dim, self.ndim), 0)
    best = values.copy()
    places = np.zeros(values.shape, dtype=np.int64)
    for i in range(1, len(values)):
        better = (values[i] >= best[i - 1]) | (values[i] != values[i])
        best[i] = np.where(better, values[i], best[i - 1])
        places[i] = np.where(better, i, places[i - 1])
    axis = axis_of(dim, self.ndim)
    return (
        cast(np.moveaxis(best, 0, axis), dtype_of(self)).reshape(self.shape),
        np.moveaxis(places, 0, axis).reshape(self.shape),
    )


def cummin_default(self: Array, dim: int) -> tuple[Array, Array]:
    dtype = dtype_of(self)
    if dtype == "bool":
        values, places = cummax_default(~self, dim)
        return ~values, places
    flipped = ~self if category(dtype) == 1 else cast(-widen(self, dtype), dtype)
    values, places = cummax_default(flipped, dim)
    back = ~values if category(dtype) == 1 else cast(-widen(values, dtype), dtype)
    return back, places


def diff_default(
    self: Array,
    n: int = 1,
    dim: int = -1,
    prepend: Array | None = None,
    append: Array | None = None,
) -> Array:
    """Differences of neighbours, taken n times."""
    axis = axis_of(dim, self.ndim)
    value = join([part for part in (prepend, self, append) if part is not None], axis)
    dtype = dtype_of(value)
    plain = widen(value, dtype)
    for _ in range(min(n, plain.shape[axis])):
        plain = widen(cast(np.diff(plain, axis=axis), dtype), dtype)
    return cast(plain, dtype)
