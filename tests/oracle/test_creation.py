"""Tensors made from nothing, symbolic numbers, checks."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, SCALAR

pytestmark = pytest.mark.oracle

DTYPES = [None, torch.float64, torch.int64, torch.bool, torch.half, torch.complex64, torch.uint8]


def test_arange() -> None:
    check("arange", 5)
    check("arange", 5.5)
    check("arange", 0)
    check("arange.start", 2, 9)
    check("arange.start", -1, 2.5)
    check("arange.start_step", 0, 10, 3)
    check("arange.start_step", 10, 0, -3)
    check("arange.start_step", 0, 1, 0.1, rtol=1e-6)
    check("arange.start_step", 0, 10, 3, dtype=torch.float16)
    check("arange.start_step", 0.5, 4, 1, dtype=torch.int64)
    check("arange.start_step", 0.5, 4, 1, dtype=torch.int32)


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants(dtype: torch.dtype | None) -> None:
    check("full", [2, 3], 1, dtype=dtype)
    check("zeros", [2], dtype=dtype)
    check("ones", [2, 0], dtype=dtype)
    check("eye", 3, dtype=dtype)
    check("eye.m", 2, 4, dtype=dtype)
    check("scalar_tensor", 1, dtype=dtype)
    check("ones_like", BASE, dtype=dtype)
    check("new_full", BASE, [2], 3, dtype=dtype)


def test_dtype_of_the_value() -> None:
    check("full", [2], True)
    check("full", [2], 2.5)
    check("full", [], 3)
    check("full", [2], 2 + 1j)


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_like(t: torch.Tensor) -> None:
    check("zeros_like", t)
    check("ones_like", t)
    check("full_like", t, 1)
    check("empty_like", t, values=False)
    check("new_zeros", t, [2, 3])
    check("new_ones", t, [2], dtype=torch.int8)
    check("new_full", t, [2], 1)


@pytest.mark.parametrize("steps", [0, 1, 2, 7, 50])
def test_ranges(steps: int) -> None:
    check("linspace", -1.5, 3, steps, rtol=1e-6)
    check("linspace", 0, 10, steps, dtype=torch.int64)
    check("logspace", 0, 2, steps, rtol=1e-5)


def test_indices_and_strides() -> None:
    for offset in (-3, -1, 0, 1, 4):
        check("tril_indices", 3, 4, offset)
        check("triu_indices", 4, 2, offset)
    check("tril_indices", 3, 4, -1, dtype=torch.int32)
    check("empty_permuted", [2, 3, 4], [2, 0, 1], values=False)
    check("empty_strided", [2, 3], [3, 1], values=False)


def test_numbers() -> None:
    check("item", SCALAR)
    check("item", torch.tensor(3))
    check("item", torch.tensor(True))
    check("item", torch.tensor(1 + 2j))
    check("sym_size.int", BASE, -1)
    check("is_nonzero", SCALAR)


def test_errors() -> None:
    check_error("arange.start_step", 0, 5, -1)
    check_error("arange.start_step", 0, 5, 0)
    check_error("zeros", [-1])
    check_error("item", BASE)
    check_error("linspace", 0, 1, -1)
    check_error("_assert_scalar", 0, "boom", match="boom")
    check_error("_assert_async.msg", torch.tensor(0), "boom", match="boom")
    check_error("_assert_tensor_metadata", BASE, [2])
    check_error("sym_constrain_range_for_size", 5, min=7)
