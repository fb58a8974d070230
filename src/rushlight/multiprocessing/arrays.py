"""Arrays of every library, taken apart into memory and the rest, and put together again."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rushlight._C import Tensor, UntypedStorage, dtype_from_name, rebuild_tensor, tensor_span
from rushlight.multiprocessing._shm import span_of
from rushlight.multiprocessing.memory import Memory
from rushlight.multiprocessing.pieces import INLINE_BYTES, View
from rushlight.multiprocessing.sharing import share_memory_

#: Packages whose objects are looked at.
LIBRARIES = frozenset({"cupy", "jax", "jaxlib", "numpy", "rushlight", "torch"})

Reduced = tuple[View, Callable[..., Any], tuple[Any, ...]]


@dataclass(slots=True)
class Received:
    """Where a received array lies: ``offset`` and ``strides`` in bytes."""

    memory: Memory
    offset: int
    strides: tuple[int, ...] | None


def reduce(obj: Any, mark: pickle.PickleBuffer) -> Reduced | None:
    """The memory of an array, the function that makes one over a `Received`, and its arguments,
    of which the first is ``mark``; None for what is no plain array in memory of the CPU."""
    kind = type(obj)
    if kind is np.ndarray:
        return None if obj.dtype.hasobject else _reduce_numpy(obj, mark)
    if kind is Tensor:
        return _reduce_tensor(obj, mark)
    if kind is UntypedStorage:
        return _reduce_storage(obj, mark)
    root = kind.__module__.partition(".")[0]
    if root == "torch":
        return _reduce_torch(obj, mark)
    if root in {"jax", "jaxlib"}:
        return _reduce_jax(obj, mark)
    return None


def _span(address: int, shape: Any, strides: Any, itemsize: int) -> tuple[int, int]:
    """First and last byte + 1 of strided elements; strides in bytes."""
    if 0 in shape:
        return address, address
    low, high = address, address + itemsize
    for size, stride in zip(shape, strides, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high


def _numpy_view(array: np.ndarray[Any, Any]) -> View:
    address, low, high, strides = span_of(array)
    view = View(address, low, high, array)
    if strides is not None and high - low > 2 * array.nbytes + INLINE_BYTES:
        view.compact = partial(_compact, array)
    return view


def _compact(array: np.ndarray[Any, Any]) -> tuple[View, tuple[int, ...]]:
    copy = np.ascontiguousarray(array).reshape(array.shape)
    return _numpy_view(copy), copy.strides


def _reduce_numpy(array: np.ndarray[Any, Any], mark: pickle.PickleBuffer) -> Reduced:
    dtype = array.dtype
    view = _numpy_view(array)
    strides = None if array.flags.c_contiguous else array.strides
    code = dtype.str if dtype.isbuiltin == 1 else dtype
    return view, rebuild_numpy, (mark, code, array.shape, strides)


def rebuild_numpy(
    received: Received, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None
) -> np.ndarray[Any, Any]:
    """A NumPy array."""
    strides = received.strides or strides
    buffer: Any = received.memory.buffer
    array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, buffer, received.offset, strides)
    return array


def view_of_buffer(buffer: pickle.PickleBuffer) -> View:
    """The memory of something that pickles out of band."""
    view = _numpy_view(np.frombuffer(buffer.raw(), np.uint8))
    view.nbytes = view.high - view.low
    return view


def _reduce_tensor(tensor: Tensor, mark: pickle.PickleBuffer) -> Reduced:
    storage = tensor.untyped_storage()
    if storage.nbytes() > INLINE_BYTES:
        # As in PyTorch, the tensor itself moves, once: sent again, nothing is copied.
        _try_to_share(tensor)
    address, low, high = tensor_span(tensor)
    size, stride = tuple(tensor.size()), tensor.stride()
    view = View(address, low, high, tensor)
    return view, rebuild_tensor_over, (mark, tensor.dtype.name, size, stride)


def rebuild_tensor_over(
    received: Received, dtype: str, size: tuple[int, ...], stride: tuple[int, ...]
) -> Tensor:
    """A tensor of ours."""
    kind = dtype_from_name(dtype)
    offset = received.offset // kind.itemsize if 0 not in size else 0
    return rebuild_tensor(received.memory.storage(), kind, offset, size, stride)


def _reduce_storage(storage: UntypedStorage, mark: pickle.PickleBuffer) -> Reduced:
    if storage.nbytes() > INLINE_BYTES:
        _try_to_share(storage)
    low = storage.data_ptr()
    view = View(low, low, low + storage.nbytes(), storage)
    return view, rebuild_storage_over, (mark, storage.nbytes())


def rebuild_storage_over(received: Received, nbytes: int) -> UntypedStorage:
    """A storage of ours."""
    whole = received.memory.storage()
    if received.offset == 0 and whole.nbytes() == nbytes:
        return whole
    return UntypedStorage(memoryview(received.memory.buffer)[received.offset :][:nbytes])


def _try_to_share(obj: Tensor | UntypedStorage) -> None:
    with suppress(OSError):  # no room: this message travels by value
        share_memory_(obj)


def _reduce_torch(obj: Any, mark: pickle.PickleBuffer) -> Reduced | None:
    import torch

    plain = type(obj) in {torch.Tensor, torch.nn.Parameter} and not obj.is_nested
    if not plain or obj.device.type != "cpu" or obj.layout != torch.strided:
        return None
    if obj.is_shared() or obj.is_quantized or obj.is_conj() or obj.is_neg():
        return None  # PyTorch's own way: somebody asked it to share this memory
    if not obj.is_leaf and obj.requires_grad:
        raise RuntimeError(
            "cannot send a tensor that requires grad and is not a leaf: gradients do not cross "
            "processes; send tensor.detach()"
        )
    itemsize = obj.element_size()
    size, stride, address = tuple(obj.shape), obj.stride(), obj.data_ptr()
    low, high = _span(address, size, [s * itemsize for s in stride], itemsize)
    detached = obj.detach()

    def compact() -> tuple[View, tuple[int, ...]]:
        copy = detached.contiguous()
        start = copy.data_ptr()
        view = View(start, start, start + copy.numel() * itemsize, copy)
        return view, tuple(s * itemsize for s in copy.stride())

    sparse = high - low > 2 * obj.numel() * itemsize + INLINE_BYTES
    view = View(address, low, high, obj, compact if sparse else None)
    name = str(obj.dtype).removeprefix("torch.")
    parameter = type(obj) is torch.nn.Parameter
    return view, rebuild_torch, (mark, name, size, stride, obj.requires_grad, parameter)


def rebuild_torch(
    received: Received,
    dtype: str,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    parameter: bool,
) -> Any:
    """A PyTorch tensor."""
    import torch

    tensor = torch.empty(0, dtype=getattr(torch, dtype))
    itemsize = tensor.element_size()
    if received.strides is not None:
        stride = tuple(s // itemsize for s in received.strides)
    if 0 in size:
        tensor = tensor.new_empty(size)
    else:
        tensor.set_(received.memory.torch_storage(), received.offset // itemsize, size, stride)
    if parameter:
        return torch.nn.Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad)


def _reduce_jax(obj: Any, mark: pickle.PickleBuffer) -> Reduced | None:
    jax = sys.modules.get("jax")
    if jax is None or not isinstance(obj, jax.Array) or isinstance(obj, jax.core.Tracer):
        return None
    if not obj.is_fully_addressable or len(obj.devices()) != 1:
        return None
    if next(iter(obj.devices())).platform != "cpu" or not isinstance(obj.dtype, np.dtype):
        return None
    array = np.asarray(obj)
    view, _, arguments = _reduce_numpy(array, mark)
    return view, rebuild_jax, arguments


def rebuild_jax(
    received: Received, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None
) -> Any:
    """A JAX array."""
    import jax.numpy as jnp

    array = rebuild_numpy(received, dtype, shape, strides)
    if array.dtype.isbuiltin == 1 and array.flags.c_contiguous and array.size:
        return jnp.from_dlpack(array)  # over the same memory
    return jnp.asarray(array)
