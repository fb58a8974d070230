"""Discrete Fourier transforms: ``torch.fft``."""

from __future__ import annotations

from rushlight import _operators as _ops
from rushlight._C import Tensor, dtype
from rushlight._operators_fft import *  # noqa: F403
from rushlight._operators_fft import __all__ as _names
from rushlight._operators_fft import irfft, rfft

__all__ = [*_names, "fftfreq", "hfft", "ihfft", "rfftfreq"]  # noqa: PLE0604

_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def fftfreq(
    n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None
) -> Tensor:
    """The frequencies of `fft` for ``n`` samples ``d`` apart: ``[0, 1, …, -1] / (n d)``."""
    half = (n - 1) // 2 + 1
    steps = _ops.cat([_ops.arange(half), _ops.arange(-(n // 2), 0)])
    from rushlight._C import get_default_dtype

    value = steps.to(dtype or get_default_dtype()) / (n * d)
    return value if out is None else out.copy_(value)


def rfftfreq(
    n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None
) -> Tensor:
    """The frequencies of `rfft` for ``n`` samples ``d`` apart: ``[0, 1, …, n // 2] / (n d)``."""
    from rushlight._C import get_default_dtype

    value = _ops.arange(n // 2 + 1).to(dtype or get_default_dtype()) / (n * d)
    return value if out is None else out.copy_(value)


def _opposite(norm: str | None) -> str:
    if norm not in _OPPOSITE:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return _OPPOSITE[norm]


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The transform of a signal with Hermitian symmetry, given by half: a real result."""
    return irfft(_ops.conj(input).resolve_conj(), n, dim, _opposite(norm))


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`."""
    return _ops.conj(rfft(input, n, dim, _opposite(norm))).resolve_conj()
