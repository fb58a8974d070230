"""Views, and reshapes that may copy."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, EMPTY, SCALAR

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_every_dtype(t: torch.Tensor) -> None:
    for size in ([24], [6, 4], [-1], [2, -1, 2], [2, 3, 2, 2], [1, 2, 3, 4, 1]):
        check("reshape", t, size)
    check("permute", t, [2, 0, 1])
    check("permute", t, [-1, 0, -2])
    check("transpose.int", t, 0, -1)
    check("swapaxes", t, 0, 1)
    for dim in (-4, -1, 0, 1, 3):
        check("unsqueeze", t, dim)
    check("slice.Tensor", t, 1, 1, 3)
    check("slice.Tensor", t, -1, -3, 9223372036854775807, 2)
    check("slice.Tensor", t, 0, 5, 1)
    check("select.int", t, 1, -1)
    check("narrow", t, 2, 1, 2)
    check("narrow", t, 2, -1, 1)
    check("diagonal", t, 1, 0, 2)
    check("diagonal", t, -1, 1, 2)
    check("diagonal", t, 9)
    check("unfold", t, 2, 2, 1)
    check("flatten.using_ints", t, 1)
    check("flatten.using_ints", t, 0, 1)
    check("unflatten.int", t, 2, [2, -1])
    check("movedim.int", t, 0, 2)
    check("movedim.intlist", t, [0, 1], [2, 0])
    check("expand", t.unsqueeze(0), [5, -1, 3, 4])
    check("numpy_T", t)
    check("mT", t)
    check("contiguous", t)
    check("squeeze", t[:1, :, :1])
    check("squeeze.dim", t[:1], 0)
    check("squeeze.dim", t, 0)
    check("squeeze.dims", t[:1, :1], [0, 1])
    check("atleast_3d", t[0])
    check("as_strided", t.contiguous(), [2, 2], [1, 5], 3)


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_pieces(t: torch.Tensor) -> None:
    check("split.Tensor", t, 2, -1)
    check("split.Tensor", t, 3, -1)
    check("split_with_sizes", t, [1, 2], 1)
    check("chunk", t, 2, 1)
    check("chunk", t, 5, 0)
    check("tensor_split.sections", t, 3, 2)
    check("tensor_split.indices", t, [1, -1, 7], 2)
    check("unbind.int", t, 1)
    check("hsplit.int", t, 3)
    check("vsplit.array", t, [1])
    check("dsplit.int", t, 2)
    check("broadcast_tensors", [t, t[0, 0]])


def test_0d_and_empty() -> None:
    check("reshape", SCALAR, [1, 1])
    check("flatten.using_ints", SCALAR)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d", "ravel", "squeeze", "numpy_T", "t"):
        check(name, SCALAR)
    check("expand", SCALAR, [2, 3])
    check("reshape", EMPTY, [3, 0])
    check("split.Tensor", EMPTY, 2)
    check("chunk", EMPTY, 2)
    check("unbind.int", EMPTY, 1)
    check("permute", EMPTY, [1, 0])


def test_dtypes_of_the_same_bytes() -> None:
    numbers = torch.complex(BASE, BASE + 1)
    check("view_as_real", numbers)
    check("view_as_complex", torch.randn(3, 2))
    check("real", numbers)
    check("real", BASE)
    check("imag", numbers)
    for dtype in (torch.int32, torch.float64, torch.int8, torch.float16):
        check("view.dtype", BASE, dtype)


def test_in_place() -> None:
    check("unsqueeze_", BASE.clone(), 0)
    check("transpose_", BASE.clone(), 0, 1)
    check("squeeze_.dim", BASE[:1].clone(), 0)
    check("t_", BASE[0].clone())


def test_errors() -> None:
    check_error("reshape", BASE, [5, 5], match="invalid for input of size 24")
    check_error("reshape", BASE, [-1, -1])
    check_error("reshape", BASE, [-2, 12])
    check_error("select.int", BASE, 1, 3)
    check_error("select.int", SCALAR, 0, 0)
    check_error("expand", BASE, [2, 3, 5])
    check_error("expand", BASE, [3, 4])
    check_error("permute", BASE, [0, 1])
    check_error("permute", BASE, [0, 1, 1])
    check_error("transpose.int", BASE, 0, 3)
    check_error("narrow", BASE, 0, 1, 5)
    check_error("split_with_sizes", BASE, [1, 1], 1)
    check_error("unfold", BASE, 0, 3, 1)
    check_error("movedim.int", BASE, 0, 5)
    check_error("unflatten.int", BASE, 2, [3, 3])
    check_error("squeeze.dim", BASE, 5)
    check_error("view_as_complex", BASE[..., :1])
    check_error("as_strided", BASE, [10, 10], [10, 1])
    check_error("unbind.int", SCALAR, 0)
    check_error("chunk", BASE, 0)
