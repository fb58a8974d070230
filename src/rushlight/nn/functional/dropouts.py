"""Dropout."""

from __future__ import annotations

from rushlight._C import Tensor
from rushlight.nn.functional.call import maybe_inplace

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]


def _check_p(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability ``p`` and scales the others by ``1 / (1 - p)``."""
    _check_p(p)
    return maybe_inplace("dropout", input, inplace, p, training)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean and variance of `selu` (Klambauer et al., 2017)."""
    _check_p(p)
    return maybe_inplace("alpha_dropout", input, inplace, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check_p(p)
    return maybe_inplace("feature_alpha_dropout", input, inplace, p, training)


def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool, rank: int) -> Tensor:
    _check_p(p)
    batched = input.ndim == rank
    x = input if batched else input.unsqueeze(0)
    out = maybe_inplace("feature_dropout", x, inplace, p, training)
    return out if batched else out.squeeze(0)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels: ``[N, C, L]`` or ``[C, L]``."""
    return _channel_dropout(input, p, training, inplace, 3)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels: ``[N, C, H, W]``."""
    return _channel_dropout(input, p, training, inplace, 4 if input.ndim != 3 else 3)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels: ``[N, C, D, H, W]``."""
    return _channel_dropout(input, p, training, inplace, 5)
