"""Matrix products: closed forms, NumPy and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.ops import aten

FLOAT = np.float32


def random(*sizes: int, seed: int = 0, dtype: Any = FLOAT) -> Any:
    return np.random.default_rng(seed).standard_normal(sizes).astype(dtype)


def close(got: Any, expected: Any, tolerance: float = 1e-5, terms: float = 0.0) -> None:
    """`terms` bounds what was summed, so that sums that cancel are judged by their terms."""
    got = np.asarray(got)
    assert got.shape == np.shape(expected)
    error = np.linalg.norm(got - expected)
    assert error <= tolerance * max(float(np.linalg.norm(expected)), terms, 1e-6)


def norms(a: Any, b: Any) -> float:
    return float(np.linalg.norm(a) * np.linalg.norm(b))


def test_two_by_two() -> None:
    a, b = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
    assert np.asarray(aten.mm(a, b)).tolist() == [[19, 22], [43, 50]]
    assert np.asarray(aten.linear(a, b)).tolist() == [[17, 23], [39, 53]]
    assert np.asarray(aten.mv(a, b[0])).tolist() == [17, 39]
    assert np.asarray(aten.dot(a[0], b[1])).item() == 23
    assert np.asarray(aten.outer(a[0], b[0])).tolist() == [[5, 6], [10, 12]]


sizes = st.integers(1, 40)


@settings(max_examples=60, deadline=None)
@given(
    m=sizes,
    k=st.integers(1, 400),
    n=sizes,
    seed=st.integers(0, 99),
    left=st.booleans(),
    right=st.booleans(),
    double=st.booleans(),
)
def test_any_size_and_order_like_numpy(
    m: int, k: int, n: int, seed: int, left: bool, right: bool, double: bool
) -> None:
    dtype = np.float64 if double else np.float32
    a = random(k, m, seed=seed, dtype=dtype).T if left else random(m, k, seed=seed, dtype=dtype)
    b = (
        random(n, k, seed=seed + 1, dtype=dtype).T
        if right
        else random(k, n, seed=seed + 1, dtype=dtype)
    )
    expected = a.astype(np.float64) @ b.astype(np.float64)
    close(aten.mm(a, b), expected, 1e-13 if double else 1e-6, norms(a, b))


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 30), k=st.integers(1, 90), n=st.integers(1, 70), seed=st.integers(0, 99))
def test_linear_is_a_product_with_the_transposed_weight(
    rows: int, k: int, n: int, seed: int
) -> None:
    x, w, b = random(rows, k, seed=seed), random(n, k, seed=seed + 1), random(n, seed=seed + 2)
    close(aten.linear(x, w, b), x @ w.T + b, 1e-6, norms(x, w))
    twice = aten.addmm(b, x, w.T, beta=0.5, alpha=2.0)
    close(twice, 2 * (x @ w.T) + 0.5 * b, 1e-6, 2 * norms(x, w))


def test_distributes_over_addition() -> None:
    a, b, c = random(20, 30), random(30, 40, seed=1), random(30, 40, seed=2)
    close(aten.mm(a, b + c), np.asarray(aten.mm(a, b)) + np.asarray(aten.mm(a, c)), 1e-5)


def test_empty_sums_are_zero_and_beta_zero_ignores_nan() -> None:
    assert (
        np.asarray(aten.mm(np.empty((2, 0), FLOAT), np.empty((0, 3), FLOAT))).tolist()
        == [[0] * 3] * 2
    )
    nan = np.full(3, np.nan, FLOAT)
    one = np.ones((2, 2), FLOAT), np.ones((2, 3), FLOAT)
    assert np.asarray(aten.addmm(nan, *one, beta=0)).tolist() == [[2] * 3] * 2
    assert np.isnan(np.asarray(aten.addmm(nan, *one))).all()


def test_nan_and_infinity_spread_as_in_ieee() -> None:
    a, b = np.ones((3, 20), FLOAT), np.zeros((20, 5), FLOAT)
    a[1, 3] = np.inf
    out = np.asarray(aten.mm(a, b))
    assert np.isnan(out[1]).all() and (out[[0, 2]] == 0).all()


def test_integers_wrap_around() -> None:
    a = np.full((2, 3), 100, np.int8)
    assert np.asarray(aten.mm(a, a.T.copy())).tolist() == [[(30000 + 128) % 256 - 128] * 2] * 2
    big = np.array([[2**62]], np.int64)
    assert np.asarray(aten.mm(big, np.array([[4]], np.int64))).tolist() == [[0]]
    assert np.asarray(aten._int_mm(a, a.T.copy())).tolist() == [[30000] * 2] * 2


def test_batches_and_broadcasting() -> None:
    a, b = random(5, 1, 2, 3), random(6, 3, 4, seed=1)
    close(aten.matmul(a, b), a @ b)
    close(aten.bmm(b, b.transpose(0, 2, 1)), b @ b.transpose(0, 2, 1))
    close(
        aten.addbmm(np.zeros((), FLOAT), b, b.transpose(0, 2, 1)), (b @ b.transpose(0, 2, 1)).sum(0)
    )
    close(aten.baddbmm(np.ones(3, FLOAT), b, b.transpose(0, 2, 1)), b @ b.transpose(0, 2, 1) + 1)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("bij,bkj->bik", [(2, 3, 4), (2, 5, 4)]),
        ("ii->i", [(4, 4)]),
        ("ij->", [(3, 4)]),
        ("...ij,...jk", [(2, 3, 4), (4, 5)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("abc,cd->dab", [(2, 3, 4), (4, 5)]),
    ],
)
def test_einsum_like_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = [random(*s, seed=i) for i, s in enumerate(shapes)]
    close(aten.einsum(equation, operands), np.einsum(equation, *operands))


def test_contractions_like_numpy() -> None:
    a, b = random(2, 3, 4), random(4, 3, 5, seed=1)
    close(aten.tensordot(a, b, [1, 2], [1, 0]), np.tensordot(a, b, ([1, 2], [1, 0])))
    close(aten.kron(a, b), np.kron(a, b))
    x, w, y = random(6, 3), random(5, 3, 4, seed=1), random(6, 4, seed=2)
    close(aten.bilinear(x, y, w, np.ones(5, FLOAT)), np.einsum("bi,oij,bj->bo", x, w, y) + 1)


@pytest.mark.parametrize(
    ("name", "shapes", "message"),
    [
        ("mm", [(2, 3), (4, 5)], r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x5\)"),
        ("linear", [(2, 3), (4, 5)], r"cannot be multiplied \(2x3 and 5x4\)"),
        ("bmm", [(2, 3, 4), (2, 5, 4)], r"to be: \[2, 4\] but got: \[2, 5\]"),
        ("dot", [(2,), (3,)], "same number of elements"),
        ("matmul", [(), (3,)], "at least 1D"),
    ],
)
def test_shapes_that_do_not_fit(name: str, shapes: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        getattr(aten, name)(*[np.zeros(s, FLOAT) for s in shapes])


def test_dtypes_that_do_not_fit() -> None:
    with pytest.raises(RuntimeError, match="same dtype, but got float64 and float32"):
        aten.mm(np.zeros((2, 2)), np.zeros((2, 2), FLOAT))
    with pytest.raises(NotImplementedError, match="bool"):
        aten.mm(np.zeros((2, 2), bool), np.zeros((2, 2), bool))
