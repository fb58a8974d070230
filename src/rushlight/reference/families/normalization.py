"""Normalisations. Statistics are computed in float64."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, Sizes, accumulate, cast, copy_of, dtype_of
from ..statistics import affine, statistics_dtype, variance

ThreeArrays = tuple[Array, Array, Array]


def _native_batch_norm_legit_no_stats(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> ThreeArrays:
    """Per channel (dimension 1): the result, the mean, and 1 / sqrt(variance + eps)."""
    axes = [i for i in range(input.ndim) if i != 1]
    spread, mean = variance(input, axes, 0, False)
    scale = 1 / np.sqrt(spread + eps)
    out = affine(input, mean, scale, weight, bias)
    dtype = statistics_dtype(input, weight)
    return out, cast(mean, dtype), cast(scale, dtype)


def _native_batch_norm_legit_no_training_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array,
    running_var: Array,
    momentum: float,
    eps: float,
) -> ThreeArrays:
    dtype = dtype_of(input)
    scale = 1 / np.sqrt(accumulate(running_var, dtype) + eps)
    out = affine(input, accumulate(running_mean, dtype), scale, weight, bias)
    nothing = np.zeros(0, dtype=np.float32)
    return out, cast(nothing, dtype), cast(nothing, dtype)


def _native_batch_norm_legit_functional_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array,
    running_var: Array,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Array, Array, Array, Array, Array]:
    """The last two results are the new running statistics."""
    if not training:
        results = _native_batch_norm_legit_no_training_default(
            input, weight, bias, running_mean, running_var, momentum, eps
        )
        return *results, copy_of(running_mean), copy_of(running_var)
    results = _native_batch_norm_legit_no_stats(input, weight, bias, True, momentum, eps)
    spread, mean = variance(input, [i for i in range(input.ndim) if i != 1], 1, False)
    moved = [
        cast((1 - momentum) * np.asarray(old, np.float64) + momentum * new, dtype_of(old))
        for old, new in ((running_mean, mean), (running_var, spread))
    ]
    return *results, moved[0], moved[1]


def _native_batch_norm_legit_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array,
    running_var: Array,
    training: bool,
    momentum: float,
    eps: float,
) -> ThreeArrays:
    """Training updates the running statistics in place."""
    out, mean, scale, new_mean, new_var = _native_batch_norm_legit_functional_default(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    if training:
        running_mean[...] = new_mean
        running_var[...] = new_var
    return out, mean, scale


def native_batch_norm_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> ThreeArrays:
    if running_mean is None or running_var is None:
        return _native_batch_norm_legit_no_stats(input, weight, bias, training, momentum, eps)
    return _native_batch_norm_legit_default(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )


def batch_norm_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Array:
    return native_batch_norm_default(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )[0]


def instance_norm_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Array:
    """Every channel of every sample is normalised by its own statistics."""
    if not use_input_stats:
        return batch_norm_default(
            input, weight, bias, running_mean, running_var, False, momentum, eps, cudnn_enabled
        )
    axes = tuple(range(2, input.ndim))
    spread, mean = variance(input, axes, 0, True)
    normal = (accumulate(input, dtype_of(input)) - mean) / np.sqrt(spread + eps)
    return affine(normal, None, None, weight, bias, dtype_of(input))


def native_layer_norm_default(
    input: Array,
    normalized_shape: Sizes,
    weight: Array | None,
    bias: Array | None,
    eps: float,
) -> ThreeArrays:
    """Over the last ``len(normalized_shape)`` dimensions."""
    rank = len(normalized_shape)
    if list(input.shape[input.ndim - rank :]) != list(normalized_shape):
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape "
            f"[*, {list(normalized_shape)}], but got input of size {list(input.shape)}"
        )
    dtype = dtype_of(input)
    axes = tuple(range(input.ndim - rank, input.ndim))
    spread, mean = variance(input, axes, 0, True)
    scale = 1 / np.sqrt(spread + eps)
    out = (accumulate(input, dtype) - mean) * scale
    if weight is not None:
        out = out * accumulate(weight, dtype)
    if bias is not None:
        out = out + accumulate(bias, dtype)
    kept = statistics_dtype(input, weight)
    return cast(out, dtype), cast(mean, kept), cast(scale, kept)


def layer_norm_default(
    input: Array,
    normalized_shape: Sizes,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Array:
    return native_layer_norm_default(input, normalized_shape, weight, bias, eps)[0]


def rms_norm_default(
    input: Array, normalized_shape: Sizes, weight: Array | None = None, eps: float | None = None
) -> Array:
    """x / sqrt(mean(x^2) + eps), Zhang and Sennrich (2019); eps defaults to the type's epsilon."""
    dtype = dtype_of(input)
    values = accumulate(input, dtype)
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    if eps is None:
        eps = float(np.finfo(np.float64 if dtype == "float64" else np.float32).eps)
    out = values / np.sqrt(np.mean(values**2, axis=axes, keepdims=True) + eps)
    return cast(out if weight is None else out * accumulate(weight, dtype), dtype)


def native_group_norm_default(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> ThreeArrays:
    """Wu and He, Group Normalization (2018): the channels of a group share their statistics."""
    grouped = np.asarray(input).reshape(N, group, -1)
    spread, mean = variance(grouped, [2], 0, True)
    scale = 1 / np.sqrt(spread + eps)
    normal = ((accumulate(grouped, dtype_of(input)) - mean) * scale).reshape(input.shape)
    kept = statistics_dtype(input, weight)
    return (
        affine(normal, None, None, weight, bias, dtype_of(input)),
        cast(mean.reshape(N, group), kept),
        cast(scale.reshape(N, group), kept),
    )


def group_norm_default(
    input: Array,
    num_groups: int,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Array:
    n, c = input.shape[:2]
    inner = math.prod(input.shape[2:])
    return native_group_norm_default(input, weight, bias, n, c, inner, num_groups, eps)[0]


def _weight_norm_interface_default(v: Array, g: Array, dim: int = 0) -> tuple[Array, Array]:
    """v scaled to the norms g; the norms run over all dimensions but `dim`."""
    dtype = dtype_of(v)
    values = accumulate(v, dtype)
    axes = tuple(i for i in range(v.ndim) if i != dim)
    norms = np.sqrt(np.sum(values**2, axis=axes, keepdims=True))
    return cast(values * (accumulate(g, dtype) / norms), dtype), cast(norms, dtype)


def _weight_norm_default(v: Array, g: Array, dim: int = 0) -> Array:
    return _weight_norm_interface_default(v, g, dim if dim >= 0 else v.ndim + dim)[0]
