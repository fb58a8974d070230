"""Loss functions. `reduction`: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, accumulate, cast, dtype_of
from ..losses import negative_log_likelihood, reduced
from ..promotion import result_type
from ..softmax import log_softmax


def mse_loss_default(self: Array, target: Array, reduction: int = 1) -> Array:
    dtype = result_type(self, target)
    return reduced((accumulate(self, dtype) - accumulate(target, dtype)) ** 2, reduction, dtype)


def l1_loss_default(self: Array, target: Array, reduction: int = 1) -> Array:
    dtype = result_type(self, target)
    gap = np.abs(accumulate(self, dtype) - accumulate(target, dtype))
    return reduced(gap, reduction, dtype)


def smooth_l1_loss_default(
    self: Array, target: Array, reduction: int = 1, beta: float = 1.0
) -> Array:
    dtype = result_type(self, target)
    gap = np.abs(accumulate(self, dtype) - accumulate(target, dtype))
    square = 0.5 * gap**2 / beta if beta else gap
    return reduced(np.where(gap < beta, square, gap - 0.5 * beta), reduction, dtype)


def huber_loss_default(self: Array, target: Array, reduction: int = 1, delta: float = 1.0) -> Array:
    dtype = result_type(self, target)
    gap = np.abs(accumulate(self, dtype) - accumulate(target, dtype))
    loss = np.where(gap <= delta, 0.5 * gap**2, delta * (gap - 0.5 * delta))
    return reduced(loss, reduction, dtype)


def binary_cross_entropy_default(
    self: Array, target: Array, weight: Array | None = None, reduction: int = 1
) -> Array:
    """-(y log p + (1 - y) log(1 - p)); the logarithms are at least -100."""
    dtype = dtype_of(self)
    p, y = accumulate(self, dtype), accumulate(target, dtype)
    loss = -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100))
    return reduced(loss if weight is None else loss * accumulate(weight, dtype), reduction, dtype)


def binary_cross_entropy_with_logits_default(
    self: Array,
    target: Array,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: int = 1,
) -> Array:
    dtype = dtype_of(self)
    x, y = accumulate(self, dtype), accumulate(target, dtype)
    log_p, log_q = -np.logaddexp(0, -x), -np.logaddexp(0, x)
    positive = y if pos_weight is None else y * accumulate(pos_weight, dtype)
    loss = -(positive * log_p + (1 - y) * log_q)
    return reduced(loss if weight is None else loss * accumulate(weight, dtype), reduction, dtype)


def kl_div_default(
    self: Array, target: Array, reduction: int = 1, *, log_target: bool = False
) -> Array:
    """target * (log target - self), where self holds logarithms."""
    dtype = result_type(self, target)
    x, y = accumulate(self, dtype), accumulate(target, dtype)
    if log_target:
        return reduced(np.exp(y) * (y - x), reduction, dtype)
    logs = np.where(y == 0, 0, y * np.log(np.where(y == 0, 1, y)))
    return reduced(logs - y * x, reduction, dtype)


def soft_margin_loss_default(self: Array, target: Array, reduction: int = 1) -> Array:
    dtype = dtype_of(self)
    loss = np.log1p(np.exp(-accumulate(self, dtype) * accumulate(target, dtype)))
    return reduced(loss, reduction, dtype)


def margin_ranking_loss_default(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: int = 1
) -> Array:
    dtype = result_type(input1, input2)
    gap = accumulate(input1, dtype) - accumulate(input2, dtype)
    return reduced(np.maximum(-accumulate(target, dtype) * gap + margin, 0), reduction, dtype)


def hinge_embedding_loss_default(
    self: Array, target: Array, margin: float = 1.0, reduction: int = 1
) -> Array:
    dtype = dtype_of(self)
    x = accumulate(self, dtype)
    loss = np.where(target == 1, x, 0) + np.where(target == -1, np.maximum(margin - x, 0), 0)
    return reduced(loss, reduction, dtype)


def cosine_embedding_loss_default(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: int = 1
) -> Array:
    """1 - cos for pairs with target 1, max(0, cos - margin) for -1."""
    dtype = dtype_of(input1)
    a, b = accumulate(input1, dtype), accumulate(input2, dtype)
    squares = ((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12)
    cosine = (a * b).sum(-1) / np.sqrt(squares)
    loss = np.where(target == 1, 1 - cosine, 0)
    loss = loss + np.where(target == -1, np.maximum(cosine - margin, 0), 0)
    return reduced(loss, reduction, dtype)


def triplet_margin_loss_default(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 1,
) -> Array:
    dtype = dtype_of(anchor)
    a, b, c = (accumulate(x, dtype) for x in (anchor, positive, negative))

    def distance(x: Array, y: Array) -> Array:
        return np.asarray((np.abs(x - y + eps) ** p).sum(-1) ** (1 / p))

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    return reduced(np.maximum(margin + distance(a, b) - far, 0), reduction, dtype)


def nll_loss_nd_default(
    self: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
) -> Array:
    """-weight[target] * self[target] over log-probabilities (N, C, …); mean divides by weights."""
    return negative_log_likelihood(self, target, weight, reduction, ignore_index)[0]


def nll_loss_default(
    self: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
) -> Array:
    return negative_log_likelihood(self, target, weight, reduction, ignore_index)[0]


def nll_loss_forward_default(
    self: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    return negative_log_likelihood(self, target, weight, reduction, ignore_index)


def nll_loss2d_forward_default(
    self: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    return negative_log_likelihood(self, target, weight, reduction, ignore_index)


def cross_entropy_loss_default(
    self: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Array:
    """Classes are dimension 1 (0 of a vector); the target holds classes or probabilities."""
    dtype = dtype_of(self)
    axis = 0 if self.ndim == 1 else 1
    logs = log_softmax(accumulate(self, dtype), axis)
    classes = self.shape[axis]
    shape = tuple(classes if i == axis else 1 for i in range(self.ndim))
    scale = np.ones(shape) if weight is None else accumulate(weight, dtype).reshape(shape)
    if target.shape == self.shape and target.dtype.kind == "f":
        goal = accumulate(target, dtype) * (1 - label_smoothing) + label_smoothing / classes
        loss = -(logs * goal * scale).sum(axis=axis)
        if reduction == 1:
            return cast(loss.sum() / max(1, self.size // classes), dtype)
        return reduced(loss, reduction, dtype)
    if label_smoothing == 0:
        return nll_loss_default(cast(logs, dtype), target, weight, reduction, ignore_index)
    hard, total = negative_log_likelihood(logs, target, weight, reduction, ignore_index)
    kept = target != ignore_index
    smooth = np.where(kept, -(logs * scale).sum(axis=axis), 0)
    if reduction == 1:
        smooth = smooth.sum() / (total if weight is not None else kept.sum())
    elif reduction == 2:
        smooth = smooth.sum()
    return cast((1 - label_smoothing) * hard + smooth * label_smoothing / classes, dtype)
