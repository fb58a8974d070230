"""The digits example's files hold what its README promises, judged without our engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.pt2_files import Archive, read

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
Array = npt.NDArray[Any]


def conv3x3(x: Array, weight: Array, bias: Array) -> Array:
    """Cross-correlate (N, C, H, W) with (K, C, 3, 3), zero padding 1."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    result: Array = np.einsum("nchwij,kcij->nkhw", windows, weight) + bias[:, None, None]
    return result


def batch_norm(x: Array, archive: Archive, name: str) -> Array:
    """Normalise with the running statistics."""
    mean, var, weight, bias = (
        archive.weight(f"{name}.{part}")[:, None, None]
        for part in ("running_mean", "running_var", "weight", "bias")
    )
    normal: Array = (x - mean) / np.sqrt(var + 1e-5) * weight + bias
    return normal


def max_pool(x: Array) -> Array:
    """Take the maximum of each 2x2 square."""
    n, c, h, w = x.shape
    pooled: Array = x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))
    return pooled


def scores(archive: Archive, images: Array) -> Array:
    """Compute the network of ``train.py`` in NumPy."""
    x = images / 16.0
    for conv, pool in ((0, False), (3, True), (7, True)):
        x = conv3x3(
            x, archive.weight(f"features.{conv}.weight"), archive.weight(f"features.{conv}.bias")
        )
        x = np.maximum(batch_norm(x, archive, f"features.{conv + 1}"), 0.0)
        x = max_pool(x) if pool else x
    flat: Array = x.reshape(len(x), -1)
    result: Array = flat @ archive.weight("classifier.weight").T + archive.weight("classifier.bias")
    return result


def test_held_out_images_and_labels() -> None:
    with np.load(DIGITS / "test.npz") as test:
        assert set(test) == {"images", "labels"}
        images, labels = test["images"], test["labels"]
    assert images.dtype == np.float32
    assert images.shape == (360, 1, 8, 8)
    assert images.min() == 0.0
    assert images.max() == 16.0
    assert labels.dtype == np.int64
    assert labels.shape == (360,)
    counts = np.bincount(labels, minlength=10)
    assert len(counts) == 10
    assert counts.min() >= 30  # stratified


def test_program_takes_images_of_any_batch() -> None:
    archive = read(DIGITS / "digits.pt2")
    assert archive.user_inputs() == {"images": "as_tensor"}
    values = archive.program["graph_module"]["graph"]["tensor_values"]
    batch, *rest = values["images"]["sizes"]
    assert "as_expr" in batch
    assert rest == [{"as_int": 1}, {"as_int": 8}, {"as_int": 8}]
    assert list(archive.program["range_constraints"].values()) == [{"min_val": 1, "max_val": 4096}]


def test_accuracy_on_held_out_images() -> None:
    with np.load(DIGITS / "test.npz") as test:
        right = scores(read(DIGITS / "digits.pt2"), test["images"]).argmax(1) == test["labels"]
    assert right.mean() >= 0.975


def test_files_are_small_and_name_no_local_paths() -> None:
    files = [DIGITS / "digits.pt2", DIGITS / "test.npz"]
    assert sum(file.stat().st_size for file in files) < 300_000
    assert b"stack_trace" not in read(files[0]).entries["models/model.json"]
    assert b".py" not in files[0].read_bytes()
