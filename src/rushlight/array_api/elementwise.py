"""Elementwise functions, made from those of `rushlight` of the same or a listed other name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight._tensor import functions as _functions

from .dtypes import common

_ONE = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor
    imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal
    round sign signbit sin sinh square sqrt tan tanh trunc"""
_TWO = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
    logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder
    subtract"""
_OTHER_NAME = {"bitwise_invert": "bitwise_not", "equal": "eq"}


def _one(name: str, operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(x: Tensor, /) -> Tensor:
        return operator(x)

    return _named(function, name, f"``{name}`` of every element.")


def _two(name: str, operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
        return operator(*common(_array(x1, x2), _array(x2, x1)))

    return _named(function, name, f"``{name}`` of the elements of two arrays, broadcast.")


def _array(value: Any, other: Any) -> Any:
    """A number beside an array, as an array of its dtype if that can hold it."""
    if isinstance(value, Tensor) or not isinstance(other, Tensor):
        return value
    made = _C.tensor(value)
    fits = _C.promote_types(made.dtype, other.dtype) == other.dtype
    return (
        made.to(other.dtype) if fits or (_inexact(other) and not made.dtype.is_complex) else value
    )


def _named(function: Callable[..., Tensor], name: str, doc: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "rushlight.array_api"
    function.__doc__ = doc
    return function


def _whole_numbers_stay(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Rounding and taking parts leave integers as they are, where PyTorch has no kernel."""
    return lambda x: x.clone() if not _inexact(x) else operator(x)


def _inexact(x: Tensor) -> bool:
    return x.dtype.is_floating_point or x.dtype.is_complex


def clip(
    x: Tensor,
    /,
    min: float | Tensor | None = None,
    max: float | Tensor | None = None,
) -> Tensor:
    """The elements, those below ``min`` or above ``max`` replaced by them; the dtype stays."""

    def bound(value: Any) -> Any:
        return value.to(x.dtype) if isinstance(value, Tensor) else value

    low, high = bound(min), bound(max)
    if low is None and high is None:
        return x.clone()
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        low, high = (
            ops.full((), b, dtype=x.dtype) if b is not None and not isinstance(b, Tensor) else b
            for b in (low, high)
        )
        shape = x
        for b in (low, high):
            if b is not None:
                shape = _functions.broadcast_tensors(shape, b)[0]
        x = shape
    return ops.clamp(x, low, high).to(x.dtype)


def _real(x: Tensor) -> Tensor:
    return ops.real(x) if x.dtype.is_complex else x


def _imag(x: Tensor) -> Tensor:
    return ops.imag(x) if x.dtype.is_complex else ops.zeros_like(x)


def _sign(x: Tensor) -> Tensor:
    # PyTorch's sign of NaN is 0, the standard's NaN.
    if x.dtype.is_complex:
        return ops.where(x == 0, ops.zeros_like(x), x / ops.abs(x))
    return ops.where(ops.isnan(x), x, ops.sign(x)) if x.dtype.is_floating_point else ops.sign(x)


def _conj(x: Tensor) -> Tensor:
    return ops.conj(x).resolve_conj() if x.dtype.is_complex else x


_SPECIAL: dict[str, Callable[..., Tensor]] = {
    "real": _real,
    "imag": _imag,
    "sign": _sign,
    "conj": _conj,
    "ceil": _whole_numbers_stay(ops.ceil),
    "floor": _whole_numbers_stay(ops.floor),
    "trunc": _whole_numbers_stay(ops.trunc),
    "round": _whole_numbers_stay(ops.round),
}


def _operator(name: str) -> Callable[..., Tensor]:
    found: Callable[..., Tensor] = _SPECIAL.get(name) or getattr(ops, _OTHER_NAME.get(name, name))
    return found


FUNCTIONS: dict[str, Callable[..., Tensor]] = (
    {name: _one(name, _operator(name)) for name in _ONE.split()}
    | {name: _two(name, _operator(name)) for name in _TWO.split()}
    | {"clip": clip}
)
