"""Moving tensors into shared memory by hand: ``share_memory_`` and ``is_shared``."""

from __future__ import annotations

import gc
from typing import Any, TypeVar

import numpy as np

from rushlight._C import Tensor, UntypedStorage, move_storage, storage_holders
from rushlight.multiprocessing import _shm, arena
from rushlight.multiprocessing.after_fork import ForkLock

_moving = ForkLock()  # one thread moves a storage
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
    """Moves a storage, or a tensor's storage, into shared memory, unless it is there.

    With it move all tensors over that storage. Other processes that receive one then write to the
    same memory. Arrays of other libraries that look at the old memory keep it. Raises ``OSError``
    with numbers if there is no room.

    Example:
        >>> import rushlight
        >>> base = rushlight.Tensor(np.zeros(4))
        >>> view = base[1:]
        >>> _ = view.share_memory_()
        >>> base.is_shared()
        True
    """
    with _moving:
        storage = _storage_of(obj)
        if not is_shared(storage):
            block = arena.allocate(storage.nbytes())
            _shm.copy_into(block, 0, storage.data_ptr(), storage.nbytes())
            alone = storage_holders(storage) == (1 if storage is obj else 2)
            move_storage([obj] if alone else _all_objects(), storage, UntypedStorage(block))
    return obj


def _all_objects() -> list[Any]:
    """Everything that the garbage collector knows: all tensors and storages."""
    frozen = gc.get_freeze_count()
    if frozen:
        gc.unfreeze()
    objects = gc.get_objects()
    if frozen:
        gc.freeze()
    return objects


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
