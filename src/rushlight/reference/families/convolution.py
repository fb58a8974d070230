"""Convolutions, plain and transposed, over any number of dimensions."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Sizes, accumulate, cast, dtype_of, ints
from ..windows import convolution, pad_spatial, shifted, transposed_convolution, window_count


def convolution_default(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> Array:
    """input (N, C, *spatial) or (C, *spatial); weight (O, C/groups, *kernel), or transposed
    (C, O/groups, *kernel)."""
    rank = weight.ndim - 2
    dtype = dtype_of(input)
    if dtype != dtype_of(weight):
        raise RuntimeError(
            f"Input type ({dtype}) and weight type ({dtype_of(weight)}) should be the same"
        )
    batched = input.ndim == rank + 2
    data = accumulate(input if batched else input[None], dtype)
    channels = weight.shape[0] if transposed else weight.shape[1] * groups
    if data.shape[1] != channels:
        raise RuntimeError(
            f"convolution: input has {data.shape[1]} channels, weight expects {channels}"
        )
    data = data.reshape(len(data), groups, -1, *data.shape[2:])
    filters = accumulate(weight, dtype).reshape(groups, -1, *weight.shape[1:])
    steps = (ints(stride, rank), ints(padding, rank), ints(dilation, rank))
    if transposed:
        out = transposed_convolution(data, filters, *steps, ints(output_padding, rank))
    else:
        out = convolution(data, filters, *steps)
    out = out.reshape(len(out), -1, *out.shape[3:])
    if bias is not None:
        out = out + accumulate(bias, dtype).reshape(-1, *[1] * rank)
    return cast(out if batched else out[0], dtype)


def _convolution_default(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
    allow_tf32: bool,
) -> Array:
    return convolution_default(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


def conv1d_default(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    rank = weight.ndim - 2
    return convolution_default(
        input, weight, bias, ints(stride, rank), ints(padding, rank), ints(dilation, rank),
        False, (0,) * rank, groups,
    )  # fmt: skip


def conv2d_default(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    return conv1d_default(input, weight, bias, stride, padding, dilation, groups)


def conv3d_default(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    return conv1d_default(input, weight, bias, stride, padding, dilation, groups)


def conv1d_padding(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: str = "valid",
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    """`padding`: "valid" is none, "same" keeps the sizes (the odd element goes to the end)."""
    rank = weight.ndim - 2
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(ints(dilation, rank), weight.shape[2:], strict=True)]
        input = cast(
            pad_spatial(input, [t // 2 for t in total], [t - t // 2 for t in total], 0),
            dtype_of(input),
        )
    return conv1d_default(input, weight, bias, stride, 0, dilation, groups)


def conv2d_padding(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: str = "valid",
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    return conv1d_padding(input, weight, bias, stride, padding, dilation, groups)


def conv3d_padding(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: str = "valid",
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> Array:
    return conv1d_padding(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d_default(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    output_padding: int | Sizes = 0,
    groups: int = 1,
    dilation: int | Sizes = 1,
) -> Array:
    rank = weight.ndim - 2
    return convolution_default(
        input, weight, bias, ints(stride, rank), ints(padding, rank), ints(dilation, rank),
        True, ints(output_padding, rank), groups,
    )  # fmt: skip


def conv_transpose2d_input(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    output_padding: int | Sizes = 0,
    groups: int = 1,
    dilation: int | Sizes = 1,
) -> Array:
    return conv_transpose1d_default(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose3d_input(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    output_padding: int | Sizes = 0,
    groups: int = 1,
    dilation: int | Sizes = 1,
) -> Array:
    return conv_transpose1d_default(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def im2col_default(
    self: Array,
    kernel_size: int | Sizes,
    dilation: int | Sizes,
    padding: int | Sizes,
    stride: int | Sizes,
) -> Array:
    """(N, C, H, W) to (N, C * kernel, windows): every window as a column."""
    kernel, dilate, pads, step = (ints(v, 2) for v in (kernel_size, dilation, padding, stride))
    image = self if self.ndim == 4 else self[None]
    padded = pad_spatial(np.asarray(image), pads, pads, 0)
    counts = [window_count(padded.shape[2 + i], kernel[i], step[i], dilate[i]) for i in range(2)]
    rows = [part for _, part in shifted(padded, kernel, step, dilate, counts)]
    n, c = image.shape[:2]
    columns = np.stack(rows, axis=2).reshape(n, c * len(rows), counts[0] * counts[1])
    return cast(columns if self.ndim == 4 else columns[0], dtype_of(self))


def col2im_default(
    self: Array,
    output_size: Sizes,
    kernel_size: int | Sizes,
    dilation: int | Sizes,
    padding: int | Sizes,
    stride: int | Sizes,
) -> Array:
    """The inverse of `im2col`, where windows overlap the elements add up."""
    kernel, dilate, pads, step = (ints(v, 2) for v in (kernel_size, dilation, padding, stride))
    columns = accumulate(self if self.ndim == 3 else self[None], dtype_of(self))
    sizes = [o + 2 * p for o, p in zip(output_size, pads, strict=True)]
    counts = [window_count(sizes[i], kernel[i], step[i], dilate[i]) for i in range(2)]
    channels = columns.shape[1] // (kernel[0] * kernel[1])
    parts = columns.reshape(len(columns), channels, *kernel, *counts)
    image = np.zeros((len(columns), channels, *sizes), dtype=columns.dtype)
    for offset, view in shifted(image, kernel, step, dilate, counts):
        view[...] += parts[:, :, offset[0], offset[1]]
    cut = image[:, :, pads[0] : sizes[0] - pads[0], pads[1] : sizes[1] - pads[1]]
    return cast(cut if self.ndim == 3 else cut[0], dtype_of(self))
