"""Losses of regression and classification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight.nn.functional.call import call, reduced, reduction_code

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "ctc_loss",
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]


def _loss(name: str, reduction: str, *args: Any, **kwargs: Any) -> Tensor:
    found: Tensor = call(f"{name}.default", *args, reduction=reduction_code(reduction), **kwargs)
    return found


def _weighted(loss: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    if weight is None:
        return reduced(loss, reduction)
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.sum()
    return reduced(loss, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """``(input - target) ** 2``"""
    if weight is not None:
        return _weighted(_loss("mse_loss", "none", input, target), weight, reduction)
    return _loss("mse_loss", reduction, input, target)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """``|input - target|``"""
    if weight is not None:
        return _weighted(_loss("l1_loss", "none", input, target), weight, reduction)
    return _loss("l1_loss", reduction, input, target)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Quadratic below ``beta``, then linear (Girshick, 2015)."""
    return _loss("smooth_l1_loss", reduction, input, target, beta=beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Quadratic below ``delta``, then linear (Huber, 1964)."""
    if weight is not None:
        loss = _loss("huber_loss", "none", input, target, delta=delta)
        return _weighted(loss, weight, reduction)
    return _loss("huber_loss", reduction, input, target, delta=delta)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of Poisson counts."""
    found: Tensor = call(
        "poisson_nll_loss.default", input, target, log_input, full, eps, reduction_code(reduction)
    )
    return found


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of normal numbers with mean ``input`` and variance ``var``."""
    if isinstance(var, Tensor):
        variance = var
        if variance.shape != input.shape and tuple(variance.shape) == tuple(input.shape[:-1]):
            variance = variance.unsqueeze(-1)
    else:
        variance = ops.full_like(input, var)
    if bool((variance < 0).any()):
        raise ValueError("var has negative entry/entries")
    variance = variance.clamp(min=eps)
    loss = 0.5 * (ops.log(variance) + (input - target) ** 2 / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of log-probabilities ``input`` from ``target``."""
    if reduction == "batchmean":
        total = _loss("kl_div", "sum", input, target, log_target=log_target)
        return total / input.shape[0] if input.ndim else total
    return _loss("kl_div", reduction, input, target, log_target=log_target)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-(target * log(input) + (1 - target) * log(1 - input))``"""
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    return _loss("binary_cross_entropy", reduction, input, target, weight)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of ``sigmoid(input)``, without losing digits."""
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    found: Tensor = call(
        "binary_cross_entropy_with_logits.default", input, target, weight, pos_weight,
        reduction_code(reduction),
    )  # fmt: skip
    return found


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-input`` at the class that ``target`` names: ``[N, C, ...]`` log-probabilities, classes
    ``[N, ...]``."""
    found: Tensor = call(
        "nll_loss_nd.default", input, target, weight, reduction_code(reduction), ignore_index
    )
    return found


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of `log_softmax`; ``target`` holds classes or probabilities of classes."""
    found: Tensor = call(
        "cross_entropy_loss.default",
        input,
        target,
        weight,
        reduction_code(reduction),
        ignore_index,
        label_smoothing,
    )
    return found


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Connectionist temporal classification (Graves et al., 2006): ``[T, N, C]``
    log-probabilities."""
    lengths = [
        [int(n) for n in (given.tolist() if isinstance(given, Tensor) else given)]
        for given in (input_lengths, target_lengths)
    ]
    found: Tensor = call(
        "ctc_loss.IntList", log_probs, targets, *lengths, blank, reduction_code(reduction),
        zero_infinity,
    )  # fmt: skip
    return found
