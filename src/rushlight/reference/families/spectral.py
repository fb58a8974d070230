"""Fourier transforms. `normalization`: 0 none, 1 by the root of the length, 2 by the length."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, Sizes, axes_of, cast, dtype_of, widen
from ..fourier import (
    BACKWARD,
    FORWARD,
    Norm,
    complex_type,
    cut,
    frames,
    overlap_add,
    spectrum_type,
    window_of,
)

Axes = int | Sizes | None


def _fft_c2c_default(self: Array, dim: Sizes, normalization: int, forward: bool) -> Array:
    axes = axes_of(dim, self.ndim)
    if forward:
        out = np.fft.fftn(self, axes=axes, norm=FORWARD[normalization])
    else:
        out = np.fft.ifftn(self, axes=axes, norm=BACKWARD[normalization])
    return cast(out, dtype_of(self))


def _fft_r2c_default(self: Array, dim: Sizes, normalization: int, onesided: bool) -> Array:
    norm = FORWARD[normalization]
    axes = axes_of(dim, self.ndim)
    transform = np.fft.rfftn if onesided else np.fft.fftn
    return cast(transform(self, axes=axes, norm=norm), complex_type(dtype_of(self)))


def _fft_c2r_default(self: Array, dim: Sizes, normalization: int, last_dim_size: int) -> Array:
    norm = BACKWARD[normalization]
    axes = axes_of(dim, self.ndim)
    sizes = [self.shape[axis] for axis in axes[:-1]] + [last_dim_size]
    out = np.fft.irfftn(self, s=sizes, axes=axes, norm=norm)
    return cast(out, "float64" if dtype_of(self) == "complex128" else "float32")


def fft_fft_default(self: Array, n: int | None = None, dim: int = -1, norm: Norm = None) -> Array:
    return cast(np.fft.fft(self, n, dim, norm), spectrum_type(self))


def fft_ifft_default(self: Array, n: int | None = None, dim: int = -1, norm: Norm = None) -> Array:
    return cast(np.fft.ifft(self, n, dim, norm), spectrum_type(self))


def fft_rfft_default(self: Array, n: int | None = None, dim: int = -1, norm: Norm = None) -> Array:
    return cast(np.fft.rfft(self, n, dim, norm), spectrum_type(self))


def fft_irfft_default(self: Array, n: int | None = None, dim: int = -1, norm: Norm = None) -> Array:
    out = np.fft.irfft(self, n, dim, norm)
    return cast(out, "float64" if spectrum_type(self) == "complex128" else "float32")


def fft_fftn_default(
    self: Array, s: Sizes | None = None, dim: Axes = None, norm: Norm = None
) -> Array:
    axes = cut(self, s, dim)
    return cast(np.fft.fftn(self, s, axes, norm), spectrum_type(self))


def fft_ifftn_default(
    self: Array, s: Sizes | None = None, dim: Axes = None, norm: Norm = None
) -> Array:
    axes = cut(self, s, dim)
    return cast(np.fft.ifftn(self, s, axes, norm), spectrum_type(self))


def fft_fft2_default(
    self: Array, s: Sizes | None = None, dim: Sizes = (-2, -1), norm: Norm = None
) -> Array:
    return fft_fftn_default(self, s, dim, norm)


def fft_ifft2_default(
    self: Array, s: Sizes | None = None, dim: Sizes = (-2, -1), norm: Norm = None
) -> Array:
    return fft_ifftn_default(self, s, dim, norm)


def fft_fftshift_default(self: Array, dim: Axes = None) -> Array:
    return cast(np.fft.fftshift(np.asarray(self), axes_of(dim, self.ndim)), dtype_of(self))


def fft_ifftshift_default(self: Array, dim: Axes = None) -> Array:
    return cast(np.fft.ifftshift(np.asarray(self), axes_of(dim, self.ndim)), dtype_of(self))


def stft_center(
    self: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Array:
    """Spectra of windows of a signal (..., time): (..., frequencies, frames)."""
    signal = widen(self, dtype_of(self))
    if center:
        width = [(0, 0)] * (signal.ndim - 1) + [(n_fft // 2, n_fft // 2)]
        signal = np.pad(signal, width, mode="reflect" if pad_mode == "reflect" else "constant")
    shape = window_of(window, win_length or n_fft, n_fft)
    parts = frames(signal, n_fft, hop_length or n_fft // 4) * shape
    real = signal.dtype.kind != "c"
    out = np.fft.rfft(parts) if real and onesided is not False else np.fft.fft(parts)
    out = np.swapaxes(out / math.sqrt(n_fft) if normalized else out, -1, -2)
    result = cast(out, spectrum_type(self))
    return result if return_complex else np.stack([result.real, result.imag], axis=-1)


def stft_default(
    self: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Array:
    return stft_center(
        self, n_fft, hop_length, win_length, window, False, "reflect", normalized, onesided,
        return_complex, align_to_window,
    )  # fmt: skip


def istft_default(
    self: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Array:
    """The signal whose windows have these spectra: overlapping windows weighted and added."""
    hop = hop_length or n_fft // 4
    shape = window_of(window, win_length or n_fft, n_fft)
    spectra = np.swapaxes(self * math.sqrt(n_fft) if normalized else self, -1, -2)
    if onesided is False:
        whole = np.fft.ifft(spectra, n_fft)
        parts: Array = whole if return_complex else whole.real
    else:
        parts = np.fft.irfft(spectra, n_fft)
    signal = overlap_add(parts * shape, hop) / overlap_add(
        np.broadcast_to(shape**2, parts.shape[-2:]), hop
    )
    start = n_fft // 2 if center else 0
    end = signal.shape[-1] - start if length is None else start + length
    out = signal[..., start:end]
    wide = dtype_of(self) == "complex128"
    if np.iscomplexobj(out):
        return cast(out, dtype_of(self))
    return cast(out, "float64" if wide else "float32")
