"""New arrays."""

from __future__ import annotations

from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor, device, dtype
from rushlight._tensor import creation as _creation
from rushlight._tensor import functions as _functions

Device = device | str | None
Shape = int | tuple[int, ...]


def _shape(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def asarray(
    obj: Any, /, *, dtype: dtype | None = None, device: Device = None, copy: bool | None = None
) -> Tensor:
    """Numbers, nested sequences of them, buffers and arrays as an array; ``copy`` as in
    `rushlight.asarray`."""
    if copy is False and isinstance(obj, (bool, int, float, complex, list, tuple)):
        raise ValueError("asarray: copy=False, but numbers and sequences have to be copied")
    if copy is not False and isinstance(obj, (list, tuple)):
        obj = _without_arrays(obj)
    return _creation.asarray(obj, dtype=dtype, device=device, copy=copy)


def _without_arrays(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_without_arrays(part) for part in value]
    return value.tolist() if isinstance(value, Tensor) else value


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: dtype | None = None,
    device: Device = None,
) -> Tensor:
    """Numbers from ``start`` up to ``stop``, which is left out, ``step`` apart."""
    if stop is None:
        start, stop = 0, start
    if (step > 0 and stop < start) or (step < 0 and stop > start):
        whole = all(isinstance(v, int) for v in (start, stop, step))
        return ops.empty(0, dtype=dtype or (_C.int64 if whole else None), device=device)
    return ops.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """An array with any values."""
    return ops.empty(_shape(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """An array of the shape of ``x`` with any values."""
    return ops.empty_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: dtype | None = None,
    device: Device = None,
) -> Tensor:
    """Ones on the ``k``-th diagonal, zeros elsewhere."""
    out = zeros((n_rows, n_rows if n_cols is None else n_cols), dtype=dtype, device=device)
    if -out.shape[0] < k < out.shape[1]:
        out.diagonal(k).fill_(1)
    return out


def from_dlpack(x: Any, /, *, device: Device = None, copy: bool | None = None) -> Tensor:
    """An array over the memory of another library's."""
    return _creation.from_dlpack(x, device=device, copy=copy)


def full(
    shape: Shape, fill_value: complex, *, dtype: dtype | None = None, device: Device = None
) -> Tensor:
    """An array of one number."""
    return ops.full(_shape(shape), fill_value, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: complex, *, dtype: dtype | None = None, device: Device = None
) -> Tensor:
    """An array of one number, of the shape and dtype of ``x``."""
    return ops.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: dtype | None = None,
    device: Device = None,
    endpoint: bool = True,
) -> Tensor:
    """``num`` numbers in equal steps from ``start`` to ``stop``, which ``endpoint`` includes."""
    if isinstance(start, complex) or isinstance(stop, complex):
        real = linspace(complex(start).real, complex(stop).real, num, endpoint=endpoint)
        imag = linspace(complex(start).imag, complex(stop).imag, num, endpoint=endpoint)
        value = ops.complex(real, imag)
        return value if dtype is None else value.to(dtype)
    if not endpoint:
        return linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]
    if dtype is not None and not dtype.is_floating_point:
        return ops.linspace(start, stop, num, dtype=_C.float64, device=device).to(dtype)
    return ops.linspace(start, stop, num, dtype=dtype, device=device)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinates as arrays of the grid's shape."""
    return list(_functions.meshgrid(*arrays, indexing=indexing))


def ones(shape: Shape, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """An array of ones."""
    return ops.ones(_shape(shape), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """Ones of the shape of ``x``."""
    return ops.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices without what lies above the ``k``-th diagonal."""
    return ops.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices without what lies below the ``k``-th diagonal."""
    return ops.triu(x, k)


def zeros(shape: Shape, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """An array of zeros."""
    return ops.zeros(_shape(shape), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """Zeros of the shape of ``x``."""
    return ops.zeros_like(x, dtype=dtype, device=device)
