"""Moving tensors into shared memory by hand: ``share_memory_`` and ``is_shared``."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from rushlight._C import Tensor, UntypedStorage
from rushlight.multiprocessing import _shm, arena

_Shareable = TypeVar("_Shareable", bound="Tensor | UntypedStorage")


def _storage_of(obj: Tensor | UntypedStorage) -> UntypedStorage:
    return obj if isinstance(obj, UntypedStorage) else obj.untyped_storage()


def is_shared(obj: Tensor | UntypedStorage | np.ndarray[Any, Any]) -> bool:
    """Whether the bytes lie in shared memory that processes can be sent.

    Example:
        >>> import rushlight
        >>> rushlight.Tensor(np.zeros(3)).share_memory_().is_shared()
        True
    """
    if isinstance(obj, np.ndarray):
        return arena.find(obj.__array_interface__["data"][0]) is not None
    return arena.find(_storage_of(obj).data_ptr()) is not None


def share_memory_(obj: _Shareable) -> _Shareable:
    """Moves a tensor or storage into shared memory, unless it is there.

    Other processes that receive it then write to the same memory. Tensors and arrays that looked
    at the old memory keep it: share a tensor before taking views of it. Raises ``OSError`` with
    numbers if there is no room.
    """
    storage = _storage_of(obj)
    if is_shared(storage):
        return obj
    block = arena.allocate(storage.nbytes())
    _shm.copy_into(block, 0, storage.data_ptr(), storage.nbytes())
    shared = UntypedStorage(block)
    target: Any = obj
    target._replace_storage(shared)
    return obj


def share_memory(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A NumPy array's copy in shared memory; the array itself if it is there.

    Processes that receive it, or a view of it, read and write the same memory.

    Example:
        >>> shared = share_memory(np.arange(4))
        >>> is_shared(shared[1:])
        True
    """
    if array.dtype.hasobject:
        raise TypeError("an array of Python objects cannot lie in shared memory")
    if is_shared(array):
        return array
    block = arena.allocate(array.nbytes)
    shared: np.ndarray[Any, Any] = np.ndarray(array.shape, array.dtype, memoryview(block))
    shared[...] = array
    return shared
