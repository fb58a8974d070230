"""Sizes as numbers, arithmetic on them, and the assertions of exported programs."""

from __future__ import annotations

import math

from ..arrays import Array, Number, Sizes, dtype_of
from ..strided import storage_offset


def sym_size_int(self: Array, dim: int) -> int:
    return int(self.shape[dim])


def size_int(self: Array, dim: int) -> int:
    return int(self.shape[dim])


def size_default(self: Array) -> list[int]:
    return list(self.shape)


def sym_size_default(self: Array) -> list[int]:
    return list(self.shape)


def sym_numel_default(self: Array) -> int:
    return self.size


def numel_default(self: Array) -> int:
    return self.size


def dim_default(self: Array) -> int:
    return self.ndim


def sym_stride_int(self: Array, dim: int) -> int:
    return self.strides[dim] // self.itemsize


def sym_stride_default(self: Array) -> list[int]:
    return [step // self.itemsize for step in self.strides]


def sym_storage_offset_default(self: Array) -> int:
    return storage_offset(self)


def sym_constrain_range_default(
    size: Number, *, min: int | None = None, max: int | None = None
) -> None:
    value = float(size.real)
    if (min is not None and value < min) or (max is not None and value > max):
        raise RuntimeError(f"Invalid value range for {size}: expected between [{min}, {max}]")


def sym_constrain_range_for_size_default(
    size: Number, *, min: int | None = None, max: int | None = None
) -> None:
    sym_constrain_range_default(size, min=0 if min is None else min, max=max)


def _assert_scalar_default(self: Number, assert_msg: str) -> None:
    if not self:
        raise RuntimeError(assert_msg)


def _assert_async_msg(self: Array, assert_msg: str) -> None:
    if not self.item():
        raise RuntimeError(assert_msg)


def _assert_async_default(self: Array) -> None:
    _assert_async_msg(self, "expected a true value, got zero")


def _assert_tensor_metadata_default(
    a: Array,
    size: Sizes | None = None,
    stride: Sizes | None = None,
    dtype: str | None = None,
    *,
    device: object = None,
    layout: object = None,
) -> None:
    """Strides are not checked: values do not depend on them."""
    if size is not None and tuple(size) != a.shape:
        raise RuntimeError(f"Tensor sizes mismatch! Expected: {list(size)}, Got: {list(a.shape)}")
    if dtype is not None and dtype != dtype_of(a):
        raise RuntimeError(f"Tensor dtype mismatch! Expected: {dtype}, Got: {dtype_of(a)}")


def _operator_add(a: Number, b: Number) -> Number:
    return a + b


def _operator_sub(a: Number, b: Number) -> Number:
    return a - b


def _operator_mul(a: Number, b: Number) -> Number:
    return a * b


def _operator_truediv(a: Number, b: Number) -> Number:
    return a / b


def _operator_floordiv(a: float, b: float) -> float:
    return a // b


def _operator_mod(a: float, b: float) -> float:
    return a % b


def _operator_pow(a: float, b: float) -> float:
    result: float = a**b
    return result


def _operator_neg(a: Number) -> Number:
    return -a


def _operator_pos(a: Number) -> Number:
    return +a


def _operator_and_(a: int, b: int) -> int:
    return a & b


def _operator_or_(a: int, b: int) -> int:
    return a | b


def _operator_eq(a: Number, b: Number) -> bool:
    return a == b


def _operator_ne(a: Number, b: Number) -> bool:
    return a != b


def _operator_lt(a: float, b: float) -> bool:
    return a < b


def _operator_le(a: float, b: float) -> bool:
    return a <= b


def _operator_gt(a: float, b: float) -> bool:
    return a > b


def _operator_ge(a: float, b: float) -> bool:
    return a >= b


def torch_sym_float(a: float) -> float:
    return float(a)


def torch_sym_int(a: float) -> int:
    return int(a)


def torch_sym_max(a: float, b: float) -> float:
    """A float if either is one, as in PyTorch."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def torch_sym_min(a: float, b: float) -> float:
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def torch_sym_not(a: bool) -> bool:
    return not a


def torch_sym_ite(b: bool, t: Number, f: Number) -> Number:
    return t if b else f


def torch__sym_sqrt(a: float) -> float:
    return math.sqrt(a)


def math_ceil(a: float) -> int:
    return math.ceil(a)


def math_floor(a: float) -> int:
    return math.floor(a)


def math_trunc(a: float) -> int:
    return math.trunc(a)


def builtins_round(a: float) -> int:
    return round(a)
