"""Reductions and running sums."""

from __future__ import annotations

from collections.abc import Callable

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor, dtype

Axes = int | tuple[int, ...]


def axes_of(x: Tensor, axis: Axes | None) -> list[int]:
    """The dimensions that a reduction runs over."""
    if axis is None:
        return list(range(x.ndim))
    return [axis] if isinstance(axis, int) else list(axis)


def _reduced(
    operator: Callable[..., Tensor], x: Tensor, axis: Axes | None, keepdims: bool
) -> Tensor:
    axes = axes_of(x, axis)
    if not axes:  # no dimension at all, which PyTorch takes for all
        return operator(ops.unsqueeze(x, 0), [0], False)
    return operator(x, axes, keepdims)


def _one_by_one(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Several dimensions for an operator that takes one."""

    def function(x: Tensor, axes: list[int], keepdims: bool) -> Tensor:
        for axis in sorted({a % x.ndim for a in axes}, reverse=True):
            x = operator(x, axis, keepdims)
        return x

    return function


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest elements; NaN if there is one."""
    return _reduced(ops.amax, x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest elements; NaN if there is one."""
    return _reduced(ops.amin, x, axis, keepdims)


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The arithmetic means."""
    return _reduced(ops.mean, x, axis, keepdims)


def _summed(
    operator: Callable[..., Tensor],
    x: Tensor,
    axis: Axes | None,
    dtype: dtype | None,
    keepdims: bool,
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    out = _reduced(operator, x, axis, keepdims)
    return out if dtype is None else out.to(dtype)


def prod(
    x: Tensor, /, *, axis: Axes | None = None, dtype: dtype | None = None, keepdims: bool = False
) -> Tensor:
    """The products; of integers in int64 unless ``dtype`` is another."""
    return _summed(_one_by_one(ops.prod), x, axis, dtype, keepdims)


def sum(
    x: Tensor, /, *, axis: Axes | None = None, dtype: dtype | None = None, keepdims: bool = False
) -> Tensor:
    """The sums; of integers in int64 unless ``dtype`` is another."""
    return _summed(ops.sum, x, axis, dtype, keepdims)


def var(
    x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variances: squared deviations from the mean over their number less ``correction``."""
    return _reduced(
        lambda y, axes, keep: ops.var(y, axes, correction=correction, keepdim=keep),
        x, axis, keepdims,
    )  # fmt: skip


def std(
    x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The roots of the variances."""
    return ops.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, or other than zero."""
    return _reduced(_one_by_one(ops.all), x.to(_C.bool), axis, keepdims)


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether one of the elements is true, or other than zero."""
    return _reduced(_one_by_one(ops.any), x.to(_C.bool), axis, keepdims)


def _running(
    operator: Callable[..., Tensor],
    first: int,
    x: Tensor,
    axis: int | None,
    dtype: dtype | None,
    include_initial: bool,
) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise ValueError("expected an axis for an array of more than one dimension")
        axis = 0
    out = operator(x, axis, dtype=dtype)
    if not include_initial:
        return out
    shape = list(x.shape)
    shape[axis] = 1
    return ops.cat([ops.full(shape, first, dtype=out.dtype), out], axis)


def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: dtype | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Running sums along ``axis``, after a zero if ``include_initial``."""
    return _running(ops.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: dtype | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Running products along ``axis``, after a one if ``include_initial``."""
    return _running(ops.cumprod, 1, x, axis, dtype, include_initial)


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along ``axis``, ``n`` times."""
    return ops.diff(x, n, axis, prepend, append)
