"""Arithmetic, element by element."""

from __future__ import annotations

import numpy as np

from ..arrays import (
    Array,
    Number,
    Operand,
    apply,
    cast,
    copy_of,
    dtype_of,
    is_complex,
    real_type,
    widen,
)
from ..promotion import category, float_type, result_type
from ..scalars import floor_divide, modulo, power, round_to_decimals, truncate


def add_Tensor(self: Operand, other: Operand, *, alpha: Number = 1) -> Array:
    dtype = result_type(self, other)
    return cast(widen(self, dtype) + widen(alpha, dtype) * widen(other, dtype), dtype)


def add_Scalar(self: Array, other: Number, alpha: Number = 1) -> Array:
    return add_Tensor(self, other, alpha=alpha)


def sub_Tensor(self: Operand, other: Operand, *, alpha: Number = 1) -> Array:
    dtype = result_type(self, other)
    if dtype == "bool":
        raise RuntimeError("sub: bool tensors cannot be subtracted; use logical_xor")
    return cast(widen(self, dtype) - widen(alpha, dtype) * widen(other, dtype), dtype)


def sub_Scalar(self: Array, other: Number, alpha: Number = 1) -> Array:
    return sub_Tensor(self, other, alpha=alpha)


def rsub_Tensor(self: Array, other: Operand, *, alpha: Number = 1) -> Array:
    return sub_Tensor(other, self, alpha=alpha)


def rsub_Scalar(self: Array, other: Number, alpha: Number = 1) -> Array:
    return sub_Tensor(other, self, alpha=alpha)


def mul_Tensor(self: Operand, other: Operand) -> Array:
    return apply(np.multiply, result_type(self, other), self, other)


def mul_Scalar(self: Array, other: Number) -> Array:
    return mul_Tensor(self, other)


def multiply_Tensor(self: Array, other: Operand) -> Array:
    return mul_Tensor(self, other)


def div_Tensor(self: Operand, other: Operand) -> Array:
    return apply(np.true_divide, float_type(self, other), self, other)


def div_Scalar(self: Array, other: Number) -> Array:
    return div_Tensor(self, other)


def true_divide_Tensor(self: Array, other: Operand) -> Array:
    return div_Tensor(self, other)


def divide_Tensor(self: Array, other: Operand) -> Array:
    return div_Tensor(self, other)


def div_Tensor_mode(self: Operand, other: Operand, *, rounding_mode: str | None) -> Array:
    """`rounding_mode`: None divides exactly, "trunc" rounds towards zero, "floor" down."""
    if rounding_mode is None:
        return div_Tensor(self, other)
    dtype = result_type(self, other)
    if rounding_mode == "floor":
        return apply(floor_divide, dtype, self, other)
    if category(dtype) < 2:
        return apply(truncate, dtype, self, other)
    return cast(np.trunc(widen(self, dtype) / widen(other, dtype)), dtype)


def div_Scalar_mode(self: Array, other: Number, *, rounding_mode: str | None) -> Array:
    return div_Tensor_mode(self, other, rounding_mode=rounding_mode)


def floor_divide_default(self: Operand, other: Operand) -> Array:
    return div_Tensor_mode(self, other, rounding_mode="floor")


def floor_divide_Scalar(self: Array, other: Number) -> Array:
    return floor_divide_default(self, other)


def remainder_Tensor(self: Operand, other: Operand) -> Array:
    """The remainder with the sign of the divisor, as Python's %."""
    return apply(modulo, result_type(self, other), self, other)


def remainder_Scalar(self: Array, other: Number) -> Array:
    return remainder_Tensor(self, other)


def remainder_Scalar_Tensor(self: Number, other: Array) -> Array:
    return remainder_Tensor(self, other)


def fmod_Tensor(self: Operand, other: Operand) -> Array:
    """The remainder with the sign of the dividend, as C's fmod."""
    return apply(np.fmod, result_type(self, other), self, other)


def fmod_Scalar(self: Array, other: Number) -> Array:
    return fmod_Tensor(self, other)


def pow_Tensor_Tensor(self: Operand, exponent: Operand) -> Array:
    return apply(power, result_type(self, exponent), self, exponent)


def pow_Tensor_Scalar(self: Array, exponent: Number) -> Array:
    dtype = result_type(self, exponent)
    if category(dtype) == 1 and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pow_Tensor_Tensor(self, exponent)


def pow_Scalar(self: Number, exponent: Array) -> Array:
    return pow_Tensor_Tensor(self, exponent)


def float_power_Tensor_Scalar(self: Array, exponent: Number) -> Array:
    return apply(np.power, "float64", self, exponent)


def square_default(self: Array) -> Array:
    return pow_Tensor_Scalar(self, 2)


def neg_default(self: Array) -> Array:
    if dtype_of(self) == "bool":
        raise RuntimeError("neg: bool tensors have no negative; use logical_not")
    return apply(np.negative, dtype_of(self), self)


def abs_default(self: Array) -> Array:
    dtype = dtype_of(self)
    if is_complex(dtype):
        return cast(np.abs(self), real_type(dtype))
    return apply(np.abs, dtype, self)


def reciprocal_default(self: Array) -> Array:
    return div_Tensor(1, self)


def addcmul_default(self: Array, tensor1: Array, tensor2: Array, *, value: Number = 1) -> Array:
    """self + value * tensor1 * tensor2"""
    dtype = result_type(self, tensor1, tensor2)
    product = widen(value, dtype) * widen(tensor1, dtype) * widen(tensor2, dtype)
    return cast(widen(self, dtype) + product, dtype)


