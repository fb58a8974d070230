"""Values that can be worked out by hand, one or more a family."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.reference import call


def f32(*values: Any) -> Any:
    return np.array(values, dtype=np.float32)


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-7)


def test_add_with_alpha() -> None:
    assert call("aten.add.Tensor", f32(1, 2), f32(3, 4), alpha=10).tolist() == [31, 42]


def test_division_modes() -> None:
    a, b = np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])
    assert call("aten.div.Tensor_mode", a, b, rounding_mode="floor").tolist() == [3, -4, -4, 3]
    assert call("aten.div.Tensor_mode", a, b, rounding_mode="trunc").tolist() == [3, -3, -3, 3]
    assert call("aten.div.Tensor", a, b).tolist() == [3.5, -3.5, -3.5, 3.5]
    assert call("aten.remainder.Tensor", a, b).tolist() == [1, 1, -1, -1]
    assert call("aten.fmod.Tensor", a, b).tolist() == [1, -1, 1, -1]


def test_round_takes_halves_to_even() -> None:
    assert call("aten.round.default", f32(0.5, 1.5, 2.5, -0.5)).tolist() == [0, 2, 2, 0]


def test_gelu_is_x_phi() -> None:
    phi = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
    close(call("aten.gelu.default", f32(0, 1, -1)), [0, phi, phi - 1])


def test_special_functions() -> None:
    close(call("aten.lgamma.default", f32(1, 5, 0.5)), [0, math.log(24), math.log(math.pi) / 2])
    close(call("aten.digamma.default", f32(1, 2)), [-np.euler_gamma, 1 - np.euler_gamma])
    close(call("aten.erfinv.default", f32(0, math.erf(0.5))), [0, 0.5])


def test_sums_of_integers_are_int64() -> None:
    total = call("aten.sum.default", np.array([200, 100], np.uint8))
    assert total.dtype == np.int64
    assert total.item() == 300


def test_variance() -> None:
    x = f32(1, 2, 3, 4)
    close(call("aten.var.correction", x), 5 / 3)
    close(call("aten.var.correction", x, correction=0), 1.25)
    assert np.isnan(call("aten.var.correction", x[:1]))


def test_cumulative() -> None:
    values, places = call("aten.cummax.default", f32(1, 3, 2, 3), 0)
    assert values.tolist() == [1, 3, 3, 3]
    assert places.tolist() == [0, 1, 1, 3]
    close(call("aten.logcumsumexp.default", f32(0, 0, 0), 0), np.log([1, 2, 3]))


def test_softmax_of_equal_scores() -> None:
    close(call("aten.softmax.int", f32(1000, 1000), 0), [0.5, 0.5])
    close(call("aten.log_softmax.int", f32(1000, 1000), 0), [-math.log(2)] * 2)


def test_matrix_products() -> None:
    a, b = f32([1, 2], [3, 4]), f32([0, 1], [1, 0])
    assert call("aten.mm.default", a, b).tolist() == [[2, 1], [4, 3]]
    assert call("aten.addmm.default", f32(1, 1), a, b, beta=2, alpha=3).tolist() == [
        [8, 5],
        [14, 11],
    ]
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        call("aten.mm.default", a, f32([1, 2]))


def test_convolution_is_a_correlation() -> None:
    x, w = f32([[1, 2, 3, 4]]), f32([[1, 0, -1]])
    assert call("aten.conv1d.default", x, w).tolist() == [[[-2, -2]]]
    assert call("aten.conv1d.default", x, w, None, [1], [1]).tolist() == [[[-2, -2, -2, 3]]]


def test_transposed_convolution_spreads() -> None:
    x, w = f32([[1, 2]]), f32([[1, 1, 1]])
    out = call("aten.conv_transpose1d.default", x, w, None, [2])
    assert out.tolist() == [[[1, 1, 3, 2, 2]]]


def test_poolings() -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    values, places = call("aten.max_pool2d_with_indices.default", x, [2, 2])
    assert values.tolist() == [[[5, 7], [13, 15]]]
    assert places.tolist() == [[[5, 7], [13, 15]]]
    assert call("aten.avg_pool2d.default", x, [2, 2]).tolist() == [[[2.5, 4.5], [10.5, 12.5]]]
    assert call("aten.adaptive_avg_pool2d.default", x, [1, 1]).tolist() == [[[7.5]]]


def test_layer_norm() -> None:
    out = call("aten.layer_norm.default", f32([1, 3]), [2], f32(1, 2), f32(0, 1), 0.0)
    close(out, [[-1, 3]])


def test_batch_norm_in_training_updates_the_statistics() -> None:
    x = f32([0], [2])
    mean, var = f32(0), f32(1)
    out = call("aten.native_batch_norm.default", x, None, None, mean, var, True, 0.5, 0.0)[0]
    close(out, [[-1], [1]])
    close(mean, [0.5])
    close(var, [1.5])


def test_attention_without_keys_left_is_zero() -> None:
    q = f32([[1, 0]])
    mask = np.zeros((1, 1), np.bool_)
    assert call("aten.scaled_dot_product_attention.default", q, q, q, mask).tolist() == [[[0, 0]]]


def test_gru_with_a_closed_update_gate_keeps_its_state() -> None:
    w, b = np.zeros((3, 1), np.float32), f32(0, 100, 0)
    h = call("aten.gru_cell.default", f32([5]), f32([0.25]), w, w, b, f32(0, 0, 0))
    close(h, [[0.25]])


def test_lstm_with_open_gates_adds_up() -> None:
    w, b = np.zeros((4, 1), np.float32), f32(100, 100, 100, 100)
    x, state = np.zeros((3, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    out, hidden, cell = call(
        "aten.lstm.input", x, [state, state], [w, w, b, np.zeros_like(b)],
        True, 1, 0.0, False, False, False,
    )  # fmt: skip
    assert cell.tolist() == [[[3.0]]]
    close(out[:, 0, 0], np.tanh([1, 2, 3]))
    close(hidden[0, 0, 0], np.tanh(3))


def test_sorting_is_stable_and_nan_is_largest() -> None:
    values, order = call("aten.sort.stable", f32(2, 1, 2, 1), stable=True, descending=True)
    assert values.tolist() == [2, 2, 1, 1]
    assert order.tolist() == [0, 2, 1, 3]
    assert call("aten.argsort.default", f32(1, np.nan, 0)).tolist() == [2, 0, 1]


def test_gather_and_scatter() -> None:
    x = np.array([[1, 2], [3, 4]])
    index = np.array([[0, 0], [1, 0]])
    assert call("aten.gather.default", x, 1, index).tolist() == [[1, 1], [4, 3]]
    zero = np.zeros((2, 2), np.int64)
    assert call("aten.scatter_add.default", zero, 0, index, x).tolist() == [[1, 6], [3, 0]]


def test_index_put_accumulates() -> None:
    out = call("aten.index_put.default", np.zeros(3), [np.array([1, 1])], np.ones(2), True)
    assert out.tolist() == [0, 2, 0]


def test_bad_index() -> None:
    with pytest.raises(IndexError, match="index 4 is out of bounds for dimension with size 3"):
        call("aten.index_select.default", f32(1, 2, 3), 0, np.array([4]))
    with pytest.raises(IndexError, match="Dimension out of range"):
        call("aten.sum.dim_IntList", f32(1, 2), [1])


def test_bilinear_upsampling_with_corners_aligned() -> None:
    x = np.array([[[[0.0, 2.0]]]])
    out = call("aten.upsample_bilinear2d.vec", x, [1, 5], True, None)
    close(out, [[[[0, 0.5, 1, 1.5, 2]]]])


def test_cross_entropy_of_equal_logits() -> None:
    loss = call("aten.cross_entropy_loss.default", np.zeros((2, 4)), np.array([1, 3]))
    close(loss, math.log(4))


def test_assertions() -> None:
    with pytest.raises(RuntimeError, match="Tensor dtype mismatch! Expected: float32"):
        call("aten._assert_tensor_metadata.default", np.zeros(2), None, None, "float32")
    with pytest.raises(RuntimeError, match="too small"):
        call("aten._assert_scalar.default", False, "too small")


def test_decompositions_multiply_back() -> None:
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    values, vectors = call("aten.linalg_eigh.default", a)
    close(vectors @ np.diag(values) @ vectors.T, a)
    u, s, vh = call("aten.linalg_svd.default", a)
    close(u @ np.diag(s) @ vh, a)
    q, r = call("aten.linalg_qr.default", a)
    close(q @ r, a)
    close(q.T @ q, np.eye(2))
    result, factors, pivots, info = call("aten._linalg_solve_ex.default", a, a)
    close(result, np.eye(2))
    close(factors, [[4, 1], [0.25, 2.75]])
    assert pivots.tolist() == [1, 2]
    assert info.item() == 0


def test_singular_matrix() -> None:
    with pytest.raises(RuntimeError, match=r"[Ss]ingular"):
        call("aten.linalg_inv.default", np.zeros((2, 2)))


def test_quantisation_round_trip() -> None:
    x = f32(-1, 0, 0.26, 100)
    name = "quantized_decomposed.quantize_per_tensor.default"
    q = call(name, x, 0.5, 10, 0, 255, "uint8")
    assert q.tolist() == [8, 10, 11, 210]
    name = "quantized_decomposed.dequantize_per_tensor.default"
    assert call(name, q, 0.5, 10, 0, 255, "uint8").tolist() == [-1, 0, 0.5, 100]
