"""Dtypes, axes and windows of Fourier transforms."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from .arrays import Array, Sizes, axes_of
from .promotion import float_type

Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
# by PyTorch's normalization 0, 1, 2; NumPy's own names differ by direction
FORWARD: tuple[Norm, ...] = ("backward", "ortho", "forward")
BACKWARD: tuple[Norm, ...] = ("forward", "ortho", "backward")


def complex_type(dtype: str) -> str:
    return "complex128" if dtype in ("float64", "complex128") else "complex64"


def spectrum_type(value: Array) -> str:
    """The complex type of a transform; integers count as the default float."""
    return complex_type(float_type(value))


def cut(value: Array, sizes: Sizes | None, dim: int | Sizes | None) -> tuple[int, ...]:
    """The axes to transform: those named, else as many of the last as there are sizes."""
    if dim is None and sizes is not None:
        return tuple(range(value.ndim - len(sizes), value.ndim))
    return axes_of(dim, value.ndim)


def window_of(window: Array | None, length: int, n_fft: int) -> Array:
    """The window in the middle of n_fft places; all ones unless given."""
    values = np.ones(length) if window is None else np.asarray(window)
    left = (n_fft - length) // 2
    return np.asarray(np.pad(values, (left, n_fft - length - left)))


def frames(signal: Array, size: int, hop: int) -> Array:
    """(..., time) to (..., frames, size)."""
    windows: Array = np.lib.stride_tricks.sliding_window_view(signal, size, axis=-1)
    return windows[..., ::hop, :]


def overlap_add(parts: Array, hop: int) -> Array:
    """The inverse of `frames`, where frames overlap they add up."""
    count, size = parts.shape[-2:]
    out = np.zeros((*parts.shape[:-2], (count - 1) * hop + size), dtype=parts.dtype)
    for i in range(count):
        out[..., i * hop : i * hop + size] += parts[..., i, :]
    return out
