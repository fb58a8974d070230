"""Fourier transforms, decompositions of matrices, quantisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .table import Case, Source, serves


@serves("_fft_c2c.default", "_fft_r2c.default", "_fft_c2r.default", "fft_fft.default",
        "fft_ifft.default", "fft_rfft.default", "fft_irfft.default", "fft_fftn.default",
        "fft_ifftn.default", "fft_fft2.default", "fft_ifft2.default", "fft_fftshift.default",
        "fft_ifftshift.default")  # fmt: skip
def fourier(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for real, complex_ in (("float32", "complex64"), ("float64", "complex128")):
        x, z = source((3, 4, 6), real), source((3, 4, 6), complex_)
        table: dict[str, list[tuple[Any, ...]]] = {
            "_fft_c2c": [(z, [1], n, f) for n in (0, 1, 2) for f in (True, False)]
            + [(z, [0, 2], 0, True)],
            "_fft_r2c": [(x, [2], n, s) for n in (0, 1, 2) for s in (True, False)]
            + [(x, [0, 1], 0, True)],
            "_fft_c2r": [(z, [2], n, size) for n in (0, 1, 2) for size in (10, 11)],
            "fft_fft": [(x,), (z, 8, 1), (z, None, 0, "ortho")],
            "fft_ifft": [(x,), (z, 3, 1), (z, None, 0, "forward")],
            "fft_rfft": [(x,), (x, 5, 1), (x, None, -1, "ortho")],
            "fft_irfft": [(z,), (z, 9), (z, None, 1, "ortho")],
            "fft_fftn": [(x,), (z, None, [0, 1]), (z, [4, 4])],
            "fft_ifftn": [(z,), (z, None, [0, 1], "ortho")],
            "fft_fft2": [(x,), (z, [2, 8])],
            "fft_ifft2": [(z,)],
            "fft_fftshift": [(x,), (x, [1])],
            "fft_ifftshift": [(x,), (x, [-1])],
        }
        for args in table[name]:
            yield args, {}


@serves("stft.center", "stft.default", "istft.default")
def short_time(operator: str) -> Iterator[Case]:
    source = Source(operator)
    window = np.hanning(17)[:16].astype(np.float32)
    if operator.startswith("aten.stft"):
        x = source((2, 64))
        yield (x, 16), {"window": window, "return_complex": True}
        yield (x, 16, 8, 12, window[2:14]), {"return_complex": True, "normalized": True}
        yield (x, 16, 4, None, window), {"return_complex": True, "onesided": False}
    else:
        z = source((2, 9, 17), "complex64")
        yield (z, 16, 4), {"window": window}
        yield (z, 16, 4, 16, window), {"length": 60, "normalized": True}


@serves("linalg_inv.default", "linalg_inv_ex.default", "inverse.default", "linalg_det.default",
        "det.default", "_linalg_det.default", "linalg_slogdet.default", "logdet.default",
        "linalg_solve.default", "_linalg_solve_ex.default", "linalg_cholesky.default",
        "linalg_cholesky_ex.default", "linalg_eigvalsh.default", "linalg_svdvals.default",
        "linalg_matrix_power.default")  # fmt: skip
def decompositions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64"):
        for shape in ((4, 4), (2, 3, 3)):
            x = source(shape, dtype) + 4 * np.eye(shape[-1], dtype=dtype)
            if "solve" in name:
                for right in (source((*shape[:-1], 2), dtype), source(shape[:-1], dtype)):
                    yield (x, right), {}
                yield (x, source(shape, dtype)), {"left": False}
            elif "cholesky" in name:
                positive = x @ x.swapaxes(-1, -2)
                yield (positive,), {}
                yield (positive,), {"upper": True}
            elif "power" in name:
                yield (x, 3), {}
                yield (x, 0), {}
                yield (x, -1), {}
            elif "eigvalsh" in name:
                yield (x,), {}
                yield (x, "U"), {}
            else:
                yield (x,), {}


@serves("linalg_matrix_norm.str_ord", "linalg_matrix_norm.default", "linalg_norm.default")
def norms(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((2, 3, 4))
    if operator.endswith("str_ord"):
        for order in ("fro", "nuc"):
            yield (x, order), {}
            yield (x, order, [0, 1], True), {}
    elif "matrix" in operator:
        for number in (1, -1, 2, -2, float("inf"), float("-inf")):
            yield (x, number), {}
    else:
        yield (x,), {}
        yield (x[0], 1), {}
        yield (x, 1, [1]), {}
        yield (x, 2, [0, 2], True), {}


@serves("fake_quantize_per_tensor_affine.default",
        "fake_quantize_per_tensor_affine_cachemask.default",
        "fake_quantize_per_channel_affine.default",
        "fake_quantize_per_channel_affine_cachemask.default")  # fmt: skip
def fake_quantization(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((3, 40))
    if "tensor" in operator:
        yield (x, 0.02, 3, -128, 127), {}
        yield (x, 0.1, 128, 0, 255), {}
    else:
        scale = source((3,), "float32", 0.01, 0.1)
        yield (x, scale, np.array([0, 5, -3], np.int32), 0, -128, 127), {}


@serves("_upsample_bilinear2d_aa.default", "_upsample_bilinear2d_aa.vec",
        "_upsample_bicubic2d_aa.vec")  # fmt: skip
def antialiased(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((1, 2, 9, 8))
    for sizes in ([3, 4], [5, 5], [12, 9]):
        yield (x, sizes, False) if operator.endswith("default") else (x, sizes, False, None), {}


@serves("rrelu_with_noise_functional.default")
def leaky(operator: str) -> Iterator[Case]:
    source = Source(operator)
    yield (source((2, 3)), source((2, 3))), {}
