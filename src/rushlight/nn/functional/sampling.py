"""Tables, patches, padding, resizing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight.nn.functional.call import Sizes, call
from rushlight.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)

__all__ = [
    "embedding",
    "embedding_bag",
    "fold",
    "grid_sample",
    "interpolate",
    "pad",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]


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
    found = call(
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
    found: Tensor = call("im2col.default", input, kernel_size, dilation, padding, stride)
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
    found: Tensor = call(
        "col2im.default", input, output_size, kernel_size, dilation, padding, stride
    )
    return found


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """``input`` with elements added (or, for negative numbers, taken away) at both ends of its last
    dimensions: ``pad`` holds (before, after) of the last one, then of the one before it, …"""
    found: Tensor = call("pad.default", input, list(pad), mode, value)
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
    found: Tensor = call(f"{name}.vec", input, sizes, *flags, factors)
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
    found: Tensor = call(
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
