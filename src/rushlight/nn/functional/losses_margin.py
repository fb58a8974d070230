"""Losses with a margin, of classes, pairs and triplets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight.nn.functional.call import call, reduced, reduction_code

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def _loss(name: str, reduction: str, *args: Any, **kwargs: Any) -> Tensor:
    found: Tensor = call(f"{name}.default", *args, reduction=reduction_code(reduction), **kwargs)
    return found


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target * input))``"""
    return _loss("soft_margin_loss", reduction, input, target)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``x`` where the target is 1, ``max(0, margin - x)`` where it is -1."""
    return _loss("hinge_embedding_loss", reduction, input, target, margin)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``"""
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``1 - cos`` of pairs with target 1, ``max(0, cos - margin)`` of pairs with target -1."""
    similarity = ops.cosine_similarity(input1, input2, -1, 1e-12)
    loss = ops.where(target == 1, 1 - similarity, (similarity - margin).clamp(min=0))
    return reduced(ops.where((target == 1) | (target == -1), loss, 0.0), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, |anchor - positive| - |anchor - negative| + margin)`` (Schroff et al., 2015)."""
    near = ops.pairwise_distance(anchor, positive, p, eps)
    far = ops.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, ops.pairwise_distance(positive, negative, p, eps))
    return reduced((near - far + margin).clamp(min=0), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of `binary_cross_entropy_with_logits`."""
    log_sigmoid = call("log_sigmoid.default", input)
    log_other = call("log_sigmoid.default", -input)
    loss: Tensor = -(target * log_sigmoid + (1 - target) * log_other)
    if weight is not None:
        loss = loss * weight
    return reduced(loss.mean(-1), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the other classes of ``max(0, margin - input[target] + input[class]) ** p``."""
    found: Tensor = call(
        "multi_margin_loss.default", input, target, p, margin, weight, reduction_code(reduction)
    )
    return found


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`multi_margin_loss` of several target classes, which -1 ends."""
    found: Tensor = call("multilabel_margin_loss.default", input, target, reduction_code(reduction))
    return found


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with another distance."""
    distance = distance_function or ops.pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced((near - far + margin).clamp(min=0), reduction)
