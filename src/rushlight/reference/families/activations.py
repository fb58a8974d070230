"""Activation functions, element by element."""

from __future__ import annotations

import numpy as np

from .. import scalars
from ..arrays import Array, Number, apply, axis_of, cast, copy_of, dtype_of, widen


def relu_default(self: Array) -> Array:
    return apply(lambda x: np.maximum(x, x.dtype.type(0)), dtype_of(self), self)


def relu6_default(self: Array) -> Array:
    return hardtanh_default(self, 0, 6)


def hardtanh_default(self: Array, min_val: Number = -1, max_val: Number = 1) -> Array:
    dtype = dtype_of(self)
    low, high = widen(min_val, dtype), widen(max_val, dtype)
    return apply(lambda x: np.minimum(np.maximum(x, low), high), dtype, self)


def leaky_relu_default(self: Array, negative_slope: Number = 0.01) -> Array:
    dtype = dtype_of(self)
    slope = widen(negative_slope, dtype)
    return apply(lambda x: np.where(x > 0, x, x * slope), dtype, self)


def prelu_default(self: Array, weight: Array) -> Array:
    """The slope left of 0 is `weight`, one number or one per channel (dimension 1)."""
    slopes = np.asarray(weight)
    if slopes.size > 1:
        slopes = slopes.reshape([-1] + [1] * (self.ndim - 2))
    return _prelu_kernel_default(self, slopes)


def _prelu_kernel_default(self: Array, weight: Array) -> Array:
    value = apply(lambda x, w: np.where(x > 0, x, x * w), dtype_of(self), self, weight)
    return value.reshape(self.shape)


def elu_default(
    self: Array, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1
) -> Array:
    dtype = dtype_of(self)
    a, s, i = widen(alpha, dtype), widen(scale, dtype), widen(input_scale, dtype)
    return apply(lambda x: np.where(x > 0, x * s, np.expm1(x * i) * a * s), dtype, self)


def celu_default(self: Array, alpha: Number = 1.0) -> Array:
    return elu_default(self, alpha, 1, 1.0 / alpha)


def selu_default(self: Array) -> Array:
    """Klambauer et al., Self-Normalizing Neural Networks (2017)."""
    return elu_default(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def gelu_default(self: Array, *, approximate: str = "none") -> Array:
    """x * Phi(x); "tanh" is the approximation of Hendrycks and Gimpel (2016)."""
    if approximate == "tanh":
        scale = np.sqrt(2 / np.pi)
        return apply(
            lambda x: 0.5 * x * (1 + np.tanh(scale * (x + 0.044715 * x**3))), dtype_of(self), self
        )
    return apply(lambda x: 0.5 * x * (1 + scalars.erf(x / np.sqrt(2))), dtype_of(self), self)


def silu_default(self: Array) -> Array:
    return apply(lambda x: x / (1 + np.exp(-x)), dtype_of(self), self)


def mish_default(self: Array) -> Array:
    return apply(lambda x: x * np.tanh(scalars.softplus(x)), dtype_of(self), self)


def softplus_default(self: Array, beta: Number = 1, threshold: Number = 20) -> Array:
    """log(1 + exp(beta x)) / beta, and x itself where beta x > threshold."""
    dtype = dtype_of(self)
    b = widen(beta, dtype)
    return apply(lambda x: np.where(x * b > threshold, x, np.log1p(np.exp(x * b)) / b), dtype, self)


def log_sigmoid_default(self: Array) -> Array:
    return apply(lambda x: -scalars.softplus(-x), dtype_of(self), self)


def log_sigmoid_forward_default(self: Array) -> tuple[Array, Array]:
    """The second result is PyTorch's buffer for the gradient: exp(-|x|)."""
    buffer = apply(lambda x: np.exp(-np.abs(x)), dtype_of(self), self)
    return log_sigmoid_default(self), buffer


def hardsigmoid_default(self: Array) -> Array:
    return apply(lambda x: np.clip(x + 3, 0, 6) / x.dtype.type(6), dtype_of(self), self)


def hardswish_default(self: Array) -> Array:
    return apply(lambda x: x * np.clip(x + 3, 0, 6) / x.dtype.type(6), dtype_of(self), self)


def hardshrink_default(self: Array, lambd: Number = 0.5) -> Array:
    limit = widen(lambd, dtype_of(self))
    return apply(
        lambda x: np.where((x >= -limit) & (x <= limit), x.dtype.type(0), x), dtype_of(self), self
    )


def softshrink_default(self: Array, lambd: Number = 0.5) -> Array:
    limit = widen(lambd, dtype_of(self))
    return apply(
        lambda x: np.where(x > limit, x - limit, np.where(x < -limit, x + limit, x * 0)),
        dtype_of(self), self,
    )  # fmt: skip


def threshold_default(self: Array, threshold: Number, value: Number) -> Array:
    dtype = dtype_of(self)
    limit, other = widen(threshold, dtype), widen(value, dtype)
    return apply(lambda x: np.where(x <= limit, other, x), dtype, self)


def glu_default(self: Array, dim: int = -1) -> Array:
    """The first half times the sigmoid of the second."""
    first, second = np.split(widen(self, dtype_of(self)), 2, axis=axis_of(dim, self.ndim))
    return cast(first * scalars.sigmoid(second), dtype_of(self))


def rrelu_default(
    self: Array,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: bool = False,
    generator: object = None,
) -> Array:
    if training:
        raise NotImplementedError("rrelu: the reference interpreter draws no random slopes")
    return leaky_relu_default(self, (lower + upper) / 2)


def rrelu_with_noise_functional_default(
    self: Array,
    noise: Array,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: bool = False,
    generator: object = None,
) -> tuple[Array, Array]:
    return rrelu_default(self, lower, upper, training), copy_of(noise)


def dropout_default(input: Array, p: float, train: bool) -> Array:
    if train and p > 0:
        raise NotImplementedError("dropout: the reference interpreter draws no random numbers")
    return input


def feature_dropout_default(input: Array, p: float, train: bool) -> Array:
    return dropout_default(input, p, train)


def alpha_dropout_default(input: Array, p: float, train: bool) -> Array:
    return dropout_default(input, p, train)


def native_dropout_default(input: Array, p: float, train: bool | None) -> tuple[Array, Array]:
    if train is not False and p > 0:
        raise NotImplementedError("dropout: the reference interpreter draws no random numbers")
    return copy_of(input), np.ones(input.shape, dtype=np.bool_)
