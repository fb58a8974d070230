"""torchvision's operators by closed forms and a slow reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.ops import aten, torchvision

RAMP = np.arange(64, dtype=np.float64).reshape(1, 1, 8, 8)  # bilinear samples are exact: 8 y + x


def test_suppression_keeps_the_best_of_overlapping_boxes() -> None:
    boxes = np.float32([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 10, 10.5]])
    scores = np.float32([0.5, 0.9, 0.1, 0.9])
    assert np.asarray(torchvision.nms(boxes, scores, 0.5)).tolist() == [1, 2]
    assert np.asarray(torchvision.nms(boxes, scores, 0.96)).tolist() == [1, 3, 0, 2]
    assert np.asarray(torchvision.nms(boxes[:0], scores[:0], 0.5)).tolist() == []
    with pytest.raises(RuntimeError, match="4 columns"):
        torchvision.nms(boxes[:, :3], scores, 0.5)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [1, 2, 0])
def test_alignment_of_a_ramp(aligned: bool, ratio: int) -> None:
    # The mean of a linear function over a bin is its value in the middle.
    box = np.float64([[0, 1, 2, 5, 6]])
    y = np.asarray(torchvision.roi_align(RAMP, box, 1.0, 2, 2, ratio, aligned))[0, 0]
    shift = 0.5 if aligned else 0.0
    middle = np.array([[8 * (2 + dy) + 1 + dx for dx in (1, 3)] for dy in (1, 3)]) - 9 * shift
    np.testing.assert_allclose(y, middle)


def test_position_sensitive_bins_read_their_own_channel() -> None:
    x = np.concatenate([RAMP + 100 * c for c in range(4)], axis=1)
    box = np.float64([[0, 1, 2, 5, 6]])
    y, channels = torchvision.ps_roi_align(x, box, 1.0, 2, 2, 1)
    assert np.asarray(channels).ravel().tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(np.asarray(y)[0, 0], np.array([[25, 127], [241, 343]]) - 3.5)
    pooled, _ = torchvision.ps_roi_pool(x, box, 1.0, 2, 2)
    np.testing.assert_allclose(np.asarray(pooled)[0, 0, 0, 0], x[0, 0, 2:4, 1:3].mean())


def test_pooling_takes_the_largest_pixel() -> None:
    y, at = torchvision.roi_pool(RAMP, np.float64([[0, 0, 0, 3, 3]]), 1.0, 2, 2)
    assert np.asarray(y)[0, 0].tolist() == [[9, 11], [25, 27]]
    assert np.asarray(at)[0, 0].tolist() == [[9, 11], [25, 27]]
    with pytest.raises(IndexError, match="image 1 of 1"):
        torchvision.roi_pool(RAMP, np.float64([[1, 0, 0, 3, 3]]), 1.0, 2, 2)


def deformed(x: Any, w: Any, offset: Any, mask: Any) -> Any:
    """A direct sum over taps for one image, stride 1, no padding."""
    _, c, h, width = x.shape
    out_h, out_w = h - w.shape[2] + 1, width - w.shape[3] + 1
    y = np.zeros((1, w.shape[0], out_h, out_w))

    def at(plane: Any, i: int, j: int) -> float:
        return plane[i, j] if 0 <= i < h and 0 <= j < width else 0.0

    for o, i, j, a, b, k in np.ndindex(w.shape[0], out_h, out_w, w.shape[2], w.shape[3], c):
        tap = a * w.shape[3] + b
        py = i + a + offset[0, 2 * tap, i, j]
        px = j + b + offset[0, 2 * tap + 1, i, j]
        y0, x0 = int(np.floor(py)), int(np.floor(px))
        sample = sum(
            (1 - abs(py - yy)) * (1 - abs(px - xx)) * at(x[0, k], yy, xx)
            for yy in (y0, y0 + 1) for xx in (x0, x0 + 1)
        )  # fmt: skip
        y[0, o, i, j] += w[o, k, a, b] * mask[0, tap, i, j] * sample
    return y


def test_deformable_convolution() -> None:
    g = np.random.default_rng(0)
    x, w = g.standard_normal((1, 2, 6, 6)), g.standard_normal((3, 2, 2, 2))
    offset, mask = g.standard_normal((1, 8, 5, 5)), g.random((1, 4, 5, 5))
    y = torchvision.deform_conv2d(
        x, w, offset, mask, np.zeros(3), 1, 1, 0, 0, 1, 1, 1, 1, True)  # fmt: skip
    np.testing.assert_allclose(np.asarray(y), deformed(x, w, offset, mask), atol=1e-10)
    plain = torchvision.deform_conv2d(
        x, w, 0 * offset, mask, np.ones(3), 1, 1, 0, 0, 1, 1, 1, 1, False)  # fmt: skip
    np.testing.assert_allclose(np.asarray(plain), np.asarray(aten.conv2d(x, w, np.ones(3))))


def test_unpooling_undoes_pooling() -> None:
    y, indices = aten.max_pool2d_with_indices(RAMP, [2, 2])
    back = np.asarray(aten.max_unpool2d(y, indices, [8, 8]))
    assert (back[0, 0, 1::2, 1::2] == RAMP[0, 0, 1::2, 1::2]).all()
    assert np.count_nonzero(back) == 16
    with pytest.raises(RuntimeError, match="invalid max index: 25"):
        np.asarray(aten.max_unpool2d(y, indices, [4, 4]))


def test_identity_grid_and_antialiasing() -> None:
    theta = np.float64([[[1, 0, 0], [0, 1, 0]]])
    grid = aten.affine_grid_generator(theta, [1, 1, 8, 8], False)
    np.testing.assert_allclose(
        np.asarray(aten.grid_sampler(RAMP, grid, 0, 0, False)), RAMP, atol=1e-9
    )
    small = np.asarray(aten._upsample_bilinear2d_aa(RAMP, [2, 2], False))
    assert abs(small.mean() - RAMP.mean()) < 1e-9
    np.testing.assert_allclose(
        np.asarray(aten._upsample_bicubic2d_aa(RAMP, [8, 8], False)), RAMP, atol=1e-9
    )
