"""Tensors from data that exists, and from formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Generator, Tensor, device, dtype, layout

Device = str | device | None

__all__ = [
    "as_tensor",
    "asarray",
    "bartlett_window",
    "blackman_window",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "normal",
    "range",
]


def _converted(data: Any, dtype: dtype | None) -> Tensor:
    tensor = data if isinstance(data, Tensor) else None
    if tensor is None and (hasattr(data, "__dlpack__") or hasattr(data, "__array_interface__")):
        tensor = Tensor(data)
    if tensor is None:
        return _C.tensor(data, dtype=dtype)
    return tensor if dtype is None or tensor.dtype == dtype else tensor.to(dtype)


def as_tensor(data: Any, dtype: dtype | None = None, device: Device = None) -> Tensor:
    """``data`` as a tensor: without a copy if it is a tensor or an array of that ``dtype``.

    >>> rushlight.as_tensor([1, 2])
    tensor([1, 2])
    """
    if device is not None:
        ops.empty(0, device=device)  # RuntimeError for a device we do not have
    return _converted(data, dtype)


def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: Device = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """``obj`` as a tensor. ``copy=True`` always copies, ``copy=False`` raises ``ValueError`` where
    a copy would be needed, ``None`` copies only then."""
    tensor = as_tensor(obj, dtype, device)
    if requires_grad:
        raise NotImplementedError("asarray(): requires_grad=True is not supported")
    shared = isinstance(obj, Tensor) and tensor.data_ptr() == obj.data_ptr()
    if not isinstance(obj, Tensor) and hasattr(obj, "__array_interface__"):
        shared = tensor.data_ptr() == obj.__array_interface__["data"][0]
    if copy is False and not shared:
        raise ValueError("cannot alias arbitrary sequences or other dtypes without a copy")
    return tensor.clone() if copy and shared else tensor


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor over the memory of a NumPy array; ``TypeError`` for anything else."""
    if not hasattr(ndarray, "__array_interface__"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return Tensor(ndarray)


def from_dlpack(ext_tensor: Any, *, device: Device = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of anything with ``__dlpack__``."""
    tensor = Tensor(ext_tensor)
    return tensor.clone() if copy else tensor


def frombuffer(
    buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A vector over the memory of an object with the buffer protocol.

    ``count`` elements (-1: all that fit) from byte ``offset`` on. Writing to the tensor writes to
    the buffer.
    """
    view = memoryview(buffer).cast("B")
    available = len(view) - offset
    if count == 0 or count < -1:
        raise ValueError(f"both buffer length ({len(view)}) and count ({count}) must not be 0")
    if offset < 0 or available <= 0:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({len(view)} bytes) minus 1"
        )
    item = dtype.itemsize
    if count < 0:
        if available % item:
            raise ValueError(
                f"buffer length ({available} bytes) after offset ({offset} bytes) must be a "
                f"multiple of element size ({item})"
            )
        count = available // item
    if count * item > available:
        raise ValueError(
            f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must "
            f"not be greater than actual buffer length ({len(view)} bytes)"
        )
    import numpy as np

    data = np.frombuffer(view, np.uint8, count * item, offset)
    return Tensor(data).view(dtype)


def range(
    start: float,
    end: float | None = None,
    step: float = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from ``start`` to ``end``, ``end`` included; `arange` is the modern form."""
    if end is None:
        start, end = 0, start
    if dtype is None:
        dtype = _C.get_default_dtype()
    count = math.floor((end - start) / step) + 1
    values = ops.arange(count, dtype=_C.float64).mul(step).add(start).to(dtype)
    return values if out is None else out.copy_(values)


def normal(
    mean: Tensor | float,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Device = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normal random numbers; ``mean`` and ``std`` are numbers (then ``size`` says how many) or
    tensors, one entry for each number."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        like: Tensor = ops.add(ops.mul(std, 0), mean)
        value = ops.empty(like.shape, dtype=like.dtype).normal_(generator=generator) * std + mean
    else:
        if size is None:
            raise TypeError("normal(): expected size for a mean and std that are numbers")
        value = ops.empty(size, dtype=dtype).normal_(mean, std, generator=generator)
    return value if out is None else out.copy_(value)


def _window(
    length: int, periodic: bool, dtype: dtype | None, coefficients: Sequence[float]
) -> Tensor:
    dtype = dtype or _C.get_default_dtype()
    if length < 0:
        raise RuntimeError(f"expected a non-negative window length, got {length}")
    if not dtype.is_floating_point:
        raise RuntimeError(f"expected a floating point dtype, got {dtype}")
    if length <= 1:
        return ops.ones(length, dtype=dtype)
    n = length + 1 if periodic else length
    phase = ops.arange(n, dtype=_C.float64) * (2 * math.pi / (n - 1))
    values = ops.zeros(n, dtype=_C.float64)
    for k, a in enumerate(coefficients):
        values += ops.cos(phase * k) * (a if k % 2 == 0 else -a)
    return values[:length].to(dtype)


def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Hann window: ``0.5 - 0.5 cos(2 pi n / N)``."""
    return _window(window_length, periodic, dtype, (0.5, 0.5))


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Hamming window: ``alpha - beta cos(2 pi n / N)``."""
    return _window(window_length, periodic, dtype, (alpha, beta))


def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Blackman window: ``0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)``."""
    return _window(window_length, periodic, dtype, (0.42, 0.5, 0.08))


def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Bartlett (triangular) window."""
    dtype = dtype or _C.get_default_dtype()
    if window_length <= 1:
        return ops.ones(window_length, dtype=dtype)
    n = window_length + 1 if periodic else window_length
    x = ops.arange(n, dtype=_C.float64) * (2.0 / (n - 1))
    return ops.where(x <= 1, x, 2 - x)[:window_length].to(dtype)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Kaiser window with shape ``beta`` (J. F. Kaiser, 1974)."""
    import numpy as np

    n = window_length + 1 if periodic and window_length > 1 else window_length
    values = Tensor(np.kaiser(n, beta))[:window_length]
    return values.to(dtype or _C.get_default_dtype())
