"""The memory behind received arrays: arrays over one piece of it are views of one storage."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight._C import UntypedStorage, WeakStorage
from rushlight.multiprocessing import arena
from rushlight.multiprocessing.after_fork import ForkLock
from rushlight.multiprocessing.arena import Block

Reference = tuple[str, int, int, int, bool]


class Memory:
    """A writable buffer of one message, and one storage per library over it, made when first asked
    for."""

    __slots__ = ("_storage", "_torch", "buffer")

    def __init__(self, buffer: Block | bytearray) -> None:
        self.buffer = buffer
        self._storage: UntypedStorage | None = None
        self._torch: Any = None

    def storage(self) -> UntypedStorage:
        """rushlight's storage."""
        if self._storage is None:
            self._storage = self._make_storage()
        return self._storage

    def _make_storage(self) -> UntypedStorage:
        if not isinstance(self.buffer, Block):
            return UntypedStorage(self.buffer)
        key = self.buffer.address
        with _lock:
            weak = _storages.get(key)
            storage = None if weak is None else weak.lock()
            if storage is None:
                if len(_storages) > _MOST_DEAD:
                    for old in [k for k, w in _storages.items() if w.expired()]:
                        del _storages[old]
                storage = UntypedStorage(self.buffer)
                _storages[key] = storage.weak()
            return storage

    def torch_storage(self) -> Any:
        """PyTorch's storage."""
        import torch

        if self._torch is None:
            self._torch = torch.frombuffer(self.buffer, dtype=torch.uint8).untyped_storage()
        return self._torch


# Blocks that this process has received and still uses, by address, so that a block sent twice is
# one object, and the storages over them; both guarded by the lock.
_received: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()
_storages: dict[int, WeakStorage] = {}
_MOST_DEAD = 256
_lock = ForkLock()


def receive(found: Reference | Block) -> Memory:
    """The memory of a block that was sent here."""
    block = found if isinstance(found, Block) else arena.adopt(*found)
    with _lock:
        return Memory(_received.setdefault(block.address, block))