def addcdiv_default(self: Array, tensor1: Array, tensor2: Array, *, value: Number = 1) -> Array:
    """self + value * tensor1 / tensor2"""
    dtype = result_type(self, tensor1, tensor2)
    quotient = widen(value, dtype) * widen(tensor1, dtype) / widen(tensor2, dtype)
    return cast(widen(self, dtype) + quotient, dtype)


def lerp_Tensor(self: Array, end: Array, weight: Operand) -> Array:
    """The point at `weight` between self (0) and end (1)."""
    dtype = dtype_of(self)
    start, stop, at = widen(self, dtype), widen(end, dtype), widen(weight, dtype)
    near_start = start + at * (stop - start)
    near_end = stop - (stop - start) * (1 - at)
    return cast(np.where(np.abs(at) < 0.5, near_start, near_end), dtype)


def lerp_Scalar(self: Array, end: Array, weight: Number) -> Array:
    return lerp_Tensor(self, end, weight)


def maximum_default(self: Array, other: Operand) -> Array:
    """NaN where either is NaN."""
    return apply(np.maximum, result_type(self, other), self, other)


def minimum_default(self: Array, other: Operand) -> Array:
    return apply(np.minimum, result_type(self, other), self, other)


def max_other(self: Array, other: Array) -> Array:
    return maximum_default(self, other)


def min_other(self: Array, other: Array) -> Array:
    return minimum_default(self, other)


def fmax_default(self: Array, other: Array) -> Array:
    """NaN only where both are NaN."""
    return apply(np.fmax, result_type(self, other), self, other)


def fmin_default(self: Array, other: Array) -> Array:
    return apply(np.fmin, result_type(self, other), self, other)


def clamp_Tensor(self: Array, min: Operand | None = None, max: Operand | None = None) -> Array:
    """min(max(self, min), max): where min > max the result is max."""
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("clamp: at least one of 'min' or 'max' must not be None")
    dtype = result_type(self, *bounds)
    value = widen(self, dtype)
    if min is not None:
        value = np.maximum(value, widen(min, dtype))
    if max is not None:
        value = np.minimum(value, widen(max, dtype))
    return cast(value, dtype)


def clamp_default(self: Array, min: Number | None = None, max: Number | None = None) -> Array:
    return clamp_Tensor(self, min, max)


def clip_default(self: Array, min: Number | None = None, max: Number | None = None) -> Array:
    return clamp_Tensor(self, min, max)


def clamp_min_default(self: Array, min: Number) -> Array:
    return clamp_Tensor(self, min=min)


def clamp_min_Tensor(self: Array, min: Array) -> Array:
    return clamp_Tensor(self, min=min)


def clamp_max_default(self: Array, max: Number) -> Array:
    return clamp_Tensor(self, max=max)


def clamp_max_Tensor(self: Array, max: Array) -> Array:
    return clamp_Tensor(self, max=max)


def round_default(self: Array) -> Array:
    """To the nearest integer, halves to the even one."""
    return apply(np.rint, dtype_of(self), self)


def round_decimals(self: Array, *, decimals: int) -> Array:
    return apply(lambda x: round_to_decimals(x, decimals), dtype_of(self), self)


def floor_default(self: Array) -> Array:
    return apply(np.floor, dtype_of(self), self)


def ceil_default(self: Array) -> Array:
    return apply(np.ceil, dtype_of(self), self)


def trunc_default(self: Array) -> Array:
    return apply(np.trunc, dtype_of(self), self)


def fix_default(self: Array) -> Array:
    return trunc_default(self)


def frac_default(self: Array) -> Array:
    return apply(lambda x: x - np.trunc(x), dtype_of(self), self)


def sign_default(self: Array) -> Array:
    dtype = dtype_of(self)
    if dtype == "bool":
        return copy_of(self)
    # torch has no NaN here: the sign of NaN is 0
    return apply(lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype), dtype, self)


def sgn_default(self: Array) -> Array:
    if not is_complex(dtype_of(self)):
        return sign_default(self)
    size = np.abs(self)
    return cast(np.where(size == 0, 0, self / np.where(size == 0, 1, size)), dtype_of(self))


def signbit_default(self: Array) -> Array:
    if category(dtype_of(self)) < 2:
        return cast(self < 0, "bool")
    return cast(np.signbit(self), "bool")


def copysign_Tensor(self: Array, other: Operand) -> Array:
    return apply(np.copysign, float_type(self, other), self, other)


def copysign_Scalar(self: Array, other: Number) -> Array:
    return copysign_Tensor(self, other)


def heaviside_default(self: Array, values: Array) -> Array:
    return apply(
        lambda x, v: np.where(x == 0, v, (x > 0).astype(x.dtype)),
        result_type(self, values), self, values,
    )  # fmt: skip


def nan_to_num_default(
    self: Array,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Array:
    """Replaces NaN by 0 and infinities by the largest finite numbers, unless given."""
    dtype = dtype_of(self)
    if category(dtype) < 2:
        return copy_of(self)
    limit = 3.3895313892515355e38 if dtype == "bfloat16" else float(np.finfo(self.dtype).max)
    value = widen(self, dtype)
    value = np.where(np.isnan(value), 0 if nan is None else nan, value)
    value = np.where(np.isposinf(value), limit if posinf is None else posinf, value)
    return cast(np.where(np.isneginf(value), -limit if neginf is None else neginf, value), dtype)
