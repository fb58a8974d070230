"""Functions of dtypes, and the standard's promotion: 0-d arrays count like all others."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor, device, dtype
from rushlight._tensor.limits import finfo as _finfo
from rushlight._tensor.limits import iinfo as _iinfo

_SIGNED = (_C.int8, _C.int16, _C.int32, _C.int64)
_UNSIGNED = (_C.uint8,)
_REAL = (_C.float32, _C.float64)
_COMPLEX = (_C.complex64, _C.complex128)
KINDS: dict[str, tuple[dtype, ...]] = {
    "bool": (_C.bool,),
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": _SIGNED + _UNSIGNED,
    "real floating": _REAL,
    "complex floating": _COMPLEX,
    "numeric": _SIGNED + _UNSIGNED + _REAL + _COMPLEX,
}


def common(*values: Any) -> tuple[Any, ...]:
    """The arguments of a function with the arrays in their common dtype.

    PyTorch leaves the dtype of 0-d tensors out of account; here it is only cast where that makes a
    difference.
    """
    dtypes = {value.dtype for value in values if isinstance(value, Tensor)}
    if len(dtypes) < 2:
        return values
    target = reduce(_C.promote_types, dtypes)
    return tuple(value.to(target) if isinstance(value, Tensor) else value for value in values)


def astype(
    x: Tensor, dtype: dtype, /, *, copy: bool = True, device: device | str | None = None
) -> Tensor:
    """The array in another dtype; ``copy=False`` gives ``x`` itself where it has that dtype."""
    if x.dtype.is_complex and not dtype.is_complex and dtype != _C.bool:
        raise TypeError(f"astype: {x.dtype} to {dtype} would drop the imaginary part")
    return x.to(device=device, dtype=dtype, copy=copy)


def can_cast(from_: dtype | Tensor, to: dtype, /) -> bool:
    """Whether the standard's promotion of both dtypes is ``to``."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    return _C.promote_types(source, to) == to


class FInfo(NamedTuple):
    """Limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: dtype


class IInfo(NamedTuple):
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: dtype


def finfo(type: dtype | Tensor, /) -> FInfo:
    """The limits of a real floating-point dtype, or of the parts of a complex one."""
    kind = type.dtype if isinstance(type, Tensor) else type
    real = {_C.complex64: _C.float32, _C.complex128: _C.float64}.get(kind, kind)
    found = _finfo(kind)
    return FInfo(found.bits, found.eps, found.max, found.min, found.smallest_normal, real)


def iinfo(type: dtype | Tensor, /) -> IInfo:
    """The limits of an integer dtype."""
    kind = type.dtype if isinstance(type, Tensor) else type
    found = _iinfo(kind)
    return IInfo(found.bits, found.max, found.min, kind)


def isdtype(dtype: dtype, kind: dtype | str | tuple[dtype | str, ...]) -> bool:
    """Whether a dtype is one of, or of one of the kinds (``"integral"``, ``"numeric"``, …)."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return dtype == kind
    if kind not in KINDS:
        raise ValueError(f"isdtype: no kind '{kind}'; there are {', '.join(map(repr, KINDS))}")
    if kind in ("real floating", "numeric") and dtype in (_C.float16, _C.bfloat16):
        return True
    return dtype in KINDS[kind]


def result_type(*arrays_and_dtypes: Tensor | dtype | complex) -> dtype:
    """The dtype of the result of an operation on these arrays, dtypes and numbers."""
    dtypes = [v.dtype if isinstance(v, Tensor) else v for v in arrays_and_dtypes
              if not isinstance(v, (bool, int, float, complex))]  # fmt: skip
    numbers = [v for v in arrays_and_dtypes if isinstance(v, (bool, int, float, complex))]
    if not dtypes:
        raise ValueError("result_type: expected at least one array or dtype")
    target = reduce(_C.promote_types, dtypes)
    for number in numbers:  # which widen it to their category at most
        target = ops.add(ops.empty(1, dtype=target), number).dtype
    return target
