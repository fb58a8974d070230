"""Quantiles, covariances, distinct slices and losses with margins, by NumPy and closed forms."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.ops import aten


def random(*sizes: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(sizes)


integral = getattr(np, "trapezoid", None) or np.trapz  # its name before NumPy 2


def close(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(method: Any) -> None:
    x, q = random(4, 7), np.float64([0, 0.25, 0.6, 1])
    close(aten.quantile(x, q, interpolation=method), np.quantile(x, q, method=method))
    for dim in (0, 1):
        close(aten.quantile(x, q, dim, True, interpolation=method),
              np.quantile(x, q, axis=dim, keepdims=True, method=method))  # fmt: skip
    x[1, 2] = np.nan
    assert np.isnan(np.asarray(aten.quantile.scalar(x, 0.5)))
    close(aten.nanquantile(x, q, 1, interpolation=method),
          np.nanquantile(x, q, axis=1, method=method))  # fmt: skip
    with pytest.raises(RuntimeError, match=r"range \[0, 1\]"):
        aten.quantile.scalar(x, 1.5)


def test_covariances() -> None:
    x = random(3, 8)
    f, a = np.int64([1, 2, 1, 3, 1, 1, 2, 1]), np.abs(random(8, seed=1))
    close(aten.cov(x), np.cov(x))
    close(aten.cov(x, correction=0, fweights=f), np.cov(x, ddof=0, fweights=f))
    close(aten.cov(x, fweights=f, aweights=a), np.cov(x, fweights=f, aweights=a))
    close(aten.corrcoef(x), np.corrcoef(x))
    close(aten.trapezoid.x(x, np.arange(8.0) ** 2), integral(x, np.arange(8.0) ** 2))
    close(aten.trapezoid.dx(x, dx=0.5, dim=0), integral(x, dx=0.5, axis=0))
    close(aten.inner(x, x[:2]), np.inner(x, x[:2]))


def test_slices_above_a_norm_are_scaled_down() -> None:
    x = np.float64([[3, 4], [0.3, 0.4]])
    got = np.asarray(aten.renorm(x, 2, 0, 1.0))
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.3, 0.4]], atol=1e-7)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 99), dim=st.integers(0, 2))
def test_distinct_slices(seed: int, dim: int) -> None:
    x = np.random.default_rng(seed).integers(0, 2, (3, 4, 2))
    values, inverse, counts = map(np.asarray, aten.unique_dim(x, dim, True, True, True))
    expected = np.unique(x, axis=dim, return_inverse=True, return_counts=True)
    for ours, theirs in zip((values, inverse, counts), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs.reshape(ours.shape))
    runs, back, _ = map(np.asarray, aten.unique_consecutive(x, True, False, dim))
    np.testing.assert_array_equal(np.take(runs, back, axis=dim), x)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.5, np.inf])
def test_distances_of_all_pairs(p: float) -> None:
    x = random(5, 3)
    pairs = itertools.combinations(range(5), 2)
    close(aten.pdist(x, p), [np.linalg.norm(x[i] - x[j], p) for i, j in pairs])


def test_margins() -> None:
    a, b, y = np.float64([1, 2, 3]), np.float64([2, 2, 1]), np.float64([1, -1, 1])
    close(aten.margin_ranking_loss(a, b, y, 0.5, 0), [1.5, 0.5, 0])
    x = np.float64([[0.1, 0.2, 0.9]])
    close(aten.multi_margin_loss(x, np.int64([1])), (0.9 + 1.7) / 3)
    close(aten.multi_margin_loss(x, np.int64([1]), 2), (0.9**2 + 1.7**2) / 3)
    close(aten.multilabel_margin_loss(x, np.int64([[2, -1, 0]])), (0.2 + 0.3) / 3)
    close(aten.triplet_margin_loss(a[None], b[None], a[None], eps=0.0), 1 + np.sqrt(5))
    same = aten.cosine_embedding_loss(x, 2 * x, np.float64([1]))
    assert abs(float(np.asarray(same))) < 1e-9
    with pytest.raises(RuntimeError, match="target out of range: 7"):
        aten.multi_margin_loss(x, np.int64([7]))


def brute_force(log_probs: Any, labels: list[int]) -> float:
    """Minus the log of the summed probability of all paths that collapse to the labels."""
    total = 0.0
    for path in itertools.product(range(log_probs.shape[1]), repeat=len(log_probs)):
        collapsed = [k for k, _ in itertools.groupby(path) if k != 0]
        if collapsed == labels:
            total += np.exp(sum(row[k] for row, k in zip(log_probs, path, strict=True)))
    return float(-np.log(total)) if total else np.inf


@pytest.mark.parametrize("labels", [[1, 2], [1, 1], [], [2, 1, 2], [1, 1, 1]])
def test_paths_through_labels(labels: list[int]) -> None:
    x = random(4, 1, 3)
    log_probs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    expected = brute_force(log_probs[:, 0], labels)
    arguments = (log_probs, np.int64([labels]), [4], [len(labels)])
    close(aten.ctc_loss.IntList(*arguments, 0, 2), expected)
    close(aten.ctc_loss.IntList(*arguments, 0, 1, True),
          0 if np.isinf(expected) else expected / max(len(labels), 1))  # fmt: skip
