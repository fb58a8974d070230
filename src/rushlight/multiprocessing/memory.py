"""The memory behind received arrays: arrays over one piece of it are views of one storage."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from rushlight._C import UntypedStorage, WeakStorage
from rushlight.multiprocessing import arena
from rushlight.multiprocessing.arena import Block

Reference = tuple[str, int, int, int, bool]


class Memory:
    """A writable buffer, and one storage per library over it, made when first asked for."""

    __slots__ = ("_lock", "_torch", "buffer")

    def __init__(self, buffer: Block | bytearray) -> None:
        self.buffer = buffer
        self._lock = threading.Lock()
        self._torch: Any = None

    def storage(self) -> UntypedStorage:
        """rushlight's storage."""
        key = id(self.buffer)
        with _lock:
            weak = _storages.get(key)
            storage = None if weak is None else weak.lock()
            # The address tells a storage over this buffer from one over a former one.
            if storage is None or storage.data_ptr() != _address(self.buffer):
                if len(_storages) > _MOST_DEAD:
                    for old in [k for k, w in _storages.items() if w.expired()]:
                        del _storages[old]
                storage = UntypedStorage(self.buffer)
                _storages[key] = storage.weak()
            return storage

    def torch_storage(self) -> Any:
        """PyTorch's storage."""
        import torch

        with self._lock:
            if self._torch is None:
                self._torch = torch.frombuffer(self.buffer, dtype=torch.uint8).untyped_storage()
            return self._torch


# Blocks that this process has received and still uses, so that a block sent twice is one object,
# and the storages over them; both guarded by the lock.
_received: weakref.WeakValueDictionary[tuple[str, int, int, int], Block] = (
    weakref.WeakValueDictionary()
)
_storages: dict[int, WeakStorage] = {}
_MOST_DEAD = 256
_lock = threading.Lock()


def _address(buffer: Block | bytearray) -> int:
    if isinstance(buffer, Block):
        return buffer.address
    return UntypedStorage(buffer).data_ptr()


def receive(reference: Reference) -> Memory:
    """The memory of a block that was sent here."""
    block = arena.adopt(*reference)
    with _lock:
        return Memory(_received.setdefault(reference[:4], block))
