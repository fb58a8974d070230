"""Functions of neural networks: ``torch.nn.functional``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor, dtype
from rushlight._operators_nn_functional import *  # noqa: F403
from rushlight._operators_nn_functional import __all__ as _names

Sizes = int | Sequence[int]

__all__ = [  # noqa: PLE0604
    *_names,
    "multi_margin_loss", "multilabel_margin_loss", "triplet_margin_with_distance_loss",
    "ctc_loss", "max_pool1d_with_indices", "max_pool2d_with_indices",
    "max_pool3d_with_indices", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices",
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "alpha_dropout", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
    "cross_entropy", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu", "elu_", "embedding",
    "embedding_bag", "feature_alpha_dropout", "fold", "gaussian_nll_loss", "glu", "grid_sample",
    "group_norm", "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_",
    "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss",
    "layer_norm", "leaky_relu", "leaky_relu_", "local_response_norm", "log_softmax", "lp_pool1d",
    "lp_pool2d", "lp_pool3d", "margin_ranking_loss", "max_pool1d", "max_pool2d", "max_pool3d",
    "mish", "mse_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "pad",
    "poisson_nll_loss", "relu", "relu6", "rms_norm", "rrelu", "selu", "sigmoid", "silu",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softsign", "tanh", "tanhshrink",
    "threshold", "threshold_", "triplet_margin_loss", "unfold", "upsample", "upsample_bilinear",
    "upsample_nearest",
]  # fmt: skip


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return _C.call_op(f"aten.{name}", *args, **kwargs)


def _reduction(name: str) -> int:
    names = ("none", "mean", "sum")
    if name not in names:
        raise ValueError(f"{name} is not a valid value for reduction")
    return names.index(name)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    kind = _reduction(reduction)
    return loss if kind == 0 else loss.mean() if kind == 1 else loss.sum()


def _maybe_inplace(name: str, input: Tensor, inplace: bool, *args: Any, **kwargs: Any) -> Tensor:
    found: Tensor = _call(f"{name}{'_' if inplace else ''}.default", input, *args, **kwargs)
    return found


# Activations.


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(x, 0)``"""
    return _maybe_inplace("relu", input, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x, 0), 6)``"""
    return _maybe_inplace("relu6", input, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` for positive elements, ``negative_slope * x`` for the others."""
    return _maybe_inplace("leaky_relu", input, inplace, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` for positive elements, ``alpha * (exp(x) - 1)`` for the others (Clevert, 2015)."""
    return _maybe_inplace("elu", input, inplace, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return elu(input, alpha, True)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Scaled `elu` (Klambauer et al., 2017)."""
    return _maybe_inplace("selu", input, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``"""
    return _maybe_inplace("silu", input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))`` (Misra, 2019)."""
    return _maybe_inplace("mish", input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x / 6 + 1 / 2, 0), 1)``"""
    return _maybe_inplace("hardsigmoid", input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``"""
    return _maybe_inplace("hardswish", input, inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """``x`` cut to ``[min_val, max_val]``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _maybe_inplace("hardtanh", input, inplace, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it exceeds ``threshold``, ``value`` elsewhere."""
    return _maybe_inplace("threshold", input, inplace, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place."""
    return _maybe_inplace("threshold", input, True, threshold, value)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """`leaky_relu` with a slope drawn from ``[lower, upper)`` for each element while training."""
    return _maybe_inplace("rrelu", input, inplace, lower, upper, training)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """``a * sigmoid(b)`` for the halves ``a``, ``b`` of ``input`` along ``dim``."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    found: Tensor = _call("glu.default", input, dim)
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


# Dropout.


def _check_p(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability ``p`` and scales the others by ``1 / (1 - p)``."""
    _check_p(p)
    return _maybe_inplace("dropout", input, inplace, p, training)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean and variance of `selu` (Klambauer et al., 2017)."""
    _check_p(p)
    return _maybe_inplace("alpha_dropout", input, inplace, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check_p(p)
    return _maybe_inplace("feature_alpha_dropout", input, inplace, p, training)


def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool, rank: int) -> Tensor:
    _check_p(p)
    batched = input.ndim == rank
    x = input if batched else input.unsqueeze(0)
    out = _maybe_inplace("feature_dropout", x, inplace, p, training)
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


# Normalization.


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then ``* weight + bias`` (Ba et al.,
    2016)."""
    found: Tensor = _call("layer_norm.default", input, list(normalized_shape), weight, bias, eps)
    return found


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Unit root mean square over the last dimensions, then ``* weight``."""
    found: Tensor = _call("rms_norm.default", input, list(normalized_shape), weight, eps)
    return found


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance over groups of channels (Wu and He, 2018)."""
    found: Tensor = _call("group_norm.default", input, num_groups, weight, bias, eps)
    return found


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance of each channel over the batch (Ioffe and Szegedy, 2015). While
    training, running statistics are updated with the batch's."""
    if training:
        dims = [d for d in range(input.ndim) if d != 1]
        count = input.numel() // max(input.shape[1], 1)
        if count <= 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size "
                f"{input.shape}"
            )
        if running_mean is not None:
            running_mean.lerp_(input.mean(dims).to(running_mean.dtype), momentum)
        if running_var is not None:
            running_var.lerp_(input.var(dims).to(running_var.dtype), momentum)
        found: Tensor = _call(
            "batch_norm.default", input, weight, bias, None, None, True, momentum, eps, False
        )
        return found
    evaluated: Tensor = _call(
        "batch_norm.default", input, weight, bias, running_mean, running_var, False, momentum, eps,
        False,
    )  # fmt: skip
    return evaluated


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance of each channel of each sample (Ulyanov et al., 2016)."""
    if use_input_stats and running_mean is not None and running_var is not None:
        dims = list(range(2, input.ndim))
        running_mean.lerp_(input.mean(dims).mean(0).to(running_mean.dtype), momentum)
        running_var.lerp_(input.var(dims).mean(0).to(running_var.dtype), momentum)
        running_mean = running_var = None
    found: Tensor = _call(
        "instance_norm.default", input, weight, bias, running_mean, running_var, use_input_stats,
        momentum, eps, False,
    )  # fmt: skip
    return found


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divides by ``(k + alpha * mean of squares over size neighbouring channels) ** beta``."""
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)"
        )
    squares = ops.movedim(input * input, 1, -1)
    padded = pad(squares, [size // 2, (size - 1) // 2])
    mean = ops.movedim(padded.unfold(-1, size, 1).mean(-1), -1, 1)
    return input / (mean * alpha + k) ** beta


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """``input`` over its norm along ``dim``, which counts as at least ``eps``."""
    size = _call("linalg_vector_norm.default", input, p, [dim], True)
    return ops.div(input, size.clamp(min=eps), out=out)


# Losses.


def _loss(name: str, reduction: str, *args: Any, **kwargs: Any) -> Tensor:
    found: Tensor = _call(f"{name}.default", *args, reduction=_reduction(reduction), **kwargs)
    return found


def _weighted(loss: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    if weight is None:
        return _reduced(loss, reduction)
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.sum()
    return _reduced(loss, reduction)


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
    return _reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


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
    return _reduced(ops.where((target == 1) | (target == -1), loss, 0.0), reduction)


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
    return _reduced((near - far + margin).clamp(min=0), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of `binary_cross_entropy_with_logits`."""
    log_sigmoid = _call("log_sigmoid.default", input)
    log_other = _call("log_sigmoid.default", -input)
    loss: Tensor = -(target * log_sigmoid + (1 - target) * log_other)
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.mean(-1), reduction)


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
    found: Tensor = _call(
        "poisson_nll_loss.default", input, target, log_input, full, eps, _reduction(reduction)
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
    return _reduced(loss, reduction)


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
    found: Tensor = _call(
        "binary_cross_entropy_with_logits.default", input, target, weight, pos_weight,
        _reduction(reduction),
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
    found: Tensor = _call(
        "nll_loss_nd.default", input, target, weight, _reduction(reduction), ignore_index
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
    found: Tensor = _call(
        "cross_entropy_loss.default", input, target, weight, _reduction(reduction), ignore_index,
        label_smoothing,
    )  # fmt: skip
    return found


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
    found: Tensor = _call(
        "multi_margin_loss.default", input, target, p, margin, weight, _reduction(reduction)
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
    found: Tensor = _call("multilabel_margin_loss.default", input, target, _reduction(reduction))
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
    return _reduced((near - far + margin).clamp(min=0), reduction)


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
    found: Tensor = _call(
        "ctc_loss.IntList", log_probs, targets, *lengths, blank, _reduction(reduction),
        zero_infinity,
    )  # fmt: skip
    return found


# Pooling.


def _max_pool(
    rank: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    name = f"max_pool{rank}d{'_with_indices' if return_indices else ''}.default"
    return _call(
        name, input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode
    )


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, L]`` or ``[C, L]``."""
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, H, W]`` or ``[C, H, W]``."""
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, D, H, W]`` or ``[C, D, H, W]``."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _output_size(input: Tensor, output_size: Any, rank: int) -> list[int]:
    wanted = [output_size] * rank if isinstance(output_size, int) else list(output_size)
    sizes = input.shape[input.ndim - rank :]
    return [n if w is None else w for w, n in zip(wanted, sizes, strict=True)]


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says."""
    return ops.adaptive_avg_pool1d(input, _output_size(input, output_size, 1))


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says; None keeps a size."""
    found: Tensor = _call("adaptive_avg_pool2d.default", input, _output_size(input, output_size, 2))
    return found


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says; None keeps a size."""
    found: Tensor = _call("adaptive_avg_pool3d.default", input, _output_size(input, output_size, 3))
    return found


def _adaptive_max_pool(rank: int, input: Tensor, output_size: Any, return_indices: bool) -> Any:
    found = _call(
        f"adaptive_max_pool{rank}d.default", input, _output_size(input, output_size, rank)
    )
    return found if return_indices else found[0]


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(3, input, output_size, return_indices)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        1, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(1, input, output_size, True)
    return found


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        2, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(2, input, output_size, True)
    return found


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        3, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(3, input, output_size, True)
    return found


def _lp_pool(
    rank: int,
    average: Callable[..., Tensor],
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None,
    ceil_mode: bool,
) -> Tensor:
    sizes = [kernel_size] * rank if isinstance(kernel_size, int) else list(kernel_size)
    powers = average(
        ops.pow(input, norm_type), sizes, sizes if stride is None else stride, 0, ceil_mode
    )
    total = ops.sign(powers) * ops.relu(ops.abs(powers)) * math.prod(sizes)
    return ops.pow(total, 1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool1d

    return _lp_pool(1, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool2d

    return _lp_pool(2, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool3d

    return _lp_pool(3, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)


# Tables, patches, padding, sampling.


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of ``weight`` at the positions ``input``; rows longer than ``max_norm`` are scaled down
    to it first, in place."""
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("padding_idx must be within num_embeddings")
    if max_norm is not None:
        used = _C.call_op("aten._unique.default", input.flatten())[0]
        weight[used] = ops.renorm(weight[used], norm_type, 0, max_norm)
    index = -1 if padding_idx is None else padding_idx % weight.shape[0]
    return ops.embedding(weight, input, index, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of ``weight``."""
    modes = ("sum", "mean", "max")
    if mode not in modes:
        raise ValueError("mode has to be one of sum, mean or max")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None")
        offsets = ops.arange(0, input.numel(), input.shape[1])
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    found = _call(
        "embedding_bag.padding_idx", weight, input, offsets, scale_grad_by_freq, modes.index(mode),
        sparse, per_sample_weights, include_last_offset, padding_idx,
    )  # fmt: skip
    out: Tensor = found[0]
    return out


def unfold(
    input: Tensor,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Image patches as columns: ``[N, C, H, W] -> [N, C * kernel, patches]``."""
    found: Tensor = _call("im2col.default", input, kernel_size, dilation, padding, stride)
    return found


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """The sum of patches put back into an image: the transpose of `unfold`."""
    found: Tensor = _call(
        "col2im.default", input, output_size, kernel_size, dilation, padding, stride
    )
    return found


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """``input`` with elements added (or, for negative numbers, taken away) at both ends of its last
    dimensions: ``pad`` holds (before, after) of the last one, then of the one before it, …"""
    found: Tensor = _call("pad.default", input, list(pad), mode, value)
    return found


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """``input`` read at the coordinates (in [-1, 1]) of ``grid``."""
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be one of {modes}, but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            f"nn.functional.grid_sample(): expected padding_mode to be one of "
            f"{paddings}, but got: '{padding_mode}'"
        )
    return ops.grid_sampler(
        input, grid, modes.index(mode), paddings.index(padding_mode), bool(align_corners)
    )


_UPSAMPLE = {
    ("nearest", 1): "upsample_nearest1d",
    ("nearest", 2): "upsample_nearest2d",
    ("nearest", 3): "upsample_nearest3d",
    ("nearest-exact", 1): "_upsample_nearest_exact1d",
    ("nearest-exact", 2): "_upsample_nearest_exact2d",
    ("nearest-exact", 3): "_upsample_nearest_exact3d",
    ("linear", 1): "upsample_linear1d",
    ("bilinear", 2): "upsample_bilinear2d",
    ("trilinear", 3): "upsample_trilinear3d",
    ("bicubic", 2): "upsample_bicubic2d",
}


def interpolate(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """``input`` ([N, C, ...]) in another size: to ``size`` or by ``scale_factor``.

    ``mode`` is ``'nearest'``, ``'nearest-exact'``, ``'linear'``, ``'bilinear'``, ``'bicubic'``,
    ``'trilinear'`` or ``'area'``.
    """
    rank = input.ndim - 2
    nearest = mode in ("nearest", "nearest-exact", "area")
    if nearest and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined"
        )
    if antialias:
        return _antialiased(input, size, scale_factor, mode, bool(align_corners))
    sizes: list[int] | None = None
    factors: list[float] | None = None
    if size is not None:
        sizes = [size] * rank if isinstance(size, int) else list(size)
    elif isinstance(scale_factor, (int, float)):
        factors = [float(scale_factor)] * rank
    elif scale_factor is not None:
        factors = [float(f) for f in scale_factor]
    if len(sizes or factors or []) != rank:
        raise ValueError(
            f"Input and output must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(input.shape[2:])} and output size of {sizes or factors}"
        )
    if factors is not None and (recompute_scale_factor or mode == "area"):
        sizes = [math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
        factors = None
    if mode == "area":
        pools = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)
        return pools[rank - 1](input, sizes)
    name = _UPSAMPLE.get((mode, rank))
    if name is None:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the "
            f"modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got "
            f"{mode})"
        )
    flags = [] if nearest else [bool(align_corners)]
    found: Tensor = _call(f"{name}.vec", input, sizes, *flags, factors)
    return found


def _antialiased(
    input: Tensor, size: Any, scale_factor: Any, mode: str, align_corners: bool
) -> Tensor:
    if mode not in ("bilinear", "bicubic") or input.ndim != 4:
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and "
            "requires a 4-D tensor as input"
        )
    sizes = [size] * 2 if isinstance(size, int) else size and list(size)
    factors = [float(scale_factor)] * 2 if isinstance(scale_factor, (int, float)) else scale_factor
    found: Tensor = _call(
        f"_upsample_{mode}2d_aa.vec", input, sizes, align_corners, factors and list(factors)
    )
    return found


def upsample(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with ``mode='nearest'``."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with ``mode='bilinear'`` and ``align_corners=True``."""
    return interpolate(input, size, scale_factor, "bilinear", True)
