"""Reductions against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.eager import check

pytestmark = pytest.mark.oracle

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["uint8", "int8", "int16", "int32", "int64", "bool"]
COMPLEX = ["complex64", "complex128"]


def make(dtype: str, *sizes: int, seed: int = 0) -> Any:
    import torch

    g = torch.Generator().manual_seed(seed)
    t = getattr(torch, dtype)
    if dtype in FLOATS + COMPLEX:
        return torch.randn(sizes, generator=g, dtype=torch.float64 if dtype in FLOATS else t).to(t)
    return torch.randint(0, 5, sizes, generator=g).to(t)


def inputs(dtype: str) -> list[Any]:
    """0-d, empty, small, non-contiguous, broadcast and large."""
    x = make(dtype, 4, 5, 6)
    return [
        make(dtype), make(dtype, 7), x, x.transpose(0, 2), x[:, ::2], x[1:2].expand(3, 5, 6),
        make(dtype, 3, 1, 2), make(dtype, 2, 300), make(dtype, 300, 70), make(dtype, 5, 3000),
        make(dtype, 0, 3), make(dtype, 3, 0, 2),
    ]  # fmt: skip


def dims_of(x: Any) -> list[Any]:
    out: list[Any] = [[], [-1], [0]]
    if x.dim() > 1:
        out += [[0, -1], [1]]
    if x.dim() > 2:
        out += [[0, 2], [-3, 1], [0, 1, 2]]
    return out


@pytest.mark.parametrize("dtype", FLOATS + INTS + COMPLEX)
@pytest.mark.parametrize("op", ["sum", "mean", "nansum", "nanmean"])
def test_sums(op: str, dtype: str) -> None:
    overload = {"sum": "sum.dim_IntList", "mean": "mean.dim"}.get(op, op)
    for x in inputs(dtype):
        if op in ("sum", "mean"):
            check(op, x)
        for dims in [*dims_of(x), None]:
            for keepdim in (False, True):
                # PyTorch adds half types up in half precision in nansum; we do it in float32.
                coarse = 6e-2 if op.startswith("nan") and dtype in ("float16", "bfloat16") else None
                check(overload, x, dims, keepdim, rtol=coarse)
    check(overload, make(dtype, 3, 4), [0, 0])
    check(overload, make(dtype, 3, 4), [2])


@pytest.mark.parametrize("target", ["float32", "float64", "int32", "int64", "float16", "bool"])
def test_dtype_argument(target: str) -> None:
    import torch

    for dtype in ("float32", "int32", "float16"):
        x = make(dtype, 3, 40)
        t = getattr(torch, target)
        check("sum", x, dtype=t)
        check("sum.dim_IntList", x, [1], dtype=t)
        check("mean", x, dtype=t)
        check("prod.dim_int", x, 0, dtype=t)


@pytest.mark.parametrize("dtype", FLOATS + INTS + COMPLEX)
def test_products(dtype: str) -> None:
    for x in inputs(dtype):
        if x.numel() < 3000:
            check("prod", x, rtol=3e-2 if dtype in ("float16", "bfloat16") else None)
        for dim in {0, -1, x.dim() - 1}:
            if x.dim() == 0 or x.shape[dim] < 100:
                check("prod.dim_int", x, dim)
                check("prod.dim_int", x, dim, True)


@pytest.mark.parametrize("dtype", FLOATS + INTS + ["complex64"])
@pytest.mark.parametrize("op", ["amax", "amin"])
def test_extrema(op: str, dtype: str) -> None:
    for x in inputs(dtype):
        if dtype == "complex64" and x.numel() == 0:
            continue
        for dims in dims_of(x):
            check(op, x, dims)
            check(op, x, dims, True)


@pytest.mark.parametrize("dtype", FLOATS + INTS + ["complex64"])
@pytest.mark.parametrize("op", ["max", "min", "argmax", "argmin"])
def test_indices(op: str, dtype: str) -> None:
    overload = op if op.startswith("arg") else f"{op}.dim"
    for x in inputs(dtype):
        if dtype == "complex64" and x.numel() == 0:
            continue
        check(op, x)
        for dim in range(-max(x.dim(), 1), max(x.dim(), 1)):
            for keepdim in (False, True):
                check(overload, x, dim, keepdim)
        check(overload, x, 7)


@pytest.mark.parametrize("op", ["max.dim", "min.dim", "argmax", "argmin"])
def test_ties_and_nan(op: str) -> None:
    import torch

    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[1.0, nan, 3, nan], [2, 2, 1, 1], [-inf, -inf, -inf, -inf], [inf, 0, inf, 0]])
    for y in (x, x.T, x.T.contiguous(), x.repeat(1, 900), x.repeat(900, 1), x.double()):
        check(op, y, 0)
        check(op, y, 1)


def test_nan_in_extrema() -> None:
    import torch

    x = torch.randn(40, 50)
    x[3, 7] = float("nan")
    for op in ("amax", "amin"):
        for dims in ([0], [1], []):
            check(op, x, dims)
    check("aminmax", x)
    check("aminmax", x, dim=1, keepdim=True)
    check("aminmax", torch.empty(0))
    check("aminmax", torch.empty(0, 2), dim=0)
    check("nansum", x, [1])
    check("nanmean", x, [0])


@pytest.mark.parametrize("dtype", FLOATS + INTS + COMPLEX)
@pytest.mark.parametrize("op", ["any", "all"])
def test_truth(op: str, dtype: str) -> None:
    for x in inputs(dtype):
        check(op, x)
        check(f"{op}.dims", x, None)
        for dims in dims_of(x):
            check(f"{op}.dims", x, dims)
            if len(dims) == 1:
                check(f"{op}.dim", x, dims[0], True)


@pytest.mark.parametrize("dtype", FLOATS + INTS + COMPLEX)
def test_count_nonzero(dtype: str) -> None:
    for x in inputs(dtype):
        check("count_nonzero", x)
        check("count_nonzero", x, -1)
        for dims in dims_of(x):
            check("count_nonzero.dim_IntList", x, dims)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, "int32"])
@pytest.mark.parametrize("op", ["var", "std", "var_mean", "std_mean"])
def test_variance(op: str, dtype: str) -> None:
    for x in inputs(dtype):
        check(op, x)
        check(op, x, False)
        for dims in [*dims_of(x), None]:
            check(f"{op}.dim", x, dims, False, True)
            for correction in (None, 0, 2, 0.5):
                check(f"{op}.correction", x, dims, correction=correction)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, "int32"])
def test_norms(dtype: str) -> None:
    import torch

    for x in inputs(dtype):
        for p in (2, 1, 0, 3, 2.5, -1, float("inf"), -float("inf")):
            check("linalg_vector_norm", x, p)
            check("norm.Scalar", x, p)
            for dims in dims_of(x):
                check("linalg_vector_norm", x, p, dims, True)
    x = make(dtype, 3, 4)
    for t in (torch.float32, torch.float64, torch.float16):
        check("linalg_vector_norm", x, 2, None, False, dtype=t)
    check("norm.ScalarOpt_dim", x, None, [1])
    check("norm.ScalarOpt_dim", x, 2, [0, 1], True)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32"])
def test_logsumexp(dtype: str) -> None:
    import torch

    for x in inputs(dtype):
        if x.dim() == 0:
            continue
        for dims in dims_of(x):
            if dims:
                check("logsumexp", x, dims)
                check("logsumexp", x, dims, True)
    inf = float("inf")
    check("logsumexp", torch.tensor([[-inf, -inf], [inf, 1], [1e4, 1e4]]), [1])


def test_long_sums_stay_accurate() -> None:
    import torch

    x = torch.rand(2_000_003)
    check("sum", x)
    check("mean", x)
    check("sum.dim_IntList", x[:2_000_000].reshape(2, -1), [1])
    check("sum.dim_IntList", x[:2_000_000].reshape(-1, 4), [0])
    check("var", x, rtol=1e-4)
