"""as_strided over NumPy arrays."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Sizes


def root_of(value: Array) -> Array:
    """The array that owns the memory which a view looks at."""
    root = value
    while isinstance(root.base, np.ndarray):
        root = root.base
    return root


def address(value: Array) -> int:
    start: int = value.__array_interface__["data"][0]
    return start


def storage_offset(value: Array) -> int:
    """Where a view starts, in elements from the start of the memory it looks at."""
    return (address(value) - address(root_of(value))) // value.itemsize


def strided(value: Array, size: Sizes, stride: Sizes, offset: int | None) -> Array:
    """A view with these sizes and strides (in elements) of the memory under `value`."""
    root = root_of(value)
    start = storage_offset(value) if offset is None else offset
    last = start + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if 0 not in size and not 0 <= last < root.nbytes // value.itemsize:
        raise RuntimeError(
            f"as_strided: sizes {list(size)}, strides {list(stride)}, storage offset {start} "
            f"reach outside of the storage of {root.nbytes // value.itemsize} elements"
        )
    flat: Array = np.lib.stride_tricks.as_strided(
        root, (root.nbytes // value.itemsize,), (value.itemsize,)
    )
    bytes_per_step = [step * value.itemsize for step in stride]
    view = np.lib.stride_tricks.as_strided(flat[start:], tuple(size), bytes_per_step)
    return np.asarray(view).view(type(value))
