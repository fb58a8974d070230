"""Factorisations by what they promise: products that give the input back, NumPy's numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.ops import aten

DTYPES = ("float32", "float64", "complex64", "complex128")


def random(*sizes: int, seed: int = 0, dtype: str = "float64") -> Any:
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(sizes)
    if dtype.startswith("complex"):
        x = x + 1j * generator.standard_normal(sizes)
    return x.astype(dtype)


def definite(*sizes: int, seed: int = 0, dtype: str = "float64") -> Any:
    a = random(*sizes, seed=seed, dtype=dtype)
    return (a @ adjoint(a) + np.eye(sizes[-1])).astype(dtype)


def adjoint(a: Any) -> Any:
    return np.conj(np.swapaxes(np.asarray(a), -1, -2))


def identity(q: Any) -> Any:
    """The identity, as often as `q` has matrices, of as many rows as they have columns."""
    return np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1]))


def close(got: Any, expected: Any, dtype: str) -> None:
    tolerance = 1e-10 if dtype in ("float64", "complex128") else 2e-4
    np.testing.assert_allclose(np.asarray(got), expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (2, 3, 5, 5)])
def test_square(sizes: tuple[int, ...], dtype: str) -> None:
    a = random(*sizes, dtype=dtype) + 2 * np.eye(sizes[-1], dtype=dtype)
    b = random(*sizes[:-1], 2, seed=1, dtype=dtype)
    close(aten.linalg_inv(a), np.linalg.inv(a), dtype)
    close(aten.linalg_det(a), np.linalg.det(a), dtype)
    sign, log = aten.linalg_slogdet(a)
    close(np.asarray(sign) * np.exp(np.asarray(log)), np.linalg.det(a), dtype)
    x = aten.linalg_solve(a, b)
    close(a @ np.asarray(x), b, dtype)
    p, low, high = map(np.asarray, aten.linalg_lu(a))
    close(p @ low @ high, a, dtype)
    lu, pivots = aten.linalg_lu_factor(a)
    close(aten.linalg_lu_solve(lu, pivots, b), np.asarray(x), dtype)
    close(aten.linalg_matrix_power(a, 3), a @ a @ a, dtype)
    values, vectors = map(np.asarray, aten.linalg_eig(a))
    close(a @ vectors, vectors * values[..., None, :], dtype)
    # det(exp(A)) = exp(trace(A))
    close(np.linalg.det(np.asarray(aten.linalg_matrix_exp(a / 4))),
          np.exp(np.trace(a / 4, axis1=-2, axis2=-1)), dtype)  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (2, 3, 5, 5)])
def test_definite(sizes: tuple[int, ...], dtype: str) -> None:
    a = definite(*sizes, dtype=dtype)
    low = np.asarray(aten.linalg_cholesky(a))
    close(low @ adjoint(low), a, dtype)
    assert not np.triu(low, 1).any()
    close(aten.linalg_cholesky(a, upper=True), adjoint(low), dtype)
    values, vectors = map(np.asarray, aten.linalg_eigh(a))
    close(vectors * values[..., None, :] @ adjoint(vectors), a, dtype)
    assert (np.diff(values) >= 0).all()
    close(aten.linalg_eigvalsh(a), np.linalg.eigvalsh(a), dtype)
    b = random(*sizes, seed=2, dtype=dtype)
    close(a @ np.asarray(aten.cholesky_solve(b, low)), b, dtype)
    close(aten.cholesky_inverse(low), np.linalg.inv(a), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(3, 5), (5, 3), (4, 4), (2, 6, 2), (0, 3), (3, 0)])
def test_rectangular(sizes: tuple[int, ...], dtype: str) -> None:
    a = random(*sizes, dtype=dtype)
    k = min(sizes[-2:])
    for full in (False, True):
        u, s, vh = map(np.asarray, aten.linalg_svd(a, full))
        close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype)
        close(adjoint(u) @ u, identity(u), dtype)
    for mode in ("reduced", "complete"):
        q, r = map(np.asarray, aten.linalg_qr(a, mode))
        close(q @ r, a, dtype)
        close(adjoint(q) @ q, identity(q), dtype)
        assert not np.tril(r, -1).any()
    if k:
        close(aten.linalg_pinv.atol_rtol_float(a), np.linalg.pinv(a), dtype)
        assert (np.asarray(aten.linalg_matrix_rank.atol_rtol_float(a)) == k).all()
        b = random(*sizes[:-1], 2, seed=3, dtype=dtype)
        solution = np.asarray(aten.linalg_lstsq(a, b)[0])
        close(solution, np.linalg.pinv(a) @ b, dtype)


@pytest.mark.parametrize("order", [1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
def test_norms(order: Any) -> None:
    a = random(3, 4, 5)
    expected = np.linalg.norm(a, order, axis=(1, 2))
    overload = (
        aten.linalg_matrix_norm.str_ord if isinstance(order, str) else aten.linalg_matrix_norm
    )
    close(overload(a, order), expected, "float64")
    close(overload(a, order, keepdim=True), expected[:, None, None], "float64")
    b = random(4, 4)
    cond = aten.linalg_cond.p_str if isinstance(order, str) else aten.linalg_cond
    close(cond(b, order), np.linalg.cond(b, order), "float64")


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 6), min_size=3, max_size=6), seed=st.integers(0, 99))
def test_a_chain_of_products_in_any_order(sizes: list[int], seed: int) -> None:
    chain = [random(m, n, seed=seed + i) for i, (m, n) in enumerate(pairwise(sizes))]
    close(aten.linalg_multi_dot(chain), np.linalg.multi_dot(chain), "float64")


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 6), upper=st.booleans(), left=st.booleans(), unit=st.booleans())
def test_triangular(n: int, upper: bool, left: bool, unit: bool) -> None:
    a = random(n, n) + 3 * np.eye(n)
    b = random(n, 3, seed=1) if left else random(3, n, seed=1)
    x = np.asarray(aten.linalg_solve_triangular(a, b, upper=upper, left=left, unitriangular=unit))
    t = np.triu(a) if upper else np.tril(a)
    if unit:
        np.fill_diagonal(t, 1)
    close(t @ x if left else x @ t, b, "float64")


def test_cross_and_tensors_as_matrices() -> None:
    a, b = random(2, 3), random(2, 3, seed=1)
    close(aten.linalg_cross(a, b), np.cross(a, b), "float64")
    t = random(2, 3, 6)
    close(aten.linalg_tensorinv(t, 2), np.linalg.tensorinv(t, 2), "float64")
    close(aten.linalg_tensorsolve(t, a), np.linalg.tensorsolve(t, a), "float64")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: aten.linalg_inv(np.zeros((2, 2))), "singular"),
        (lambda: aten.linalg_solve(np.zeros((2, 2)), np.ones(2)), "singular"),
        (lambda: aten.linalg_cholesky(-np.eye(3)), "leading minor of order 1"),
        (lambda: aten.linalg_inv(np.ones((2, 3))), "square"),
        (lambda: aten.linalg_inv(np.ones(3)), "at least 2 dimensions"),
        (lambda: aten.linalg_eigh(np.eye(2), "X"), "UPLO"),
        (lambda: aten.linalg_qr(np.eye(2), "none"), "unrecognized mode"),
        (lambda: aten.linalg_solve(np.eye(2), np.ones(3)), "Incompatible shapes"),
        (lambda: aten.linalg_multi_dot([np.eye(2), np.eye(3)]), "cannot be multiplied"),
    ],
)
def test_what_cannot_be_done_is_said(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()


def test_not_a_number_goes_through() -> None:
    a = np.full((2, 2), np.nan)
    assert np.isnan(np.asarray(aten.linalg_det(a)))
