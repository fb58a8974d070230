"""Reductions: NumPy, closed forms, laws, and what empty inputs and NaN do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rushlight

aten = rushlight.ops.aten


def array(*sizes: int, dtype: str = "float32", seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=sizes).astype(dtype)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("transposed", [False, True])
def test_against_numpy(axes: tuple[int, ...], transposed: bool) -> None:
    x = array(3, 40, 50, dtype="float64")
    x = x.transpose(2, 0, 1) if transposed else x
    dims = list(axes)
    close = np.testing.assert_allclose
    close(aten.sum.dim_IntList(x, dims).numpy(), x.sum(axes), rtol=1e-12, atol=1e-12)
    close(aten.mean.dim(x, dims, True).numpy(), x.mean(axes, keepdims=True), atol=1e-13)
    close(aten.amax.default(x, dims).numpy(), x.max(axes))
    close(aten.amin.default(x, dims).numpy(), x.min(axes))
    close(aten.var.correction(x, dims, correction=0).numpy(), x.var(axes), rtol=1e-12)
    close(aten.std.dim(x, dims).numpy(), x.std(axes, ddof=1), rtol=1e-12)
    close(aten.linalg_vector_norm.default(x, 2, dims).numpy(), np.sqrt((x * x).sum(axes)))
    assert (aten.any.dims(x > 2, dims).numpy() == (x > 2).any(axes)).all()
    assert (aten.all.dims(x > -2, dims).numpy() == (x > -2).all(axes)).all()


def test_float32_sums_of_many_numbers_are_exact_to_rounding() -> None:
    x = np.full(10_000_000, 0.1, dtype="float32")
    exact = float(np.float32(0.1)) * x.size
    assert abs(aten.sum.default(x).item() - exact) <= 3e-7 * exact
    columns = x.reshape(-1, 10)
    total = aten.sum.dim_IntList(columns, [0]).numpy()
    assert np.abs(total - exact / 10).max() <= 3e-7 * exact / 10


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    x = array(1_000_000)
    threads = rushlight.get_num_threads()
    results = set()
    try:
        for n in (1, 2, 3):
            rushlight.set_num_threads(n)
            results.add((aten.sum.default(x).item(), aten.var.default(x).item()))
    finally:
        rushlight.set_num_threads(threads)
    assert len(results) == 1


def test_integers_are_summed_in_int64() -> None:
    x = np.full((3, 4), 200, dtype="uint8")
    out = aten.sum.default(x)
    assert out.dtype == rushlight.int64
    assert out.item() == 2400
    assert aten.prod.dim_int(np.array([[2, 3], [4, 5]], dtype="int8"), 1).tolist() == [6, 20]


def test_empty_inputs() -> None:
    x = np.zeros((0, 3), dtype="float32")
    assert aten.sum.dim_IntList(x, [0]).tolist() == [0, 0, 0]
    assert aten.prod.dim_int(x, 0).tolist() == [1, 1, 1]
    assert math.isnan(aten.mean.default(x).item())
    assert aten.any.default(x).item() is False
    assert aten.all.default(x).item() is True
    with pytest.raises(IndexError, match=r"amax.*reduction dim 0 to have non-zero size"):
        aten.amax.default(x, [0])
    with pytest.raises(RuntimeError, match="numel"):
        aten.max.default(x)
    with pytest.raises(IndexError, match="argmax"):
        aten.argmax.default(x)


def test_ties_go_to_the_first_and_nan_wins() -> None:
    x = np.array([[1, 3, 3, 0], [math.nan, 9, math.nan, 1]], dtype="float32")
    values, indices = aten.max.dim(x, 1)
    assert indices.tolist() == [1, 0]
    assert values.tolist()[0] == 3
    assert math.isnan(values.tolist()[1])
    assert aten.argmin.default(x, 1).tolist() == [3, 0]
    assert aten.argmax.default(np.tile(x[:1], (1, 3000)), 1).tolist() == [1]
    assert aten.argmax.default(x[:1].T.copy(), 0).tolist() == [1]


def test_dims_are_checked() -> None:
    x = array(2, 3)
    with pytest.raises(IndexError, match=r"range of \[-2, 1\], but got 2"):
        aten.sum.dim_IntList(x, [2])
    with pytest.raises(RuntimeError, match="dim 1 appears multiple times"):
        aten.sum.dim_IntList(x, [1, -1])
    with pytest.raises(RuntimeError, match=r"mean.*int64"):
        aten.mean.default(np.arange(3))


arrays = hnp.arrays(
    "float64", hnp.array_shapes(min_dims=1, max_dims=4, max_side=6), elements=st.floats(-1e3, 1e3)
)


@settings(max_examples=60, deadline=None)
@given(arrays, st.data())
def test_reducing_twice_is_reducing_once(x: Any, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, x.ndim - 1))
    rest = list(range(x.ndim - 1))
    for op in ("sum", "amax", "amin"):
        reduce = aten.sum.dim_IntList if op == "sum" else getattr(aten, op).default
        once = reduce(x, list(range(x.ndim))).item()
        part = reduce(x, [dim])
        twice = reduce(part, rest).item() if rest else part.item()
        assert math.isclose(once, twice, rel_tol=1e-12, abs_tol=1e-9)


@settings(max_examples=60, deadline=None)
@given(arrays, st.data())
def test_argmax_points_at_amax(x: Any, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    index = aten.argmax.default(x, dim, True).numpy()
    largest = aten.amax.default(x, [dim], True).numpy()
    np.testing.assert_array_equal(np.take_along_axis(x, index, dim), largest)


@settings(max_examples=60, deadline=None)
@given(arrays)
def test_variance_ignores_a_shift(x: Any) -> None:
    a = aten.var.default(x, False).item()
    b = aten.var.default(x + 1000.0, False).item()
    assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
