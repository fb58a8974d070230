"""Backward operators against differences: the gradient of sum(grad * f(x)) at x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.ops import aten


def random(*sizes: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(sizes)


def slope(f: Callable[[Any], Any], x: Any, grad: Any) -> Any:
    """Central differences of sum(grad * f(x)) for every element of x."""
    out, step = np.zeros_like(x), 1e-5
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        out[i] = (grad * (np.asarray(f(up)) - np.asarray(f(down)))).sum() / (2 * step)
    return out


def close(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("x", "w", "stride", "padding", "dilation", "transposed", "groups"),
    [
        ((2, 4, 7), (4, 2, 3), [2], [1], [1], False, 2),
        ((1, 2, 5, 6), (3, 2, 2, 3), [2, 1], [1, 0], [1, 2], False, 1),
        ((2, 3, 5, 5), (3, 1, 3, 3), [1, 1], [1, 1], [1, 1], False, 3),
        ((1, 4, 3, 4), (4, 2, 2, 3), [2, 2], [0, 1], [1, 1], True, 2),
        ((1, 2, 3, 3, 4), (2, 2, 2, 2, 2), [1, 2, 1], [0, 1, 0], [1, 1, 1], False, 1),
    ],
)
def test_convolution(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
                     groups: int) -> None:  # fmt: skip
    a, b = random(*x), random(*w, seed=1)
    bias = random(w[1] * groups if transposed else w[0], seed=2)
    zero = [0] * len(stride)

    def run(a: Any, b: Any, bias: Any) -> Any:
        return aten.convolution(a, b, bias, stride, padding, dilation, transposed, zero, groups)

    grad = random(*np.asarray(run(a, b, bias)).shape, seed=3)
    got = aten.convolution_backward(grad, a, b, list(bias.shape), stride, padding, dilation,
                                    transposed, zero, groups, [True, True, True])  # fmt: skip
    close(got[0], slope(lambda v: run(v, b, bias), a, grad))
    close(got[1], slope(lambda v: run(a, v, bias), b, grad))
    close(got[2], slope(lambda v: run(a, b, v), bias, grad))


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
def test_pooling(ceil_mode: bool, include: bool) -> None:
    x = random(2, 3, 7, 8)
    options = ([3, 2], [2, 2], [1, 1], ceil_mode)
    y = np.asarray(aten.avg_pool2d(x, *options, include))
    grad = random(*y.shape, seed=1)
    close(aten.avg_pool2d_backward(grad, x, *options, include, None),
          slope(lambda v: aten.avg_pool2d(v, *options, include), x, grad))  # fmt: skip
    y, indices = aten.max_pool2d_with_indices(x, [3, 2], [2, 2], [1, 1], [1, 1], ceil_mode)
    grad = random(*np.asarray(y).shape, seed=1)
    got = aten.max_pool2d_with_indices_backward(
        grad, x, [3, 2], [2, 2], [1, 1], [1, 1], ceil_mode, indices
    )
    close(
        got, slope(lambda v: aten.max_pool2d(v, [3, 2], [2, 2], [1, 1], [1, 1], ceil_mode), x, grad)
    )


def test_adaptive_pooling() -> None:
    x, grad = random(1, 2, 5, 7), random(1, 2, 3, 2, seed=1)
    close(aten._adaptive_avg_pool2d_backward(grad, x),
          slope(lambda v: aten._adaptive_avg_pool2d(v, [3, 2]), x, grad))  # fmt: skip


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("groups", [False, True])
def test_normalisation(affine: bool, groups: bool) -> None:
    x, grad = random(3, 4, 5), random(3, 4, 5, seed=1)
    shape = (4,) if groups else (4, 5)
    w, b = (random(*shape, seed=2), random(*shape, seed=3)) if affine else (None, None)

    def run(x: Any, w: Any, b: Any) -> Any:
        if groups:
            return aten.native_group_norm(x, w, b, 3, 4, 5, 2, 1e-5)
        return aten.native_layer_norm(x, [4, 5], w, b, 1e-5)

    _, mean, rstd = run(x, w, b)
    every = [True, True, True]
    if groups:
        got = aten.native_group_norm_backward(grad, x, mean, rstd, w, 3, 4, 5, 2, every)
    else:
        got = aten.native_layer_norm_backward(grad, x, [4, 5], mean, rstd, w, b, every)
    close(got[0], slope(lambda v: run(v, w, b)[0], x, grad))
    if affine:
        close(got[1], slope(lambda v: run(x, v, b)[0], w, grad))
        close(got[2], slope(lambda v: run(x, w, v)[0], b, grad))


def test_embedding() -> None:
    grad, indices = random(2, 2, 3), np.int64([[0, 3], [3, 1]])
    got = np.asarray(aten.embedding_dense_backward(grad, indices, 5, 1, False))
    expected = np.zeros((5, 3))
    np.add.at(expected, indices.ravel(), grad.reshape(4, 3))
    expected[1] = 0
    close(got, expected)
    expected[3] /= 2
    close(aten.embedding_dense_backward(grad, indices, 5, 1, True), expected)
    with pytest.raises(IndexError, match="out of range"):
        aten.embedding_dense_backward(grad, indices, 2, -1, False)


def test_training_updates_running_statistics() -> None:
    x, mean, var = random(4, 3, 5), np.zeros(3), np.ones(3)
    y = aten.batch_norm(x, None, None, mean, var, True, 0.1, 1e-5, True)
    seen = x.mean((0, 2))
    close(mean, 0.1 * seen)
    close(var, 0.9 + 0.1 * x.var((0, 2), ddof=1))
    close(y, (x - seen[:, None]) / np.sqrt(x.var((0, 2)) + 1e-5)[:, None])
    out, _, _ = aten._native_batch_norm_legit(x, None, None, mean, var, True, 0.1, 1e-5)
    close(out, np.asarray(y))
    close(mean, 0.19 * seen)


def test_out_is_written() -> None:
    out = np.zeros(2)
    got = aten.atan2.out(np.float64([1, 0]), np.float64([1, -1]), out=out)
    close(out, [np.pi / 4, np.pi])
    close(got, out)


def test_dropout_in_training_keeps_the_mean() -> None:
    y = np.asarray(aten.dropout(np.ones(100_000, np.float32), 0.25, True))
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(y.mean() - 1) < 0.02


@pytest.mark.parametrize("name", ["feature_dropout", "alpha_dropout", "feature_alpha_dropout"])
def test_kinds_of_dropout(name: str) -> None:
    operator = getattr(aten, name)
    y = np.asarray(operator(np.ones((64, 64, 4), np.float32), 0.25, True))
    values = np.unique(y)
    assert len(values) == 2
    if name.startswith("feature"):  # whole channels
        assert (y == y[:, :, :1]).all()
    mean = y.mean()
    assert (
        abs(mean - (1 if name == "feature_dropout" else values[1] * 0.75 + values[0] * 0.25)) < 0.1
    )
    assert np.asarray(operator(np.ones((2, 2), np.float32), 0.0, True)).tolist() == [[1, 1], [1, 1]]
