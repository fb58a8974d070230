"""Persistent identifiers: what a file says of each storage, checked, and the storage."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rushlight import _C

from .allowed_defaults import StorageType
from .dtypes import AnyDType
from .errors import require
from .locations import MapLocation, check_location, is_meta, restore_function
from .options import skipping_data
from .tensors import TypedStorage, swap_bytes

_MAX_BYTES = 2**62


@dataclass(frozen=True)
class StorageId:
    """What an identifier says: the size is in elements."""

    kind: StorageType
    key: str
    location: str
    numel: int

    @property
    def dtype(self) -> AnyDType:
        """The dtype of the elements; uint8 for storages of bytes."""
        return self.kind.dtype

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.numel * self.kind.dtype.itemsize


def parse_storage_id(saved_id: Any, length: int) -> StorageId:
    """The first five parts of ``('storage', class, key, location, size, …)``; UnpicklingError for
    anything else."""
    require(
        type(saved_id) is tuple and len(saved_id) == length,
        f"a persistent id is no tuple of {length}",
    )
    tag, kind, key, location, numel = saved_id[:5]
    if tag not in ("storage", b"storage"):
        require(False, f"a persistent id of an unknown kind: {reprlib.repr(tag):.40}")
    require(isinstance(kind, StorageType), "the class of a storage is none")
    if isinstance(key, bytes):
        key = key.decode("ascii", "backslashreplace")
    require(type(key) is str, "the key of a storage is no text")
    if type(numel) is not int or not 0 <= numel * kind.dtype.itemsize <= _MAX_BYTES:
        require(False, f"the size of a storage is not valid: {reprlib.repr(numel):.40}")
    return StorageId(kind, key, check_location(location), numel)


class StorageTable:
    """The storages of a file, each made once. ``read(id)`` gives the bytes of one."""

    def __init__(
        self,
        read: Callable[[StorageId], _C.UntypedStorage],
        map_location: MapLocation,
        big_endian: bool,
    ) -> None:
        self._read = read
        self._restore = restore_function(map_location)
        self._meta = is_meta(map_location)
        self._big_endian = big_endian
        self._made: dict[str, Any] = {}
        self._skip = skipping_data()

    def get(self, storage_id: StorageId) -> Any:
        """The storage of an identifier."""
        made = self._made.get(storage_id.key)
        if made is None:
            made = self._made[storage_id.key] = self._make(storage_id)
        elif type(made) is TypedStorage:
            require(
                made.dtype.itemsize == storage_id.dtype.itemsize
                and (made.is_meta or made.nbytes() >= storage_id.nbytes),
                f"storage '{storage_id.key}' is used with two sizes",
            )
        return made

    def _make(self, storage_id: StorageId) -> Any:
        if self._meta:
            return TypedStorage(None, storage_id.dtype)
        skip = self._skip
        untyped = _C.UntypedStorage(storage_id.nbytes) if skip else self._read(storage_id)
        storage = TypedStorage(untyped, storage_id.dtype)
        if self._big_endian and not self._skip:
            if storage_id.kind.untyped:
                storage.big_endian = True
            else:
                swap_bytes(storage, storage_id.dtype)
        return storage if self._restore is None else self._restore(storage, storage_id.location)
