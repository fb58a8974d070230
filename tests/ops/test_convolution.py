"""Convolutions: against a direct sum in NumPy, and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rushlight.ops import aten


def random(*sizes: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


def close(got: Any, expected: Any, terms: float = 0.0) -> None:
    """`terms` bounds what was summed, so that sums that cancel are judged by their terms."""
    got = np.asarray(got)
    assert got.shape == expected.shape
    error = float(np.linalg.norm(got - expected))
    assert error <= max(1e-5 * float(np.linalg.norm(expected)), 1e-6 * terms, 1e-11)


def direct(x: Any, w: Any, stride: int, padding: int, dilation: int, groups: int) -> Any:
    """The definition of a 2-D convolution, tap by tap."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    kernel = w.shape[2:]
    height, width = [
        (x.shape[2 + d] - dilation * (kernel[d] - 1) - 1) // stride + 1 for d in (0, 1)
    ]
    out = np.zeros((x.shape[0], w.shape[0], height, width))
    ins, outs = x.shape[1] // groups, w.shape[0] // groups
    for g in range(groups):
        source, rows = x[:, g * ins : (g + 1) * ins], slice(g * outs, (g + 1) * outs)
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                part = source[:, :, i * dilation :, j * dilation :][:, :, ::stride, ::stride]
                part = part[:, :, :height, :width]
                out[:, rows] += np.einsum("nchw,oc->nohw", part, w[rows, :, i, j])
    return out


small = st.integers(1, 4)


@settings(max_examples=120, deadline=None)
@given(
    batch=st.integers(1, 3),
    groups=st.integers(1, 3),
    ins=small,
    outs=st.integers(1, 9),
    kernel=small,
    stride=st.integers(1, 3),
    padding=st.integers(0, 3),
    dilation=st.integers(1, 2),
    height=st.integers(1, 20),
    width=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_any_geometry(
    batch: int,
    groups: int,
    ins: int,
    outs: int,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int,
    height: int,
    width: int,
    seed: int,
) -> None:
    assume(min(height, width) + 2 * padding >= dilation * (kernel - 1) + 1)
    x = random(batch, groups * ins, height, width, seed=seed)
    w = random(groups * outs, ins, kernel, kernel, seed=seed + 1)
    bias = random(groups * outs, seed=seed + 2)
    got = aten.conv2d(x, w, bias, stride, padding, dilation, groups)
    expected = direct(x, w, stride, padding, dilation, groups) + bias[:, None, None]
    close(got, expected, float(np.linalg.norm(x) * np.linalg.norm(w)))


@settings(max_examples=40, deadline=None)
@given(
    stride=st.integers(1, 3),
    padding=st.integers(0, 2),
    groups=st.integers(1, 2),
    kernel=st.integers(1, 4),
    size=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_transposed_is_the_adjoint(
    stride: int, padding: int, groups: int, kernel: int, size: int, seed: int
) -> None:
    extent = (size - 1) * stride + kernel - 2 * padding
    assume(extent > 0)
    y = random(2, 2 * groups, size, size, seed=seed)
    w = random(2 * groups, 3, kernel, kernel, seed=seed + 1)
    x = random(2, 3 * groups, extent, extent, seed=seed + 2)
    forward = np.asarray(aten.conv2d(x, w, None, stride, padding, 1, groups))
    back = np.asarray(aten.conv_transpose2d.input(y, w, None, stride, padding, 0, groups))
    left, right = float(np.vdot(forward, y)), float(np.vdot(x, back))
    assert abs(left - right) <= 1e-4 * float(np.linalg.norm(x) * np.linalg.norm(back) + 1)


def test_a_delta_shifts_the_image() -> None:
    x = random(1, 1, 6, 7)
    w = np.zeros((1, 1, 3, 3), np.float32)
    w[0, 0, 0, 1] = 1
    expected = np.zeros_like(x)
    expected[:, :, 1:] = x[:, :, :-1]
    assert np.array_equal(np.asarray(aten.conv2d(x, w, None, 1, 1)), expected)


def test_padding_same_keeps_the_size_for_even_kernels() -> None:
    x, w = random(1, 2, 9), random(3, 2, 4)
    same = np.asarray(aten.conv1d.padding(x, w, None, [1], "same"))
    wide = np.pad(x, ((0, 0), (0, 0), (1, 2)))
    close(same, np.asarray(aten.conv1d(wide, w)))


def test_three_dimensions_are_sums_of_two() -> None:
    x, w = random(1, 2, 4, 6, 7), random(3, 2, 2, 3, 3)
    got = np.asarray(aten.conv3d(x, w, None, 1, [0, 1, 1]))
    planes = [
        direct(x[:, :, d], w[:, :, 0], 1, 1, 1, 1) + direct(x[:, :, d + 1], w[:, :, 1], 1, 1, 1, 1)
        for d in range(3)
    ]
    close(got, np.stack(planes, 2))


def test_unbatched_empty_and_without_channels() -> None:
    x, w, b = random(2, 5, 5), random(3, 2, 3, 3), random(3)
    close(aten.conv2d(x, w, b), np.asarray(aten.conv2d(x[None], w, b))[0])
    assert np.asarray(aten.conv2d(x[None][:0], w)).shape == (0, 3, 3, 3)
    no_channels = aten.conv2d(
        np.zeros((1, 0, 4, 4), np.float32), np.zeros((3, 0, 3, 3), np.float32), b
    )
    assert np.array_equal(np.asarray(no_channels), np.broadcast_to(b[:, None, None], (1, 3, 2, 2)))


def test_any_strides_of_the_input() -> None:
    x, w = random(2, 6, 7, 4), random(3, 4, 3, 3)
    channels_last = x.transpose(0, 3, 1, 2)
    close(aten.conv2d(channels_last, w), np.asarray(aten.conv2d(channels_last.copy(), w)))


@pytest.mark.parametrize(
    ("x", "w", "message"),
    [
        (
            (1, 4, 5, 5),
            (2, 3, 3, 3),
            r"weight of size \[2, 3, 3, 3\], expected input\[1, 4, 5, 5\] to "
            "have 3 channels, but got 4 channels instead",
        ),
        ((4, 5), (2, 3, 3, 3), r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d"),
        ((1, 3, 2, 2), (2, 3, 3, 3), r"Kernel size: \(3 x 3\). Kernel size can't be greater"),
    ],
)
def test_shapes_that_do_not_fit(x: tuple[int, ...], w: tuple[int, ...], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        aten.conv2d(np.zeros(x, np.float32), np.zeros(w, np.float32))
