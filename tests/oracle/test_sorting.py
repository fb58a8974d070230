"""Sorting, selecting, searching; scans."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, EMPTY, REAL, SCALAR, tolerance

pytestmark = pytest.mark.oracle

NAN = torch.tensor([1.0, float("nan"), -2.0, float("nan"), 5.0])


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("t", REAL.values(), ids=REAL.keys())
def test_along_a_dimension(t: torch.Tensor, dim: int) -> None:
    for descending in (True, False):
        check("sort.stable", t, stable=True, dim=dim, descending=descending)
        check("argsort.stable", t, stable=True, dim=dim, descending=descending)
    check("topk", t, 2, dim, outputs=[0])
    check("topk", t, 1, dim, False, outputs=[0])
    check("kthvalue", t, 1, dim, True, outputs=[0])
    check("median.dim", t, dim, outputs=[0])
    check("nanmedian.dim", t, dim, True, outputs=[0])
    check("mode", t, dim, outputs=[0])
    check("cummax", t, dim)
    check("cummin", t, dim)
    check("cumsum", t, dim, rtol=tolerance(t))
    check("cumprod", t, dim, rtol=tolerance(t))
    check("diff", t, 1, dim)
    check("diff", t, 2, dim, t, rtol=tolerance(t))
    if t.is_floating_point():
        check("logcumsumexp", t, dim, rtol=tolerance(t))


@pytest.mark.parametrize("t", REAL.values(), ids=REAL.keys())
def test_whole(t: torch.Tensor) -> None:
    check("msort", t)
    check("median", t.contiguous())
    check("nanmedian", t.contiguous())
    check("_unique2", t.contiguous() // 1, True, True, True)
    check("_unique2", t.contiguous() // 1)
    edges = t[0, 0].sort().values.contiguous()
    check("bucketize.Tensor", t.contiguous(), edges)
    check("bucketize.Tensor", t.contiguous(), edges, right=True, out_int32=True)
    check("bucketize.Scalar", 1, edges)
    check("searchsorted.Tensor", edges, t.contiguous())
    source = t.contiguous()
    check("searchsorted.Tensor", source.sort().values, source, right=True)
    check("isin.Tensor_Tensor", t.contiguous(), t[0].contiguous())
    if t.is_floating_point() and t.dtype in (torch.float32, torch.float64):
        check("histc", t, 5)
        check("histc", t, 4, -1, 1)


def test_nan() -> None:
    for descending in (True, False):
        check("sort.stable", NAN, stable=True, descending=descending)
    check("topk", NAN, 3, outputs=[0])
    check("topk", NAN, 2, -1, False)
    check("median", NAN)
    check("nanmedian", NAN)
    check("kthvalue", NAN, 3)
    check("cummax", NAN, 0)
    check("cummin", NAN, 0)
    check("logcumsumexp", torch.tensor([-float("inf"), 0.0, float("inf"), 1.0]), 0, rtol=1e-6)


def test_other_dtypes() -> None:
    check("sort.stable", ALL["bool"], stable=True)
    check("cumsum", ALL["bool"], 1)
    check("cumsum", ALL["complex64"], 1, rtol=1e-6)
    check("cumprod", ALL["complex64"], 1, rtol=1e-5)
    check("cumsum", BASE, 1, dtype=torch.float64, rtol=1e-6)
    check("cumsum", ALL["int64"], 1, dtype=torch.int8)
    check("diff", ALL["bool"])
    for n in (None, 0, 2, 5):
        check("vander", torch.arange(4), n)
        check("vander", torch.randn(3), n, True, rtol=1e-6)


def test_long_rows() -> None:
    rows = torch.randn(3, 5000)
    check("sort", rows, outputs=[0])
    check("topk", rows, 10)
    check("topk", rows, 4000, outputs=[0])
    check("kthvalue", rows, 2500, outputs=[0])
    check("cumsum", torch.randn(70, 300, 5), 1, rtol=1e-5)
    check("cumsum", torch.randn(4, 70, 300), 1, rtol=1e-5)


def test_counts() -> None:
    check("bincount", torch.tensor([1, 3, 1]))
    check("bincount", torch.tensor([1, 3, 1]), torch.tensor([0.5, 1, 2]), 6)
    check("unique_consecutive", torch.tensor([1, 1, 2, 2, 1]), True, True)
    check("searchsorted.Scalar", torch.tensor([1, 3, 5]), 3)
    check("searchsorted.Tensor", torch.tensor([1, 3, 5]), torch.tensor([3, 6]), side="right")
    sorter = torch.tensor([1, 2, 0])
    check("searchsorted.Tensor", torch.tensor([5, 1, 3]), torch.tensor([3, 6]), sorter=sorter)


def test_edges() -> None:
    check("sort", SCALAR)
    check("sort", EMPTY)
    check("topk", SCALAR, 1)
    check("median.dim", SCALAR, 0)
    check("cumsum", SCALAR, 0)
    check("cumsum", EMPTY, 0)
    check("topk", BASE, 0)


def test_errors() -> None:
    check_error("topk", BASE, 9)
    check_error("kthvalue", BASE, 9)
    check_error("bincount", torch.tensor([-1]))
    check_error("median.dim", EMPTY, 0)
    check_error("cumsum", BASE, 3)
    check_error("sort", BASE, 3)
