"""PyTorch's names for taking tensors and storages apart and for what has been received.

`init_reductions` is what matters; the rest serves code that pickles tensors itself. A ``handle``
is the reference to a block of `rushlight.multiprocessing.arena`: it can be used once.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any

from rushlight._C import Tensor, UntypedStorage, WeakStorage, dtype_from_name
from rushlight._C import rebuild_tensor as _tensor_over
from rushlight.multiprocessing import arena
from rushlight.multiprocessing.after_fork import ForkLock
from rushlight.multiprocessing.cuda import rebuild_cuda_array, reduce_cuda_array
from rushlight.multiprocessing.memory import receive
from rushlight.multiprocessing.pickling import ArrayPickler, init_reductions
from rushlight.multiprocessing.sharing import share_memory_

ForkingPickler = ArrayPickler


class StorageWeakRef:
    """A weak reference to a storage: equal to others of the same storage, a key of dictionaries.

    Example:
        >>> storage = UntypedStorage(8)
        >>> reference = StorageWeakRef(storage)
        >>> del storage
        >>> reference.expired()
        True
    """

    __slots__ = ("_weak", "cdata")

    def __init__(self, storage: UntypedStorage | Tensor) -> None:
        if isinstance(storage, Tensor):
            storage = storage.untyped_storage()
        self._weak: WeakStorage = storage.weak()
        self.cdata = self._weak.id

    @classmethod
    def from_weakref(cls, cdata: WeakStorage) -> StorageWeakRef:
        """The reference that ``storage.weak()`` stands for."""
        reference = cls.__new__(cls)
        reference._weak, reference.cdata = cdata, cdata.id
        return reference

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return self._weak.expired()

    def storage(self) -> UntypedStorage | None:
        """The storage, or None if it is gone."""
        return self._weak.lock()

    def __hash__(self) -> int:
        return hash(self.cdata)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, StorageWeakRef)
            and self.cdata == other.cdata
            and self.expired() == other.expired()
        )


class SharedCache(dict[Any, StorageWeakRef]):
    """Handles → storages that this process has made of them and still uses."""

    def __init__(self) -> None:
        super().__init__()
        self.limit = 128  # entries; then those that are gone are dropped
        self.lock = ForkLock()

    def get(self, key: Any, default: Any = None) -> Any:
        """The reference under a key."""
        with self.lock:
            return dict.get(self, key, default)

    def __setitem__(self, key: Any, reference: StorageWeakRef) -> None:
        with self.lock:
            dict.__setitem__(self, key, reference)
            if len(self) > self.limit:
                self.free_dead_references()

    def free_dead_references(self) -> None:
        """Drops what is gone."""
        live = 0
        for key, reference in list(self.items()):
            if reference.expired():
                del self[key]
            else:
                live += 1
        self.limit = max(128, live * 2)


shared_cache = SharedCache()


def storage_from_cache(cls: Any, key: Any) -> UntypedStorage | None:
    """The storage that was made of a handle, while it is in use."""
    reference = shared_cache.get(key)
    return None if reference is None else reference.storage()


def fd_id(fd: int) -> tuple[int, int]:
    """What tells the file behind a descriptor from others."""
    status = os.fstat(fd)
    return status.st_ino, status.st_dev


Reduced = tuple[Callable[..., Any], tuple[Any, ...]]


def reduce_storage(storage: UntypedStorage) -> Reduced:
    """Moves the storage into shared memory and refers to it."""
    if storage.nbytes() == 0:
        return rebuild_storage_empty, (type(storage),)
    share_memory_(storage)
    block = arena.find(storage.data_ptr())
    assert block is not None
    manager, *handle = block.reference()
    shared_cache[(manager, handle[0], handle[1], handle[2])] = StorageWeakRef(storage)
    offset = storage.data_ptr() - block.address
    return rebuild_storage_filename, (type(storage), manager, (*handle, offset), storage.nbytes())


def rebuild_storage_filename(
    cls: Any, manager: str, handle: Any, size: int, dtype: Any = None
) -> UntypedStorage:
    """The storage that a handle refers to; each may be used once. ``size`` is in bytes, or in
    elements of ``dtype``."""
    size *= 1 if dtype is None else dtype.itemsize
    segment, entry, generation, counted, offset = handle
    memory = receive((manager, segment, entry, generation, counted))
    key = (manager, segment, entry, generation)
    storage = storage_from_cache(cls, key)
    if storage is None or storage.nbytes() != size:
        whole = memory.storage()
        exact = offset == 0 and whole.nbytes() == size
        storage = whole if exact else UntypedStorage(memoryview(memory.buffer)[offset:][:size])
        shared_cache[key] = StorageWeakRef(storage)
    return storage


def rebuild_storage_fd(cls: Any, df: Any, size: int) -> UntypedStorage:
    """The storage in a file whose descriptor was sent (`multiprocessing.reduction.DupFd`)."""
    fd = df.detach()
    try:
        key = fd_id(fd)
        storage = storage_from_cache(cls, key)
        if storage is None:
            if os.fstat(fd).st_size < size:
                raise ValueError(f"a storage of {size} bytes in a file of {os.fstat(fd).st_size}")
            storage = UntypedStorage(mmap.mmap(fd, size))
            shared_cache[key] = StorageWeakRef(storage)
        return storage
    finally:
        os.close(fd)


def rebuild_storage_empty(cls: type[UntypedStorage]) -> UntypedStorage:
    """A storage of no bytes."""
    return cls(0)


def reduce_tensor(tensor: Tensor) -> Reduced:
    """Moves the tensor's storage into shared memory and refers to it."""
    share_memory_(tensor)
    metadata = (tensor.storage_offset(), tensor.size(), tensor.stride(), tensor.dtype.name)
    function, arguments = reduce_storage(tensor.untyped_storage())
    return rebuild_tensor, (type(tensor), (function, arguments), metadata)


