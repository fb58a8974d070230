"""Rearranged, repeated, padded copies."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, EMPTY, SCALAR, tolerance

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_every_dtype(t: torch.Tensor) -> None:
    check("clone", t)
    check("repeat", t, [2, 1, 1, 3])
    check("repeat", t, [0, 1, 1])
    check("tile", t, [2])
    check("tile", t, [2, 1, 2, 1])
    check("roll", t, [1, -2], [0, 2])
    check("roll", t, [5])
    check("roll", t, [7], [1])
    check("flip", t, [0, 2])
    check("flip", t, [])
    check("fliplr", t)
    check("flipud", t)
    for k in range(-1, 5):
        check("rot90", t, k, [0, 2])
    for diagonal in (-3, -1, 0, 1, 5):
        check("tril", t, diagonal)
        check("triu", t, diagonal)
    check("diag", t[0], 1)
    check("diag", t[0, 0], -1)
    check("diagflat", t, 1)
    check("diag_embed", t, 1, 0, 2)
    check("diag_embed", t, -2)
    check("repeat_interleave.self_int", t, 2, 1)
    check("repeat_interleave.self_int", t, 2)
    check("repeat_interleave.self_Tensor", t, torch.tensor([1, 0, 2]), 1)
    check("repeat_interleave.self_Tensor", t, torch.tensor([2]), 2)
    check("repeat_interleave.self_Tensor", t, torch.tensor([1, 0, 2]), 1, output_size=3)
    check("channel_shuffle", t.transpose(1, 2), 2)


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_replaced_parts(t: torch.Tensor) -> None:
    check("slice_scatter", t, t[:, :1], 1, 1, 2)
    check("slice_scatter", t, t[..., ::2], 2, 1, None, 2)
    check("select_scatter", t, t[:, 0], 1, -1)
    check("diagonal_scatter", t, t[0, :2].T, 0, 0, 1)
    check("as_strided_scatter", t.contiguous(), t[0, :2, :2], [2, 2], [1, 5], 3)
    check("fill_diagonal_", t[0].clone().contiguous(), 1)


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_padding(t: torch.Tensor) -> None:
    check("constant_pad_nd", t, [1, 2], 1)
    check("constant_pad_nd", t, [1, 2, -1, 1], 1)
    check("constant_pad_nd", t, [-1, -1, 0, 0, 2, 1])
    check("pad", t, [1, 2], "constant", None)
    if t.dtype == torch.bool:
        return
    four, five = t.unsqueeze(0), t.unsqueeze(0).unsqueeze(0)
    for mode in ("reflect", "replicate", "circular"):
        check("pad", t, [1, 2], mode)
        check("pad", four, [1, 2, 2, 1], mode)
        check("pad", five, [1, 2, 2, 1, 1, 0], mode)
    check("replication_pad2d", four, [3, 4, 5, 6])
    check("reflection_pad1d", t, [3, 3])


@pytest.mark.parametrize("t", [t for t in ALL.values() if t.is_floating_point()])
def test_patches(t: torch.Tensor) -> None:
    image = torch.randn(2, 3, 7, 6).to(t.dtype)
    for kernel, dilation, padding, stride in (
        ([2, 2], [1, 1], [0, 0], [1, 1]),
        ([3, 2], [1, 2], [1, 2], [2, 1]),
    ):
        check("im2col", image, kernel, dilation, padding, stride)
        check("im2col", image[0], kernel, dilation, padding, stride)
        columns = torch.ops.aten.im2col.default(image, kernel, dilation, padding, stride)
        check("col2im", columns, [7, 6], kernel, dilation, padding, stride, rtol=tolerance(columns))


def test_edges() -> None:
    check("clone", SCALAR)
    check("roll", SCALAR, [1])
    check("flip", SCALAR, [])
    check("tril", EMPTY)
    check("repeat", EMPTY, [2, 1])
    check("repeat", SCALAR, [3])
    check("flip", EMPTY, [0])
    check("roll", EMPTY, [1], [1])
    check("fill_diagonal_", torch.zeros(9, 3), 2.0, True)
    check("fill_diagonal_", torch.zeros(3, 3, 3), 2.0)
    check("expand_copy", BASE[:1], [3, 3, 4])
    check("permute_copy", BASE, [1, 0, 2])
    check("slice_copy.Tensor", BASE, 1, 1)


def test_errors() -> None:
    check_error("pad", BASE, [4, 4], "reflect")
    check_error("pad", BASE, [5, 0], "circular")
    check_error("constant_pad_nd", BASE, [-3, -3])
    check_error("tril", torch.randn(3))
    check_error("flip", BASE, [0, 0])
    check_error("roll", BASE, [1, 2], [0])
    check_error("repeat", BASE, [2])
    check_error("slice_scatter", BASE, BASE, 1, 1, 2)
