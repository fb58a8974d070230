"""Collating arrays, tensors, numbers and text: one function for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import Tensor
from rushlight.utils.data.arrays import (
    Array,
    as_kind,
    host_array,
    is_text_or_object,
    is_torch_tensor,
    torch_module,
)
from rushlight.utils.data.collate_settings import fail, place_text, settings


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Arrays of any library that NumPy can read, stacked."""
    arrays: Any = batch if {*map(type, batch)} == {np.ndarray} else [host_array(x) for x in batch]
    for i, array in enumerate(arrays):
        if array is None:
            fail(settings.path, type(batch[i]), f"sample {i}, ")
    for dtype in {array.dtype for array in arrays}:
        if is_text_or_object(dtype):
            fail(settings.path, dtype)
    return as_kind(stack(list(arrays)), settings.kind or "rushlight")


def collate_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Tensors, stacked."""
    if is_torch_tensor(batch[0]):
        return collate_torch_tensor_fn(batch)
    try:
        return collate_numpy_array_fn(batch)
    except TypeError:  # bfloat16, which NumPy lacks
        from rushlight import ops

        if settings.kind == "torch" or not all(isinstance(t, Tensor) for t in batch):
            raise
        return ops.aten.stack.default(list(batch), 0)


def collate_torch_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """PyTorch tensors, stacked by PyTorch, into memory of the loader where there is one."""
    torch = torch_module()
    elem = batch[0]
    if elem.is_nested or elem.layout != torch.strided:
        kind = "nested" if elem.is_nested else "sparse"
        raise RuntimeError(
            f"{place_text(settings.path)}batches of {kind} tensors need a collate_fn of your own"
        )
    try:
        return torch.stack(list(batch), 0, out=_torch_memory(torch, batch))
    except (RuntimeError, TypeError) as error:
        raise type(error)(f"{place_text(settings.path)}{error}") from None


def _torch_memory(torch: Any, batch: Sequence[Any]) -> Any:
    elem = batch[0]
    if settings.allocate is None or elem.device.type != "cpu" or elem.requires_grad:
        return None
    if any(t.dtype != elem.dtype or t.shape != elem.shape for t in batch):
        return None
    bytes_ = settings.allocate((elem.numel() * len(batch) * elem.element_size(),), np.uint8)
    return torch.from_numpy(bytes_).view(elem.dtype).view(len(batch), *elem.shape)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """NumPy scalars."""
    return _numbers(batch, None)


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Python floats, as float64."""
    return _numbers(batch, np.float64)


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Python ints, as int64; bools, as bool."""
    return _numbers(batch, None)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Strings and bytes stay what they are."""
    return batch


def _numbers(batch: Sequence[Any], dtype: Any) -> Any:
    try:
        array = np.array(batch, dtype=dtype)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind in "OSUV" or array.ndim != 1:
        odd = next((i for i, x in enumerate(batch) if type(x) is not type(batch[0])), 0)
        if odd == 0:
            raise OverflowError(f"{place_text(settings.path)}a number does not fit into 64 bits")
        fail(settings.path, type(batch[odd]), f"sample {odd}, ")
    if settings.allocate is not None:
        shared = settings.allocate(array.shape, array.dtype)
        shared[...] = array
        array = shared
    return as_kind(array, settings.kind or "rushlight")


def stack(arrays: list[Array]) -> Array:
    """Arrays of one shape along a new first dimension, in the loader's memory."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    for i, array in enumerate(arrays):
        if array.shape != shape:
            raise RuntimeError(
                f"{place_text(settings.path)}stack expects each tensor to be equal size, "
                f"but got {list(shape)} at entry 0 and {list(array.shape)} at entry {i}"
            )
        if array.dtype != dtype:
            dtype = np.result_type(dtype, array.dtype)
    out = (settings.allocate or np.empty)((len(arrays), *shape), dtype)
    if shape:  # joining along the first dimension is quicker than np.stack
        np.concatenate(arrays, out=out.reshape(len(arrays) * shape[0], *shape[1:]))
    else:
        out[...] = arrays
    return out
