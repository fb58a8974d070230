"""Fourier transforms of any length."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error

pytestmark = pytest.mark.oracle

LENGTHS = [1, 2, 3, 4, 5, 8, 12, 13, 17, 30, 49, 64, 97, 100, 121, 360, 1009]


@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(n: int) -> None:
    x = torch.randn(3, n, dtype=torch.float64)
    z = torch.complex(x, x.flip(0))
    for norm in (None, "ortho", "forward"):
        check("fft_fft", z, None, -1, norm, rtol=1e-11)
        check("fft_ifft", z, None, -1, norm, rtol=1e-11)
        check("fft_rfft", x, None, -1, norm, rtol=1e-11)
        check("fft_irfft", z, n, -1, norm, rtol=1e-11)
    check("fft_fft", z.to(torch.complex64), rtol=2e-4)
    check("fft_fft", z.T.contiguous(), None, 0, rtol=1e-11)


def test_padding_and_dtypes() -> None:
    x = torch.randn(4, 6)
    check("fft_fft", x, rtol=1e-5)
    check("fft_fft", torch.arange(6), 9, rtol=1e-5)
    check("fft_rfft", x, 4, 0, rtol=1e-5)
    check("fft_rfft", x, 11, rtol=1e-5)
    check("fft_irfft", x, rtol=1e-5)
    check("fft_irfft", torch.complex(x, x), 7, rtol=1e-5)


def test_several_dimensions() -> None:
    x = torch.randn(4, 6, 5)
    z = torch.complex(x, x + 1)
    for name in ("fft_fft2", "fft_ifft2", "fft_fftn", "fft_ifftn"):
        check(name, z, rtol=2e-5)
        check(name, z, [3, 8], [0, -1], rtol=2e-5)
    for name in ("fft_rfft2", "fft_rfftn"):
        check(name, x, rtol=2e-5)
        check(name, x, [3, 8], [0, -1], rtol=2e-5)
    for name in ("fft_irfft2", "fft_irfftn"):
        check(name, z, rtol=2e-5)
        check(name, z, [3, 8], [0, -1], rtol=2e-5)
    check("fft_fftn", z, [4, 4], rtol=2e-5)
    check("fft_fftshift", x)
    check("fft_ifftshift", x, [1, 2])


@pytest.mark.parametrize("normalization", [0, 1, 2])
def test_core(normalization: int) -> None:
    x = torch.randn(4, 6, 5)
    z = torch.complex(x, x + 1)
    check("_fft_r2c", x, [0, 2], normalization, True, rtol=2e-5)
    check("_fft_r2c", x, [2, 1], normalization, False, rtol=2e-5)
    check("_fft_c2c", z, [0, 1], normalization, True, rtol=2e-5)
    check("_fft_c2c", z, [2], normalization, False, rtol=2e-5)
    check("_fft_c2r", z, [0, 2], normalization, 8, rtol=2e-5)


def test_errors() -> None:
    x = torch.randn(4, 6)
    check_error("fft_fft", x, 0)
    check_error("fft_fft", x, None, 3)
    check_error("fft_fft", x, None, -1, "no")
    check_error("fft_rfft", torch.complex(x, x))
    check_error("fft_fftn", x, [1, 2, 3])


@pytest.mark.parametrize("normalized", [False, True])
def test_short_time(normalized: bool) -> None:
    signal, window = torch.randn(2, 400), torch.hann_window(40)
    check("stft", signal, 64, 16, 40, window, normalized, True, True, rtol=5e-5)
    check("stft", signal[0], 50, return_complex=True, rtol=5e-5)
    check("stft", signal, 64, 16, 40, window, normalized, False, False, rtol=5e-5)
    padded = torch.nn.functional.pad(signal, (32, 32), "reflect")
    spectrum = torch.ops.aten.stft.default(padded, 64, 16, 40, window, normalized, True, True)
    check("istft", spectrum, 64, 16, 40, window, True, normalized, rtol=5e-5)
    check("istft", spectrum[0], 64, 16, 40, window, True, normalized, True, 390, rtol=5e-5)
