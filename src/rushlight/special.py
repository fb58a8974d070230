"""Special functions: ``torch.special``."""

from __future__ import annotations

from rushlight import _operators as _ops
from rushlight._C import Tensor, dtype
from rushlight._operators_special import *  # noqa: F403
from rushlight._operators_special import __all__ as _names

__all__ = [*_names, "log_softmax", "softmax"]  # noqa: PLE0604


def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """``exp(x)`` over its sum along ``dim``."""
    return _ops.softmax(input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    return _ops.log_softmax(input, dim, dtype)
