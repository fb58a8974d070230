"""Functions of single numbers that NumPy lacks or defines otherwise than PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import Array


def each(function: Callable[[float], float], values: Array) -> Array:
    """A function of one float over all elements."""
    result = np.vectorize(function, otypes=[np.float64])(values.astype(np.float64))
    return np.asarray(result)


def truncate(a: Array, b: Array) -> Array:
    """Integer division rounded towards zero."""
    if np.any(b == 0):
        raise RuntimeError("ZeroDivisionError")
    quotient = np.abs(a) // np.abs(b)
    return np.asarray(np.where((a < 0) != (b < 0), -quotient, quotient))


def floor_divide(a: Array, b: Array) -> Array:
    """Division rounded down. Floats follow C Python's float_floor_div."""
    if a.dtype.kind != "f":
        if np.any(b == 0):
            raise RuntimeError("ZeroDivisionError")
        return np.asarray(np.floor_divide(a, b))
    remainder = np.fmod(a, b)
    quotient = (a - remainder) / b
    quotient = np.where((remainder != 0) & ((b < 0) != (remainder < 0)), quotient - 1, quotient)
    whole = np.floor(quotient)
    whole = np.where(quotient - whole > 0.5, whole + 1, whole)
    whole = np.where(quotient == 0, np.copysign(np.zeros_like(a), a / b), whole)
    return np.asarray(np.where(b == 0, a / b, whole))


def modulo(a: Array, b: Array) -> Array:
    """The remainder with the sign of the divisor."""
    if a.dtype.kind != "f":
        if np.any(b == 0):
            raise RuntimeError("ZeroDivisionError")
        return np.asarray(np.mod(a, b))
    remainder = np.fmod(a, b)
    wrong_side = (remainder != 0) & ((b < 0) != (remainder < 0))
    return np.asarray(np.where(wrong_side, remainder + b, remainder))


def power(a: Array, b: Array) -> Array:
    """a ** b; integers raised to negative integers become 1, -1 or 0 as in C."""
    if a.dtype.kind == "b":
        return np.asarray(a | ~b)
    if a.dtype.kind not in "iu":
        return np.asarray(np.power(a, b))
    small = np.power(a, np.maximum(b, 0))
    odd = (b % 2) != 0
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0))
    return np.asarray(np.where(b < 0, inverse, small).astype(a.dtype))


def round_to_decimals(values: Array, decimals: int) -> Array:
    if values.dtype.kind != "f":
        return values
    ten = values.dtype.type(10.0 ** abs(decimals))
    if decimals >= 0:
        return np.asarray(np.rint(values * ten) / ten)
    return np.asarray(np.rint(values / ten) * ten)


def erf(values: Array) -> Array:
    return each(math.erf, values)


def erfc(values: Array) -> Array:
    return each(math.erfc, values)


def erfinv(values: Array) -> Array:
    """Winitzki's approximation, then Newton's steps on erf."""

    def inverse(y: float) -> float:
        if not -1 < y < 1:
            return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
        log = math.log1p(-y * y)
        half = 2 / (math.pi * 0.147) + log / 2
        x = math.copysign(math.sqrt(math.sqrt(half * half - log / 0.147) - half), y)
        for _ in range(4):
            x -= (math.erf(x) - y) * math.sqrt(math.pi) / 2 * math.exp(x * x)
        return x

    return each(inverse, values)


def lgamma(values: Array) -> Array:
    def one(x: float) -> float:
        if math.isnan(x):
            return x
        pole = math.isinf(x) or (x <= 0 and x == math.floor(x))
        return math.inf if pole else math.lgamma(x)

    return each(one, values)


def digamma(values: Array) -> Array:
    """Reflection for negative x, recurrence up to 10, then the asymptotic series."""

    def one(x: float) -> float:
        if math.isnan(x) or x == -math.inf:
            return math.nan
        if x == math.inf:
            return x
        if x == 0:
            return math.copysign(math.inf, -x)
        if x < 0:
            return math.nan if x == math.floor(x) else one(1 - x) - math.pi / math.tan(math.pi * x)
        below = 0.0
        while x < 10:
            below -= 1 / x
            x += 1
        square = 1 / (x * x)
        series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
        return below + math.log(x) - 0.5 / x - series

    return each(one, values)


def logaddexp(a: Array, b: Array, base: Callable[[Any], Any] = np.exp) -> Array:
    """log(exp(a) + exp(b)), without overflow; `base` is exp or exp2."""
    larger = np.maximum(a, b)
    log1p = np.log1p(base(-np.abs(a - b))) / (1 if base is np.exp else math.log(2))
    same_infinity = np.isinf(a) & (a == b)
    return np.asarray(np.where(same_infinity, a, larger + log1p))


def softplus(values: Array) -> Array:
    """log(1 + exp(x)), without overflow."""
    return np.asarray(np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values))))


def sigmoid(values: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-values)))
