"""Normalization."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight.nn.functional.call import call
from rushlight.nn.functional.sampling import pad

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then ``* weight + bias`` (Ba et al.,
    2016)."""
    found: Tensor = call("layer_norm.default", input, list(normalized_shape), weight, bias, eps)
    return found


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Unit root mean square over the last dimensions, then ``* weight``."""
    found: Tensor = call("rms_norm.default", input, list(normalized_shape), weight, eps)
    return found


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Zero mean and unit variance over groups of channels (Wu and He, 2018)."""
    found: Tensor = call("group_norm.default", input, num_groups, weight, bias, eps)
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
        found: Tensor = call(
            "batch_norm.default", input, weight, bias, None, None, True, momentum, eps, False
        )
        return found
    evaluated: Tensor = call(
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
    found: Tensor = call(
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
    size = call("linalg_vector_norm.default", input, p, [dim], True)
    return ops.div(input, size.clamp(min=eps), out=out)
