"""Pointwise operators: closed forms, NumPy's float64 as the judge of accuracy, and laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight

aten = rushlight.ops.aten
NAN, INF = float("nan"), float("inf")


def f32(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def ulps(got: np.ndarray[Any, Any], exact: np.ndarray[Any, Any]) -> float:
    """The largest distance from the float64 result, in units of the last place of float32."""
    finite = np.isfinite(exact.astype(np.float32)) & np.isfinite(exact)
    spacing = np.spacing(np.abs(exact[finite]).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(got[finite].astype(np.float64) - exact[finite]) / spacing))


def sigmoid(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.asarray(1 / (1 + np.exp(-x)))


erf = np.vectorize(math.erf, otypes=[np.float64])

ACCURACY = [
    ("exp", np.exp, -103, 88, 1.5),
    ("expm1", np.expm1, -20, 88, 2),
    ("log", np.log, 1e-38, 1e38, 1.5),
    ("log2", np.log2, 1e-38, 1e38, 2),
    ("log1p", np.log1p, -0.999, 1e6, 2),
    ("sigmoid", sigmoid, -87, 30, 3),
    ("tanh", np.tanh, -10, 10, 2),
    ("erf", erf, -5, 5, 2),
    ("sin", np.sin, -1000, 1000, 2.5),
    ("cos", np.cos, -1000, 1000, 2.5),
    ("sin", np.sin, -1e6, 1e6, 2.5),
    ("sqrt", np.sqrt, 0, 1e30, 0.5),
]


@pytest.mark.parametrize("name, exact, low, high, limit", ACCURACY)
def test_accuracy(name: str, exact: Any, low: float, high: float, limit: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(low, high, 20001).astype(np.float32)
    if low > 0:
        x = np.exp(rng.uniform(math.log(low), math.log(high), 20001)).astype(np.float32)
    near_zero = (rng.standard_normal(5001) * 10.0 ** rng.uniform(-6, 0, 5001)).astype(np.float32)
    x = np.concatenate([x, near_zero[(near_zero > low) & (near_zero < high)]])
    got = getattr(aten, name)(x).numpy()
    assert ulps(got, exact(x.astype(np.float64))) <= limit


def test_values_do_not_depend_on_position() -> None:
    x = np.random.default_rng(1).standard_normal(67).astype(np.float32)
    for name in ("exp", "tanh", "erf", "sin", "gelu", "silu", "log1p"):
        op = getattr(aten, name)
        whole = op(x).numpy()
        for n in (1, 3, 8, 17, 66):
            assert np.array_equal(op(x[:n]).numpy(), whole[:n], equal_nan=True)


SPECIAL_VALUES = [
    ("exp", [-INF, INF, NAN, 1000, -1000, 0], [0, INF, NAN, INF, 0, 1]),
    ("log", [0, -0.0, -1, INF, NAN, 1], [-INF, -INF, NAN, INF, NAN, 0]),
    ("log1p", [-1, -2, INF, NAN, 0], [-INF, NAN, INF, NAN, 0]),
    ("expm1", [-INF, INF, NAN, 0], [-1, INF, NAN, 0]),
    ("tanh", [-INF, INF, NAN], [-1, 1, NAN]),
    ("erf", [-INF, INF, NAN], [-1, 1, NAN]),
    ("sin", [INF, NAN, 0], [NAN, NAN, 0]),
    ("sigmoid", [-INF, INF, NAN, 0], [0, 1, NAN, 0.5]),
    ("relu", [-INF, INF, NAN, -3], [0, INF, NAN, 0]),
    ("round", [0.5, 1.5, 2.5, -0.5, NAN], [0, 2, 2, -0.0, NAN]),
    ("reciprocal", [0, -0.0, INF], [INF, -INF, 0]),
    ("digamma", [1, 0.5], [-0.5772156649, -1.9635100260]),
    ("erfinv", [0, 1, -1, 2, 0.5], [0, INF, -INF, NAN, 0.4769362762]),
    ("lgamma", [1, 2, 4, 0.5], [0, 0, math.log(6), 0.5 * math.log(math.pi)]),
    ("sinc", [0, 0.5], [1, 2 / math.pi]),
]


@pytest.mark.parametrize("name, x, expected", SPECIAL_VALUES)
def test_special_values(name: str, x: list[float], expected: list[float]) -> None:
    got = getattr(aten, name)(f32(*x)).numpy()
    np.testing.assert_allclose(got, f32(*expected), rtol=2e-6, atol=1e-7)
    assert np.array_equal(np.signbit(got), np.signbit(f32(*expected))) or np.isnan(got).any()


def test_integer_division_follows_python() -> None:
    pairs = [(a, b) for a in range(-7, 8) for b in (-3, -2, -1, 1, 2, 3)]
    a, b = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    assert aten.floor_divide(a, b).tolist() == [x // y for x, y in pairs]
    assert aten.remainder.Tensor(a, b).tolist() == [x % y for x, y in pairs]
    assert aten.fmod.Tensor(a, b).tolist() == [int(math.fmod(x, y)) for x, y in pairs]
    mode = aten.div.Tensor_mode(a, b, rounding_mode="trunc")
    assert mode.tolist() == [int(x / y) for x, y in pairs]


def test_the_smallest_integer_over_minus_one_wraps() -> None:
    smallest = np.array([-(2**63)])
    assert aten.floor_divide.Scalar(smallest, -1).tolist() == [-(2**63)]
    assert aten.remainder.Scalar(smallest, -1).tolist() == [0]


def test_integer_division_by_zero_raises() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        aten.floor_divide(np.array([1]), np.array([0]))
    assert aten.div.Tensor(np.array([1]), np.array([0])).tolist() == [INF]


def test_errors_name_operator_and_dtype() -> None:
    with pytest.raises(NotImplementedError, match='"gelu" not implemented'):
        aten.gelu(np.array([1]))
    with pytest.raises(RuntimeError, match="two bool tensors is not supported"):
        aten.sub.Tensor(np.array([True]), np.array([False]))
    with pytest.raises(RuntimeError, match="Negation"):
        aten.neg(np.array([True]))
    with pytest.raises(RuntimeError, match="negative integer powers"):
        aten.pow.Tensor_Scalar(np.array([2]), -1)
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max'"):
        aten.clamp(f32(1))
    with pytest.raises(RuntimeError, match=r"size of tensor a \(2\) must match"):
        aten.add.Tensor(f32(1, 2), f32(1, 2, 3))
    with pytest.raises(RuntimeError, match="alpha must not be a floating point"):
        aten.add.Tensor(np.array([1]), np.array([1]), alpha=1.5)
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        aten.feature_dropout(f32(1), 0.5, True)


@pytest.mark.parametrize("fmt", ["float16", "bfloat16"])
def test_half_types_compute_in_float(fmt: str) -> None:
    x = aten.to.dtype(f32(0.1, 3, 250), getattr(rushlight, fmt))
    got = aten.add.Tensor(x, x)
    assert got.dtype == getattr(rushlight, fmt)
    back = aten.to.dtype(got, rushlight.float32).numpy()
    once = aten.to.dtype(x, rushlight.float32).numpy()
    assert np.array_equal(back, 2 * once)


def test_promotion() -> None:
    i8, i64 = np.ones(2, np.int8), np.ones(2, np.int64)
    u8, f64 = np.ones(2, np.uint8), np.ones(2, np.float64)
    cases = [
        (aten.add.Tensor(i8, u8), "int16"),
        (aten.add.Tensor(i64, f32(1, 2)), "float32"),
        (aten.add.Tensor(f32(1, 2), np.float64(1)), "float32"),
        (aten.add.Tensor(f32(1, 2), f64), "float64"),
        (aten.add.Scalar(i8, 300), "int8"),
        (aten.add.Scalar(i8, 1.5), "float32"),
        (aten.div.Tensor(i8, i8), "float32"),
        (aten.eq.Tensor(i8, f64), "bool"),
        (aten.abs(np.array([3 + 4j], np.complex64)), "float32"),
        (aten.clamp(i64, 0.5), "float32"),
        (aten.where.self(np.array([True, False]), i8, f64), "float64"),
    ]
    for result, expected in cases:
        assert result.dtype == getattr(rushlight, expected)


def test_strides_keep_the_order_of_dimensions() -> None:
    x = np.zeros((2, 5, 7, 3), np.float32).transpose(0, 3, 1, 2)
    out = aten.relu(x)
    assert tuple(out.stride()) == (105, 1, 21, 3)
    assert tuple(aten.add.Tensor(x, f32(1)).stride()) == (105, 1, 21, 3)


numbers = st.floats(-1e3, 1e3, width=32)
arrays = st.lists(numbers, min_size=1, max_size=70).map(lambda v: np.array(v, np.float32))


@settings(max_examples=60, deadline=None)
@given(arrays)
def test_laws(x: np.ndarray[Any, Any]) -> None:
    assert np.array_equal(aten.neg(aten.neg(x)).numpy(), x)
    assert np.array_equal(aten.maximum(x, x).numpy(), x)
    assert np.array_equal(aten.add.Tensor(x, x).numpy(), 2 * x)
    floor, frac = aten.floor(x).numpy(), aten.frac(aten.abs(x)).numpy()
    assert np.all((floor <= x) & (x - floor <= 1)) and np.all((frac >= 0) & (frac < 1))
    assert np.array_equal(aten.tanh(aten.neg(x)).numpy(), -aten.tanh(x).numpy())
    total = aten.sigmoid(x).numpy() + aten.sigmoid(-x).numpy()
    np.testing.assert_allclose(total, 1, rtol=3e-7)
    assert np.array_equal(aten.round(x).numpy(), np.round(x))
    assert np.array_equal(aten.clamp(x, -1, 1).numpy(), np.clip(x, -1, 1))
    assert np.array_equal(aten.where.self(x > 0, x, f32(0)).numpy(), aten.relu(x).numpy())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.permutations(range(4)),
)
def test_broadcasting_is_numpys(sizes: list[int], ones: list[bool], order: list[int]) -> None:
    rng = np.random.default_rng(len(sizes))
    order = [d for d in order if d < len(sizes)]
    a = rng.standard_normal(sizes).astype(np.float32).transpose(order)
    b_sizes = [1 if one else a.shape[i] for i, one in enumerate(ones[: len(sizes)])]
    b = rng.integers(-5, 5, b_sizes)
    got = aten.mul.Tensor(a, b)
    np.testing.assert_array_equal(got.numpy(), a * b.astype(np.float32))
