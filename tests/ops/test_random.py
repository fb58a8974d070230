"""Random tensors: ranges, moments, and numbers that do not depend on the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

aten = rushlight.ops.aten
N = 200_000


def numbers(t: Any) -> np.ndarray[Any, Any]:
    return np.asarray(t.numpy())


@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64, rushlight.float16])
def test_rand_is_uniform_below_one(dtype: Any) -> None:
    x = numbers(aten.rand.default([N], dtype=dtype)).astype(np.float64)
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < 0.005
    assert abs(x.var() - 1 / 12) < 0.002


def test_randn_is_standard_normal() -> None:
    x = numbers(aten.randn.default([N])).astype(np.float64)
    assert abs(x.mean()) < 0.02
    assert abs(x.std() - 1) < 0.02
    assert abs(((x - x.mean()) ** 4).mean() - 3) < 0.15
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.02


def test_randint_covers_its_range_evenly() -> None:
    x = numbers(aten.randint.low(-3, 4, [N]))
    assert x.dtype == np.int64
    counts = np.bincount(x + 3, minlength=7)
    assert len(counts) == 7
    assert np.abs(counts / N - 1 / 7).max() < 0.005


def test_randperm_is_a_permutation() -> None:
    x = numbers(aten.randperm.default(1000))
    assert (np.sort(x) == np.arange(1000)).all()
    assert (x != np.arange(1000)).any()


def test_bernoulli() -> None:
    p = np.full(N, 0.3, np.float32)
    x = numbers(aten.bernoulli.default(p))
    assert set(np.unique(x)) == {0.0, 1.0}
    assert abs(x.mean() - 0.3) < 0.01
    assert numbers(aten.bernoulli.p(p, 0.0)).sum() == 0
    assert numbers(aten.bernoulli.p(p, 1.0)).sum() == N
    with pytest.raises(RuntimeError, match=r"p to be in \[0, 1\]"):
        aten.bernoulli.p(p, 1.5)


def test_multinomial() -> None:
    weights = np.array([0.0, 1.0, 3.0, 0.0], np.float32)
    drawn = numbers(aten.multinomial.default(weights, 40_000, True))
    counts = np.bincount(drawn, minlength=4) / 40_000
    assert np.abs(counts - [0, 0.25, 0.75, 0]).max() < 0.02
    rows = numbers(aten.multinomial.default(np.ones((50, 6), np.float32), 6))
    assert (np.sort(rows, 1) == np.arange(6)).all()
    with pytest.raises(RuntimeError, match="without replacement"):
        aten.multinomial.default(weights, 5)


def test_in_place_draws() -> None:
    x = rushlight.from_numpy(np.zeros(N))
    aten.uniform_.default(x, 2.0, 4.0)
    assert abs(numbers(x).mean() - 3) < 0.02
    aten.normal_.default(x, 1.0, 0.5)
    assert abs(numbers(x).mean() - 1) < 0.02
    assert abs(numbers(x).std() - 0.5) < 0.02
    aten.exponential_.default(x, 2.0)
    assert abs(numbers(x).mean() - 0.5) < 0.02


def test_calls_differ() -> None:
    assert (numbers(aten.rand.default([8])) != numbers(aten.rand.default([8]))).any()
