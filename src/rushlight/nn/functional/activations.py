"""Activation functions."""

from __future__ import annotations

from rushlight import _operators as ops
from rushlight._C import Tensor, dtype
from rushlight.nn.functional.call import call, maybe_inplace

__all__ = [
    "elu",
    "elu_",
    "glu",
    "gumbel_softmax",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "rrelu",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(x, 0)``"""
    return maybe_inplace("relu", input, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x, 0), 6)``"""
    return maybe_inplace("relu6", input, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` for positive elements, ``negative_slope * x`` for the others."""
    return maybe_inplace("leaky_relu", input, inplace, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` for positive elements, ``alpha * (exp(x) - 1)`` for the others (Clevert, 2015)."""
    return maybe_inplace("elu", input, inplace, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return elu(input, alpha, True)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Scaled `elu` (Klambauer et al., 2017)."""
    return maybe_inplace("selu", input, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``"""
    return maybe_inplace("silu", input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))`` (Misra, 2019)."""
    return maybe_inplace("mish", input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x / 6 + 1 / 2, 0), 1)``"""
    return maybe_inplace("hardsigmoid", input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``"""
    return maybe_inplace("hardswish", input, inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """``x`` cut to ``[min_val, max_val]``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return maybe_inplace("hardtanh", input, inplace, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it exceeds ``threshold``, ``value`` elsewhere."""
    return maybe_inplace("threshold", input, inplace, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place."""
    return maybe_inplace("threshold", input, True, threshold, value)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """`leaky_relu` with a slope drawn from ``[lower, upper)`` for each element while training."""
    return maybe_inplace("rrelu", input, inplace, lower, upper, training)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """``a * sigmoid(b)`` for the halves ``a``, ``b`` of ``input`` along ``dim``."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    found: Tensor = call("glu.default", input, dim)
    return found


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``"""
    return ops.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return ops.tanh(input)


def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``"""
    return input - ops.tanh(input)


def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``"""
    return input / (ops.abs(input) + 1)


def _default_dim(ndim: int) -> int:
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """``exp(x)`` over its sum along ``dim``."""
    return ops.softmax(input, _default_dim(input.ndim) if dim is None else dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`softmax` of ``-x``."""
    return softmax(-input, dim, _stacklevel, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The logarithm of `softmax`."""
    return ops.log_softmax(input, _default_dim(input.ndim) if dim is None else dim, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Samples of the Gumbel-softmax distribution (Jang et al., 2016), one-hot if ``hard``."""
    noise = -ops.log(ops.empty_like(logits).exponential_())
    soft = ops.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = ops.argmax(soft, dim, keepdim=True)
    return ops.zeros_like(logits).scatter_(dim, index, 1.0)
