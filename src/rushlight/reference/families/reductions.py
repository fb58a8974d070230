"""Reductions: sums, means, extrema, norms. Floats accumulate in float64."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import (
    Array,
    Number,
    Sizes,
    accumulate,
    axes_of,
    axis_of,
    cast,
    dtype_of,
    real_type,
    widen,
)
from ..promotion import category, float_type, integral_sum_type
from ..statistics import variance

Dims = int | Sizes | None


def sum_dim_IntList(
    self: Array, dim: Dims, keepdim: bool = False, *, dtype: str | None = None
) -> Array:
    out = integral_sum_type(self, dtype)
    values = accumulate(cast(self, out), out)
    return cast(values.sum(axis=axes_of(dim, self.ndim), keepdims=keepdim), out)


def sum_default(self: Array, *, dtype: str | None = None) -> Array:
    return sum_dim_IntList(self, None, dtype=dtype)


def nansum_default(
    self: Array, dim: Dims = None, keepdim: bool = False, *, dtype: str | None = None
) -> Array:
    if category(dtype_of(self)) < 2:
        return sum_dim_IntList(self, dim, keepdim, dtype=dtype)
    return sum_dim_IntList(
        cast(np.where(np.isnan(self), 0, self), dtype_of(self)), dim, keepdim, dtype=dtype
    )


def mean_dim(self: Array, dim: Dims, keepdim: bool = False, *, dtype: str | None = None) -> Array:
    out = dtype or dtype_of(self)
    if category(out) < 2:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point "
            f"or complex dtype. Got: {out}"
        )
    axes = axes_of(dim, self.ndim)
    count = math.prod(self.shape[axis] for axis in axes)
    total = accumulate(cast(self, out), out).sum(axis=axes, keepdims=keepdim)
    return cast(total / np.float64(count), out)


def mean_default(self: Array, *, dtype: str | None = None) -> Array:
    return mean_dim(self, None, dtype=dtype)


def nanmean_default(
    self: Array, dim: Dims = None, keepdim: bool = False, *, dtype: str | None = None
) -> Array:
    axes = axes_of(dim, self.ndim)
    out = dtype or dtype_of(self)
    present = np.sum(~np.isnan(np.asarray(self)), axis=axes, keepdims=keepdim)
    return cast(np.nansum(accumulate(self, out), axis=axes, keepdims=keepdim) / present, out)


def prod_dim_int(
    self: Array, dim: int, keepdim: bool = False, *, dtype: str | None = None
) -> Array:
    out = integral_sum_type(self, dtype)
    values = accumulate(cast(self, out), out)
    return cast(values.prod(axis=axes_of(dim, self.ndim), keepdims=keepdim), out)


def prod_default(self: Array, *, dtype: str | None = None) -> Array:
    out = integral_sum_type(self, dtype)
    return cast(accumulate(cast(self, out), out).prod(), out)


def all_dims(self: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    out = "uint8" if dtype_of(self) == "uint8" else "bool"
    return cast(np.all(self != 0, axis=axes_of(dim, self.ndim), keepdims=keepdim), out)


def all_dim(self: Array, dim: int, keepdim: bool = False) -> Array:
    return all_dims(self, dim, keepdim)


def all_default(self: Array) -> Array:
    return all_dims(self)


def any_dims(self: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    out = "uint8" if dtype_of(self) == "uint8" else "bool"
    return cast(np.any(self != 0, axis=axes_of(dim, self.ndim), keepdims=keepdim), out)


def any_dim(self: Array, dim: int, keepdim: bool = False) -> Array:
    return any_dims(self, dim, keepdim)


def any_default(self: Array) -> Array:
    return any_dims(self)


def count_nonzero_dim_IntList(self: Array, dim: Dims) -> Array:
    return cast(np.sum(self != 0, axis=axes_of(dim, self.ndim)), "int64")


def count_nonzero_default(self: Array, dim: int | None = None) -> Array:
    return count_nonzero_dim_IntList(self, dim)


def amax_default(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    """NaN wins."""
    value = np.max(np.asarray(self), axis=axes_of(dim, self.ndim), keepdims=keepdim)
    return cast(value, dtype_of(self))


def amin_default(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    value = np.min(np.asarray(self), axis=axes_of(dim, self.ndim), keepdims=keepdim)
    return cast(value, dtype_of(self))


def aminmax_default(
    self: Array, *, dim: int | None = None, keepdim: bool = False
) -> tuple[Array, Array]:
    return amin_default(self, dim, keepdim), amax_default(self, dim, keepdim)


def max_default(self: Array) -> Array:
    return amax_default(self)


def min_default(self: Array) -> Array:
    return amin_default(self)


def argmax_default(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    """The first of equal maxima; NaN is the largest."""
    axis = None if dim is None or self.ndim == 0 else axis_of(dim, self.ndim)
    keep = keepdim and self.ndim > 0
    return cast(np.argmax(self, axis=axis, keepdims=keep), "int64")


def argmin_default(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    axis = None if dim is None or self.ndim == 0 else axis_of(dim, self.ndim)
    keep = keepdim and self.ndim > 0
    return cast(np.argmin(self, axis=axis, keepdims=keep), "int64")


def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return amax_default(self, dim, keepdim), argmax_default(self, dim, keepdim)


def min_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return amin_default(self, dim, keepdim), argmin_default(self, dim, keepdim)


def logsumexp_default(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    dtype = float_type(self)
    axes = axes_of(dim, self.ndim)
    values = accumulate(self, dtype)
    if values.size == 0:
        return cast(np.log(np.sum(np.exp(values), axis=axes, keepdims=keepdim)), dtype)
    largest = np.max(values.real, axis=axes, keepdims=True)
    shift = np.where(np.isinf(largest), 0, largest)
    total = np.log(np.sum(np.exp(values - shift), axis=axes, keepdims=True)) + shift
    return cast(total if keepdim else total.reshape(np.max(values, axis=axes).shape), dtype)


def var_correction(
    self: Array, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> Array:
    """The sum of squares over (count - correction); correction is 1 unless given."""
    dtype = dtype_of(self)
    spread, _ = variance(self, dim, 1 if correction is None else correction, keepdim)
    return cast(spread, real_type(dtype))


def var_dim(self: Array, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> Array:
    return var_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def var_default(self: Array, unbiased: bool = True) -> Array:
    return var_correction(self, correction=int(unbiased))


def std_correction(
    self: Array, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> Array:
    spread, _ = variance(self, dim, 1 if correction is None else correction, keepdim)
    return cast(np.sqrt(spread), real_type(dtype_of(self)))


def std_dim(self: Array, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> Array:
    return std_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def std_default(self: Array, unbiased: bool = True) -> Array:
    return std_correction(self, correction=int(unbiased))


def var_mean_correction(
    self: Array, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> tuple[Array, Array]:
    spread, mean = variance(self, dim, 1 if correction is None else correction, keepdim)
    return cast(spread, real_type(dtype_of(self))), cast(mean, dtype_of(self))


def var_mean_dim(
    self: Array, dim: Dims, unbiased: bool = True, keepdim: bool = False
) -> tuple[Array, Array]:
    return var_mean_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def var_mean_default(self: Array, unbiased: bool = True) -> tuple[Array, Array]:
    return var_mean_correction(self, correction=int(unbiased))


def std_mean_correction(
    self: Array, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> tuple[Array, Array]:
    spread, mean = variance(self, dim, 1 if correction is None else correction, keepdim)
    return cast(np.sqrt(spread), real_type(dtype_of(self))), cast(mean, dtype_of(self))


def std_mean_dim(
    self: Array, dim: Dims, unbiased: bool = True, keepdim: bool = False
) -> tuple[Array, Array]:
    return std_mean_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def linalg_vector_norm_default(
    self: Array,
    ord: Number = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: str | None = None,
) -> Array:
    """(sum |x|^ord)^(1/ord); the extremes for +-inf, the count of nonzeros for 0."""
    out = dtype or float_type(self)
    axes = axes_of(dim, self.ndim)
    size = np.abs(accumulate(cast(self, out), out))
    if ord == math.inf:
        norm = np.max(size, axis=axes, keepdims=keepdim, initial=0.0)
    elif ord == -math.inf:
        norm = np.min(size, axis=axes, keepdims=keepdim)
    elif ord == 0:
        norm = np.sum(size != 0, axis=axes, keepdims=keepdim)
    else:
        norm = np.sum(size**ord, axis=axes, keepdims=keepdim) ** (1 / ord)
    return cast(norm, real_type(out))


def norm_ScalarOpt_dim(self: Array, p: Number | None, dim: Dims, keepdim: bool = False) -> Array:
    return linalg_vector_norm_default(self, 2 if p is None else p, dim, keepdim)


def norm_Scalar(self: Array, p: Number = 2) -> Array:
    return linalg_vector_norm_default(self, p)


def median_default(self: Array) -> Array:
    """The lower of the two middle values; NaN wins."""
    values = np.sort(self, axis=None)
    if category(dtype_of(self)) == 2 and values.size and np.isnan(values[-1]):
        return cast(values[-1], dtype_of(self))
    return cast(values[(values.size - 1) // 2], dtype_of(self))


def dist_default(self: Array, other: Array, p: Number = 2) -> Array:
    dtype = float_type(self, other)
    return linalg_vector_norm_default(cast(widen(self, dtype) - widen(other, dtype), dtype), p)


def trace_default(self: Array) -> Array:
    out = integral_sum_type(self, None)
    return cast(np.trace(accumulate(self, out)), out)
