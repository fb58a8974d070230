"""Comparisons, logic and bits, element by element."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Number, Operand, apply, cast, dtype_of, widen
from ..promotion import category, result_type


def eq_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.equal, result_type(self, other), self, other, out="bool")


def eq_Scalar(self: Array, other: Number) -> Array:
    return eq_Tensor(self, other)


def ne_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.not_equal, result_type(self, other), self, other, out="bool")


def ne_Scalar(self: Array, other: Number) -> Array:
    return ne_Tensor(self, other)


def lt_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.less, result_type(self, other), self, other, out="bool")


def lt_Scalar(self: Array, other: Number) -> Array:
    return lt_Tensor(self, other)


def le_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.less_equal, result_type(self, other), self, other, out="bool")


def le_Scalar(self: Array, other: Number) -> Array:
    return le_Tensor(self, other)


def gt_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.greater, result_type(self, other), self, other, out="bool")


def gt_Scalar(self: Array, other: Number) -> Array:
    return gt_Tensor(self, other)


def ge_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.greater_equal, result_type(self, other), self, other, out="bool")


def ge_Scalar(self: Array, other: Number) -> Array:
    return ge_Tensor(self, other)


def equal_default(self: Array, other: Array) -> bool:
    return bool(np.array_equal(self, other))


def isclose_default(
    self: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Array:
    """|self - other| <= atol + rtol * |other|"""
    a, b = np.asarray(self), np.asarray(other)
    if category(dtype_of(self)) < 2:
        a, b = a.astype(np.float64), b.astype(np.float64)
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    close = (a == b) | (np.isfinite(a) & np.isfinite(b) & near)
    return cast(close | (np.isnan(a) & np.isnan(b)) if equal_nan else close, "bool")


def allclose_default(
    self: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    return bool(np.all(isclose_default(self, other, rtol, atol, equal_nan)))


def isnan_default(self: Array) -> Array:
    return cast(np.isnan(self), "bool")


def isinf_default(self: Array) -> Array:
    return cast(np.isinf(self), "bool")


def isfinite_default(self: Array) -> Array:
    return cast(np.isfinite(self), "bool")


def isposinf_default(self: Array) -> Array:
    return cast(np.asarray(self) == np.inf, "bool")


def isneginf_default(self: Array) -> Array:
    return cast(np.asarray(self) == -np.inf, "bool")


def isreal_default(self: Array) -> Array:
    return cast(np.isreal(self), "bool")


def logical_and_default(self: Array, other: Array) -> Array:
    return cast(np.logical_and(self, other), "bool")


def logical_or_default(self: Array, other: Array) -> Array:
    return cast(np.logical_or(self, other), "bool")


def logical_xor_default(self: Array, other: Array) -> Array:
    return cast(np.logical_xor(self, other), "bool")


def logical_not_default(self: Array) -> Array:
    return cast(np.logical_not(self), "bool")


def bitwise_and_Tensor(self: Operand, other: Operand) -> Array:
    return apply(np.bitwise_and, result_type(self, other), self, other)


def bitwise_and_Scalar(self: Array, other: Number) -> Array:
    return bitwise_and_Tensor(self, other)


def __and___Tensor(self: Array, other: Operand) -> Array:
    return bitwise_and_Tensor(self, other)


def __and___Scalar(self: Array, other: Number) -> Array:
    return bitwise_and_Tensor(self, other)


def bitwise_or_Tensor(self: Operand, other: Operand) -> Array:
    return apply(np.bitwise_or, result_type(self, other), self, other)


def bitwise_or_Scalar(self: Array, other: Number) -> Array:
    return bitwise_or_Tensor(self, other)


def __or___Tensor(self: Array, other: Operand) -> Array:
    return bitwise_or_Tensor(self, other)


def __or___Scalar(self: Array, other: Number) -> Array:
    return bitwise_or_Tensor(self, other)


def bitwise_xor_Tensor(self: Operand, other: Operand) -> Array:
    return apply(np.bitwise_xor, result_type(self, other), self, other)


def bitwise_xor_Scalar(self: Array, other: Number) -> Array:
    return bitwise_xor_Tensor(self, other)


def __xor___Tensor(self: Array, other: Operand) -> Array:
    return bitwise_xor_Tensor(self, other)


def __xor___Scalar(self: Array, other: Number) -> Array:
    return bitwise_xor_Tensor(self, other)


def bitwise_not_default(self: Array) -> Array:
    return cast(np.invert(self), dtype_of(self))


def bitwise_left_shift_Tensor(self: Operand, other: Operand) -> Array:
    """Shifts by the width or more, or by a negative number, give 0."""
    dtype = result_type(self, other)
    value, count = widen(self, dtype), widen(other, dtype)
    inside = (count >= 0) & (count < value.dtype.itemsize * 8)
    return cast(np.where(inside, value << np.where(inside, count, 0), 0), dtype)


def bitwise_left_shift_Tensor_Scalar(self: Array, other: Number) -> Array:
    return bitwise_left_shift_Tensor(self, other)


def __lshift___Tensor(self: Array, other: Operand) -> Array:
    return bitwise_left_shift_Tensor(self, other)


def __lshift___Scalar(self: Array, other: Number) -> Array:
    return bitwise_left_shift_Tensor(self, other)


def bitwise_right_shift_Tensor(self: Operand, other: Operand) -> Array:
    """Shifts by the width or more, or by a negative number, leave only the sign."""
    dtype = result_type(self, other)
    value, count = widen(self, dtype), widen(other, dtype)
    bits = value.dtype.itemsize * 8
    inside = (count >= 0) & (count < bits)
    sign = np.where(value < 0, -1, 0).astype(value.dtype) if value.dtype.kind == "i" else 0
    return cast(np.where(inside, value >> np.where(inside, count, 0), sign), dtype)


def bitwise_right_shift_Tensor_Scalar(self: Array, other: Number) -> Array:
    return bitwise_right_shift_Tensor(self, other)


def __rshift___Tensor(self: Array, other: Operand) -> Array:
    return bitwise_right_shift_Tensor(self, other)


def __rshift___Scalar(self: Array, other: Number) -> Array:
    return bitwise_right_shift_Tensor(self, other)