def rebuild_tensor(cls: type[Tensor], storage: Any, metadata: Any) -> Tensor:
    """The tensor over a storage, or over one yet to be rebuilt."""
    if isinstance(storage, tuple):
        function, arguments = storage
        storage = function(*arguments)
    offset, size, stride, dtype = metadata
    return _tensor_over(storage, dtype_from_name(dtype), offset, size, stride)


_LAYOUTS = frozenset(
    {
        "rebuild_meta_tensor",
        "rebuild_sparse_compressed_tensor",
        "rebuild_sparse_coo_tensor",
        "rebuild_typed_storage",
        "rebuild_typed_storage_child",
        "reduce_sparse_tensor",
        "reduce_typed_storage",
        "reduce_typed_storage_child",
    }
)


_ABSENT = {
    "rebuild_cuda_tensor": "arrays on a GPU travel by reduce_cuda_array and rebuild_cuda_array",
    "reduce_event": "arrays on a GPU travel with their event: reduce_cuda_array",
    "rebuild_event": "arrays on a GPU travel with their event: rebuild_cuda_array",
    "reduce_nested_tensor": "rushlight has no nested tensors; PyTorch's go PyTorch's own way",
    "rebuild_nested_tensor": "rushlight has no nested tensors; PyTorch's go PyTorch's own way",
}


def __getattr__(name: str) -> Any:
    # These need the readers of files, which nobody else here does.
    if name in _LAYOUTS:
        from rushlight.multiprocessing import layouts

        return getattr(layouts, name)
    why = f": {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{why}")


__all__ = [
    "ForkingPickler",
    "SharedCache",
    "StorageWeakRef",
    "fd_id",
    "init_reductions",
    "rebuild_cuda_array",
    "rebuild_storage_empty",
    "rebuild_storage_fd",
    "rebuild_storage_filename",
    "rebuild_tensor",
    "reduce_cuda_array",
    "reduce_storage",
    "reduce_tensor",
    "shared_cache",
    "storage_from_cache",
]
