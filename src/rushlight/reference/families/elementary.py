"""Functions of real analysis, element by element; integers become the default float."""

from __future__ import annotations

import numpy as np

from .. import scalars
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


def exp_default(self: Array) -> Array:
    return apply(np.exp, float_type(self), self)


def exp2_default(self: Array) -> Array:
    return apply(np.exp2, float_type(self), self)


def expm1_default(self: Array) -> Array:
    return apply(np.expm1, float_type(self), self)


def log_default(self: Array) -> Array:
    return apply(np.log, float_type(self), self)


def log2_default(self: Array) -> Array:
    return apply(np.log2, float_type(self), self)


def log10_default(self: Array) -> Array:
    return apply(np.log10, float_type(self), self)


def log1p_default(self: Array) -> Array:
    return apply(np.log1p, float_type(self), self)


def sqrt_default(self: Array) -> Array:
    return apply(np.sqrt, float_type(self), self)


def rsqrt_default(self: Array) -> Array:
    return apply(lambda x: 1 / np.sqrt(x), float_type(self), self)


def sin_default(self: Array) -> Array:
    return apply(np.sin, float_type(self), self)


def cos_default(self: Array) -> Array:
    return apply(np.cos, float_type(self), self)


def tan_default(self: Array) -> Array:
    return apply(np.tan, float_type(self), self)


def asin_default(self: Array) -> Array:
    return apply(np.arcsin, float_type(self), self)


def acos_default(self: Array) -> Array:
    return apply(np.arccos, float_type(self), self)


def atan_default(self: Array) -> Array:
    return apply(np.arctan, float_type(self), self)


def sinh_default(self: Array) -> Array:
    return apply(np.sinh, float_type(self), self)


def cosh_default(self: Array) -> Array:
    return apply(np.cosh, float_type(self), self)


def tanh_default(self: Array) -> Array:
    return apply(np.tanh, float_type(self), self)


def asinh_default(self: Array) -> Array:
    return apply(np.arcsinh, float_type(self), self)


def acosh_default(self: Array) -> Array:
    return apply(np.arccosh, float_type(self), self)


def atanh_default(self: Array) -> Array:
    return apply(np.arctanh, float_type(self), self)


def atan2_default(self: Array, other: Operand) -> Array:
    return apply(np.arctan2, float_type(self, other), self, other)


def hypot_default(self: Array, other: Operand) -> Array:
    return apply(np.hypot, result_type(self, other), self, other)


def sinc_default(self: Array) -> Array:
    return apply(np.sinc, float_type(self), self)


def erf_default(self: Array) -> Array:
    return apply(scalars.erf, float_type(self), self)


def erfc_default(self: Array) -> Array:
    return apply(scalars.erfc, float_type(self), self)


def erfinv_default(self: Array) -> Array:
    return apply(scalars.erfinv, float_type(self), self)


def lgamma_default(self: Array) -> Array:
    return apply(scalars.lgamma, float_type(self), self)


def digamma_default(self: Array) -> Array:
    return apply(scalars.digamma, float_type(self), self)


def i0_default(self: Array) -> Array:
    return apply(np.i0, float_type(self), self)


def sigmoid_default(self: Array) -> Array:
    return apply(scalars.sigmoid, float_type(self), self)


def logit_default(self: Array, eps: float | None = None) -> Array:
    """log(x / (1 - x)), x first clamped to [eps, 1 - eps] when eps is given."""
    dtype = float_type(self)
    x = widen(self, dtype)
    if eps is not None:
        x = np.clip(x, x.dtype.type(eps), x.dtype.type(1 - eps))
    return cast(np.log(x / (1 - x)), dtype)


def logaddexp_default(self: Array, other: Array) -> Array:
    return apply(scalars.logaddexp, float_type(self, other), self, other)


def logaddexp2_default(self: Array, other: Array) -> Array:
    return apply(
        lambda a, b: scalars.logaddexp(a, b, np.exp2), float_type(self, other), self, other
    )


def xlogy_Tensor(self: Operand, other: Operand) -> Array:
    """self * log(other), and 0 where self is 0 (unless other is NaN)."""
    return apply(
        lambda x, y: np.where(np.isnan(y), y, np.where(x == 0, 0, x * np.log(y))),
        float_type(self, other), self, other,
    )  # fmt: skip


def xlogy_Scalar_Other(self: Array, other: Number) -> Array:
    return xlogy_Tensor(self, other)


def xlogy_Scalar_Self(self: Number, other: Array) -> Array:
    return xlogy_Tensor(self, other)


def deg2rad_default(self: Array) -> Array:
    return apply(lambda x: x * np.pi / 180, float_type(self), self)


def rad2deg_default(self: Array) -> Array:
    return apply(lambda x: x * 180 / np.pi, float_type(self), self)


def angle_default(self: Array) -> Array:
    """The argument of a complex number; of a real one 0 or pi."""
    dtype = float_type(self)
    if is_complex(dtype):
        return cast(np.angle(self), real_type(dtype))
    x = widen(self, dtype)
    return cast(np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0.0)), dtype)


def real_default(self: Array) -> Array:
    return self.real if is_complex(dtype_of(self)) else self


def imag_default(self: Array) -> Array:
    return self.imag


def _conj_default(self: Array) -> Array:
    return np.conj(self) if is_complex(dtype_of(self)) else self


def conj_default(self: Array) -> Array:
    return _conj_default(self)


def _conj_physical_default(self: Array) -> Array:
    return np.conj(self)


def conj_physical_default(self: Array) -> Array:
    return np.conj(self) if category(dtype_of(self)) == 3 else copy_of(self)


def resolve_conj_default(self: Array) -> Array:
    return self


def resolve_neg_default(self: Array) -> Array:
    return self


def complex_default(real: Array, imag: Array) -> Array:
    dtype = "complex128" if dtype_of(real) == "float64" else "complex64"
    return cast(real + 1j * imag, dtype)


def polar_default(abs: Array, angle: Array) -> Array:
    dtype = "complex128" if dtype_of(abs) == "float64" else "complex64"
    return cast(abs * np.cos(angle) + 1j * (abs * np.sin(angle)), dtype)
