"""Page-locked memory, which a GPU can read while the processor does other work."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import numpy as np

from rushlight import Tensor
from rushlight.utils import pytree
from rushlight.utils.data.arrays import Array, is_text_or_object, is_torch_tensor, torch_module


def pin_memory(data: Any) -> Any:
    """A copy of a batch whose arrays lie in page-locked memory.

    NumPy arrays and rushlight tensors are copied into memory of the CUDA runtime, through the
    package ``cuda-bindings``; PyTorch tensors by PyTorch; an object with a method ``pin_memory``
    pins itself. Without CUDA the batch is returned as it is.
    """
    if not _cuda_present():
        return data
    return pytree.tree_map(_pin_leaf, data)


def _cuda_present() -> bool:
    torch = torch_module()
    return _runtime() is not None or (torch is not None and bool(torch.cuda.is_available()))


def _pin_leaf(leaf: Any) -> Any:
    if is_torch_tensor(leaf):
        torch = torch_module()
        return leaf.pin_memory() if torch is not None and torch.cuda.is_available() else leaf
    if isinstance(leaf, Tensor):
        return Tensor(pinned_copy(leaf.numpy()))
    if isinstance(leaf, np.ndarray):
        return leaf if is_text_or_object(leaf.dtype) else pinned_copy(leaf)
    method = getattr(leaf, "pin_memory", None)
    return method() if callable(method) else leaf


@functools.cache
def _runtime() -> Any:
    """The CUDA runtime's bindings, if they are installed and there is a device."""
    try:
        from cuda.bindings import runtime

        error, count = runtime.cudaGetDeviceCount()
    except Exception:  # no package, no library, or no driver: each raises its own
        return None
    return runtime if int(error) == 0 and count > 0 else None


def pinned_copy(array: Array, runtime: Any = None) -> Array:
    """A copy in page-locked memory, which is freed with the last array over it.

    Raises:
        MemoryError: the runtime has none left.
    """
    runtime = runtime or _runtime()
    if array.nbytes == 0:
        return np.empty_like(array)
    error, address = runtime.cudaHostAlloc(array.nbytes, 0)
    if int(error) != 0:
        raise MemoryError(f"pin_memory: {array.nbytes} bytes of page-locked memory: {error!r}")
    memory = _Pinned(int(address), array.nbytes)
    weakref.finalize(memory, runtime.cudaFreeHost, address)
    pinned: Array = np.asarray(memory)
    pinned = pinned.view(array.dtype).reshape(array.shape)
    pinned[...] = array
    return pinned


class _Pinned:
    """Bytes at an address, for NumPy."""

    def __init__(self, address: int, nbytes: int) -> None:
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }
