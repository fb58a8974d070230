"""Neural-network operators: closed forms, NumPy and laws."""

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
close = np.testing.assert_allclose


def array(*sizes: int, dtype: str = "float64", seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=sizes).astype(dtype)


def softmax(x: Any, axis: int) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays("float32", hnp.array_shapes(min_dims=1, max_dims=3, max_side=40),
               elements=st.floats(-80, 80, width=32)),
    st.data(),
)  # fmt: skip
def test_softmax_adds_up_to_one_and_ignores_a_shift(x: Any, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    out = aten.softmax.int(x, dim).numpy()
    close(out.sum(dim), np.ones_like(out.sum(dim)), rtol=1e-5)
    close(out, softmax(x.astype("float64"), dim), rtol=2e-5, atol=1e-12)
    close(aten.softmax.int(x + 16, dim).numpy(), out, rtol=1e-4, atol=1e-6)
    close(np.exp(aten.log_softmax.int(x, dim).numpy()), out, rtol=1e-4, atol=1e-7)


def test_softmax_of_masked_rows() -> None:
    x = np.full((2, 4), -math.inf, dtype="float32")
    x[1, 2] = 3
    assert np.isnan(aten.softmax.int(x, 1).numpy()[0]).all()
    assert aten._safe_softmax.default(x, 1).tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]]


def test_layer_norm_has_zero_mean_and_unit_variance() -> None:
    x = array(5, 77) * 3 + 1000
    out, mean, rstd = aten.native_layer_norm.default(x, [77], None, None, 0.0)
    close(out.numpy().mean(1), np.zeros(5), atol=1e-9)
    close(out.numpy().var(1), np.ones(5), rtol=1e-9)
    close(mean.numpy()[:, 0], x.mean(1))
    close(rstd.numpy()[:, 0], 1 / x.std(1))


def test_norms_against_numpy() -> None:
    x, w, b = array(2, 6, 5, 3), array(6, seed=1), array(6, seed=2)
    m, v = array(6, seed=3), array(6, seed=4) ** 2 + 0.1
    shape = (1, 6, 1, 1)
    expected = (x - m.reshape(shape)) / np.sqrt(v.reshape(shape) + 1e-5)
    expected = expected * w.reshape(shape) + b.reshape(shape)
    out = aten.batch_norm.default(x, w, b, m, v, False, 0.1, 1e-5, False).numpy()
    close(out, expected, rtol=1e-10, atol=1e-12)
    groups = x.reshape(2, 3, -1)
    expected = (groups - groups.mean(2, keepdims=True)) / np.sqrt(
        groups.var(2, keepdims=True) + 1e-5)  # fmt: skip
    out = aten.group_norm.default(x, 3).numpy()
    close(out, expected.reshape(x.shape), rtol=1e-10, atol=1e-12)
    out = aten.rms_norm.default(x, [3], None, 1e-6).numpy()
    close(out, x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6), rtol=1e-10)
    with pytest.raises(RuntimeError, match=r"weight.*6 elements"):
        aten.batch_norm.default(x, w[:5], b, m, v, False, 0.1, 1e-5, False)


def windows(x: Any, kernel: int, stride: int, padding: int, fill: float) -> Any:
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (1, 2))
    return view[:, ::stride, ::stride]


@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [(2, 2, 0), (3, 2, 1), (3, 1, 1), (5, 3, 2)]
)
def test_pooling_against_numpy(kernel: int, stride: int, padding: int) -> None:
    x = array(4, 19, 23)
    args = ([kernel, kernel], [stride, stride], [padding, padding])
    largest = windows(x, kernel, stride, padding, -math.inf).max((-1, -2))
    close(aten.max_pool2d.default(x, *args).numpy(), largest)
    values, indices = aten.max_pool2d_with_indices.default(x, *args)
    close(values.numpy(), largest)
    flat = np.take_along_axis(x.reshape(4, -1), indices.numpy().reshape(4, -1), 1)
    close(flat.reshape(largest.shape), largest)
    average = windows(x, kernel, stride, padding, 0).mean((-1, -2))
    close(aten.avg_pool2d.default(x, *args).numpy(), average, rtol=1e-10, atol=1e-12)


def test_adaptive_pooling() -> None:
    x = array(2, 3, 6, 8)
    close(aten.adaptive_avg_pool2d.default(x, [1, 1]).numpy()[..., 0, 0], x.mean((2, 3)))
    expected = x.reshape(2, 3, 3, 2, 2, 4).mean((3, 5))
    close(aten.adaptive_avg_pool2d.default(x, [3, 2]).numpy(), expected)
    values, _ = aten.adaptive_max_pool2d.default(x, [3, 2])
    close(values.numpy(), x.reshape(2, 3, 3, 2, 2, 4).max((3, 5)))


def test_embedding_copies_rows_and_names_a_bad_index() -> None:
    table = array(5, 3)
    index = np.array([[0, 4], [2, 2]])
    close(aten.embedding.default(table, index).numpy(), table[index])
    with pytest.raises(IndexError, match="got 7 at position 1"):
        aten.embedding.default(table, np.array([1, 7]))


def test_pixel_shuffle_undoes_unshuffle() -> None:
    x = array(2, 3, 8, 12)
    close(aten.pixel_shuffle.default(aten.pixel_unshuffle.default(x, 4), 4).numpy(), x)


def test_upsampling() -> None:
    x = array(1, 2, 3, 4)
    twice = aten.upsample_nearest2d.default(x, [6, 8]).numpy()
    close(twice, x.repeat(2, 2).repeat(2, 3))
    ramp = np.arange(5.0).reshape(1, 1, 5)
    out = aten.upsample_linear1d.default(ramp, [9], True).numpy()
    close(out[0, 0], np.arange(9) / 2)
    same = aten.upsample_bicubic2d.default(x, [3, 4], False).numpy()
    close(same, x, rtol=1e-12)


def test_losses_have_their_textbook_values() -> None:
    x, y = array(4, 5), array(4, 5, seed=1)
    close(aten.mse_loss.default(x, y).item(), ((x - y) ** 2).mean())
    close(aten.l1_loss.default(x, y, 2).item(), np.abs(x - y).sum())
    labels = np.array([0, 3, 4, 1])
    expected = -np.log(softmax(x, 1)[np.arange(4), labels])
    close(aten.cross_entropy_loss.default(x, labels, None, 0).numpy(), expected)
    close(aten.cross_entropy_loss.default(x, labels).item(), expected.mean())
    with pytest.raises(IndexError, match="Target 5 is out of bounds"):
        aten.cross_entropy_loss.default(x, np.array([0, 1, 2, 5]))
