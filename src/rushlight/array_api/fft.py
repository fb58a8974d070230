"""Fourier transforms: the standard's ``fft`` extension, made from `rushlight.fft`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import rushlight.fft as _fft
from rushlight._C import Tensor, device, dtype


def _along_one(name: str) -> Callable[..., Tensor]:
    transform = getattr(_fft, name)

    def function(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> Tensor:
        return transform(x, n, axis, norm)  # type: ignore[no-any-return]

    return _named(function, name)


def _along_several(name: str) -> Callable[..., Tensor]:
    transform = getattr(_fft, name)

    def function(
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
    ) -> Tensor:
        return transform(x, s, axes, norm)  # type: ignore[no-any-return]

    return _named(function, name)


def _named(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "rushlight.array_api.fft"
    function.__doc__ = f"`rushlight.fft.{name}` with the standard's arguments."
    return function


fft, ifft, rfft, irfft = map(_along_one, ("fft", "ifft", "rfft", "irfft"))
hfft, ihfft = map(_along_one, ("hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_along_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """The frequencies of `fft` for ``n`` samples ``d`` apart."""
    return _fft.fftfreq(n, d, dtype=dtype)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """The frequencies of `rfft` for ``n`` samples ``d`` apart."""
    return _fft.rfftfreq(n, d, dtype=dtype)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The frequency zero moved to the middle."""
    return _fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _fft.ifftshift(x, axes)
