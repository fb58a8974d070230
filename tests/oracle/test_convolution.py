"""Convolutions against PyTorch: geometry, groups, layouts, dtypes and errors."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rushlight

from .test_linear_algebra import check as check_op
from .test_linear_algebra import random

pytestmark = pytest.mark.oracle


def check(name: str, x: Any, weight: Any, bias: Any, *geometry: Any) -> None:
    """`check_op` with numbers for lists; groups stay a number."""
    dims = weight.ndim - 2
    groups_at = 3
    lists = [
        g
        if isinstance(g, (list, str)) or i == groups_at
        else [g] * dims
        if isinstance(g, int)
        else list(g)
        for i, g in enumerate(geometry)
    ]
    check_op(name, x, weight, bias, *lists)


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (5, 2), (1, 7)])
@pytest.mark.parametrize("stride", [1, 2, (3, 1)])
@pytest.mark.parametrize("padding", [0, 1, (0, 2), 4])
@pytest.mark.parametrize("dilation", [1, 2, (1, 3)])
def test_conv2d_geometry(kernel: tuple[int, int], stride: Any, padding: Any, dilation: Any) -> None:
    weight = random(7, 5, *kernel)
    for height, width in [(19, 23), (16, 24), (13, 40)]:
        check("conv2d", random(2, 5, height, width), weight, random(7), stride, padding, dilation)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d_groups(groups: int, multiplier: int, stride: int) -> None:
    weight = random(6 * multiplier, 6 // groups, 3, 3)
    for size in (4, 9, 31):
        x = random(3, 6, size, size)
        check("conv2d", x, weight, None, stride, 1, 1, groups)
        check("conv2d", x, weight, random(6 * multiplier), stride, 0, 1, groups)


@pytest.mark.parametrize(
    ("batch", "channels", "size", "out", "kernel", "stride", "padding"),
    [
        (1, 3, 64, 64, 7, 2, 3),
        (1, 64, 28, 64, 3, 1, 1),
        (2, 64, 14, 128, 3, 2, 1),
        (1, 256, 14, 96, 1, 1, 0),
        (1, 64, 14, 96, 1, 2, 0),
        (1, 512, 7, 128, 3, 1, 1),
        (5, 32, 7, 40, 3, 1, 1),
        (1, 960, 7, 33, 1, 1, 0),
    ],
)
def test_conv2d_network_layers(
    batch: int, channels: int, size: int, out: int, kernel: int, stride: int, padding: int
) -> None:
    x, weight = random(batch, channels, size, size), random(out, channels, kernel, kernel)
    check("conv2d", x, weight, random(out), stride, padding)
    check("conv2d", x.to(memory_format=torch.channels_last), weight, None, stride, padding)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "bfloat16", "float16", "int64", "complex64"]
)
def test_conv_dtypes(dtype: str) -> None:
    x, w, b = (
        random(2, 4, 9, 8, dtype=dtype),
        random(6, 2, 3, 3, dtype=dtype),
        random(6, dtype=dtype),
    )
    check("conv2d", x, w, b, 1, 1, 1, 2)
    check("conv2d", x, w, None, 2, 1, 2, 2)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_conv_dims_and_unbatched(dims: int) -> None:
    x, w, b = random(2, 4, *[7, 8, 9][:dims]), random(6, 4, *[3, 2, 3][:dims]), random(6)
    name = f"conv{dims}d"
    check(name, x, w, b)
    check(name, x[0], w, b, 2, 1)
    check(name, x[:0], w, b)
    check(name, x, w, b, 1, 2, 2)
    check(f"{name}.padding", x, w, b, [1] * dims, "same")
    check(f"{name}.padding", x, w, b, [1] * dims, "same", [2] * dims)
    check(f"{name}.padding", x[1], w, None, [2] * dims, "valid")
    check_op("convolution", x, w, b, [2], [1], [1], False, [0], 1)
    check_op("convolution", x[:, :2], w[:, :1], b, [1], [1], [1], False, [0], 2)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_conv_transpose(dims: int, groups: int) -> None:
    name = f"conv_transpose{dims}d" + (".input" if dims > 1 else "")
    x, w, b = random(2, 4, *[5, 6, 4][:dims]), random(4, 3, *[3, 4, 2][:dims]), random(3 * groups)
    check(name, x, w, b, 1, 0, 0, groups)
    check(name, x, w, None, 2, 1, 1, groups)
    check(name, x, w, b, 3, 1, 2, groups, 2)
    check(name, x[0], w, b, 2, 0, 0, groups)
    check_op("convolution", x, w, b, [2], [1], [1], True, [1], groups)


def test_conv_transpose_dtypes() -> None:
    for dtype in ("float64", "bfloat16", "complex64", "int64"):
        x, w = random(2, 4, 5, 6, dtype=dtype), random(4, 3, 3, 3, dtype=dtype)
        check("conv_transpose2d.input", x, w, random(3, dtype=dtype), 2, 1, 1)


@pytest.mark.parametrize(
    ("x", "w", "b", "arguments"),
    [
        ((1, 4, 5, 5), (2, 3, 3, 3), None, ()),
        ((4, 5, 5), (2, 3, 3, 3), None, ()),
        ((4, 5), (2, 3, 3, 3), None, ()),
        ((1, 3, 2, 2), (2, 3, 3, 3), None, ()),
        ((1, 3, 5, 5), (2, 3, 3, 3), (3,), ()),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([0, 1],)),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([1, 1], [-1, 0])),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([1, 1], [0, 0], [0, 1])),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([1, 1], [0, 0], [1, 1], 2)),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([1, 1], [0, 0], [1, 1], 0)),
        ((1, 3, 5, 5), (2, 3, 3, 3), None, ([1, 1, 1],)),
        ((1, 3, 5, 5), (0, 3, 3, 3), None, ()),
    ],
)
def test_errors_read_like_pytorch(
    x: tuple[int, ...], w: tuple[int, ...], b: tuple[int, ...] | None, arguments: tuple[Any, ...]
) -> None:
    tensors = [random(*x), random(*w), None if b is None else random(*b)]
    with pytest.raises(RuntimeError) as expected:
        torch.ops.aten.conv2d(*tensors, *arguments)
    with pytest.raises(RuntimeError) as actual:
        rushlight.ops.aten.conv2d(*tensors, *arguments)
    assert str(expected.value).split("\n")[0] in str(actual.value)
