"""Affine quantisation: closed forms and the law that a round trip is off by half a step at most."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight
from rushlight.ops import aten, quantized_decomposed, torchao, transformers


def test_values_round_half_to_even_and_saturate() -> None:
    x = np.float32([-10, -0.5, 0.25, 0.75, 1.25, 100])
    q = quantized_decomposed.quantize_per_tensor(x, 0.5, 3, -128, 127, rushlight.int8)
    assert np.asarray(q).tolist() == [-17, 2, 3, 5, 5, 127]
    back = quantized_decomposed.dequantize_per_tensor(q, 0.5, 3, -128, 127, rushlight.int8)
    assert np.asarray(back).tolist() == [-10, -0.5, 0, 1, 1, 62]


def test_a_scale_for_every_channel() -> None:
    x = np.float32([[1, 2], [3, 4]])
    scales, zeros = np.float32([1, 2]), np.int64([0, 1])
    for axis, expected in ((0, [[1, 2], [3, 3]]), (1, [[1, 2], [3, 3]])):
        q = quantized_decomposed.quantize_per_channel(
            x, scales, zeros, axis, -128, 127, rushlight.int8
        )
        assert np.asarray(q).tolist() == expected
        back = quantized_decomposed.dequantize_per_channel(
            q, scales, zeros, axis, -128, 127, rushlight.int8
        )
        assert np.abs(np.asarray(back) - x).max() <= 1


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 999), size=st.integers(1, 50), unsigned=st.booleans())
def test_chosen_parameters_cover_the_values(seed: int, size: int, unsigned: bool) -> None:
    x = np.random.default_rng(seed).standard_normal(size).astype(np.float32) * 10
    low, high, dtype = (0, 255, rushlight.uint8) if unsigned else (-128, 127, rushlight.int8)
    scale, zero = quantized_decomposed.choose_qparams.tensor(x, low, high, 1e-9, dtype)
    q = quantized_decomposed.quantize_per_tensor.tensor(x, scale, zero, low, high, dtype)
    back = quantized_decomposed.dequantize_per_tensor.tensor(q, scale, zero, low, high, dtype)
    assert np.abs(np.asarray(back) - x).max() <= 1.01 * np.asarray(scale)[0]


def test_groups_of_a_row() -> None:
    x = np.float32([[1, 2, 30, 40]])
    scales, zeros = np.float32([[1, 10]]), np.zeros((1, 2), np.float32)
    q = quantized_decomposed.quantize_per_channel_group(x, scales, zeros, -8, 7, rushlight.int8, 2)
    assert np.asarray(q).tolist() == [[1, 2, 3, 4]]
    with pytest.raises(RuntimeError, match="divide into groups of 3"):
        quantized_decomposed.quantize_per_channel_group(x, scales, zeros, -8, 7, rushlight.int8, 3)


def test_fake_quantisation_marks_what_was_clamped() -> None:
    x = np.float32([-1, 0.3, 9])
    y, mask = aten.fake_quantize_per_tensor_affine_cachemask(x, 0.5, 0, 0, 10)
    assert np.asarray(y).tolist() == [0, 0.5, 5]
    assert np.asarray(mask).tolist() == [False, True, False]


def test_blocks_have_scales_of_their_own() -> None:
    x = np.float32([[1, -2, 30, 40], [5, 6, -70, 0]])
    scale, zero = torchao.choose_qparams_affine(x, "SYMMETRIC", [1, 2], rushlight.int8)
    np.testing.assert_allclose(np.asarray(scale), np.float32([[2, 40], [6, 70]]) / 127.5)
    q = torchao.quantize_affine(x, [1, 2], scale, zero, rushlight.int8)
    back = torchao.dequantize_affine(q, [1, 2], scale, zero, rushlight.int8)
    assert (np.abs(np.asarray(back) - x) <= np.repeat(np.asarray(scale), 2, 1) * 0.51).all()
    with pytest.raises(RuntimeError, match="blocks of 3"):
        torchao.choose_qparams_affine(x, "SYMMETRIC", [1, 3], rushlight.int8)


def test_rows_go_to_their_group() -> None:
    x, w = np.eye(3, dtype=np.float32), np.float32([np.eye(3), 2 * np.eye(3)])
    y = transformers.grouped_mm_fallback(x, w, np.int32([1, 3]))
    assert np.asarray(y).tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 2]]
    with pytest.raises(RuntimeError, match="offset 9 of group 1"):
        transformers.grouped_mm_fallback(x, w, np.int32([1, 9]))
