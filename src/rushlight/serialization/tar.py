"""The format of PyTorch 0.1: a tar file with the members ``storages``, ``tensors`` and ``pickle``.

``storages`` and ``tensors`` are pickles with raw numbers between them; tensors are persistent
objects of the last member. Only the parts of POSIX ustar that such files use are read.
"""

from __future__ import annotations

import struct
from typing import Any

from rushlight import _C

from .allowed_defaults import StorageType
from .errors import require
from .legacy import read_plain, take_storage
from .locations import MapLocation, check_location
from .source import Source
from .storages import StorageId, StorageTable
from .tensors import TypedStorage, bytes_of, make_tensor
from .unpickler import Unpickler, on_base

_BLOCK = 512
_MAX_DIMS = 64


def members(view: memoryview) -> dict[str, tuple[int, int]]:
    """Where the regular files of a tar file are: name -> (offset, size)."""
    found: dict[str, tuple[int, int]] = {}
    at = 0
    while at + _BLOCK <= len(view):
        header = bytes(view[at : at + _BLOCK])
        if not header.strip(b"\0"):
            break
        total = sum(header[:148]) + sum(header[156:]) + 8 * ord(" ")
        require(_octal(header[148:156]) == total, f"byte {at}: the tar header is damaged")
        size = _octal(header[124:136])
        at += _BLOCK
        require(size <= len(view) - at, "the tar file is cut short")
        name = header[:100].partition(b"\0")[0].decode("utf-8", "backslashreplace")
        if header[156:157] in (b"0", b"\0"):
            require(name not in found, f"two members of the tar file are named '{name}'")
            found[name] = (at, size)
        at += -(-size // _BLOCK) * _BLOCK
    return found


def _octal(field: bytes) -> int:
    text = field.strip(b"\0 ")
    require(all(c in b"01234567" for c in text), "a number of a tar header is not valid")
    return int(text or b"0", 8)


class _Handler(Unpickler):
    def __init__(self, objects: dict[int, Any]) -> None:
        super().__init__()
        self._objects = objects

    def persistent_load(self, saved_id: Any) -> Any:
        if type(saved_id) is tuple:  # a class; its source code stands beside it
            require(len(saved_id) == 3, "a persistent id is no tuple of 3")
            return saved_id[0]
        text = saved_id.decode("ascii", "replace") if isinstance(saved_id, bytes) else str(saved_id)
        require(text.isdecimal() and len(text) < 20, "a persistent id is no number")
        require(int(text) in self._objects, f"no tensor or storage {text}")
        return self._objects[int(text)]


class _Cursor:
    """A member that is read in order."""

    def __init__(self, source: Source, place: tuple[int, int]) -> None:
        self.at, size = place
        self.end = self.at + size
        self._view = source.view[: self.end]

    def pickle(self, encoding: str) -> Any:
        value, self.at = read_plain(self._view, self.at, encoding)
        return value

    def numbers(self, format_: str) -> tuple[Any, ...]:
        size = struct.calcsize(format_)
        require(size <= self.end - self.at, "the file is cut short")
        values = struct.unpack_from(format_, self._view, self.at)
        self.at += size
        return values

    def skip(self, size: int) -> int:
        require(0 <= size <= self.end - self.at, "the file is cut short in a storage")
        start = self.at
        self.at += size
        return start


def load_tar(
    source: Source, map_location: MapLocation, base: type[Unpickler], encoding: str
) -> Any:
    """Loads the file."""
    found = members(source.view)
    for name in ("storages", "tensors", "pickle"):
        require(name in found, f"no member '{name}' in the tar file: no file of torch.save")
    objects: dict[int, Any] = {}
    _read_storages(source, _Cursor(source, found["storages"]), map_location, encoding, objects)
    _read_tensors(_Cursor(source, found["tensors"]), encoding, objects)
    start, size = found["pickle"]
    program = _C.PickleProgram(source.view[: start + size], start)
    return program.run(on_base(base, _Handler)(objects), encoding)


def _count(value: Any) -> range:
    require(type(value) is int and value >= 0, "the number of objects is none")
    return range(value)


def _read_storages(
    source: Source, cursor: _Cursor, where: MapLocation, encoding: str, objects: dict[int, Any]
) -> None:
    places: dict[str, int] = {}

    def read(storage_id: StorageId) -> _C.UntypedStorage:
        return take_storage(source, places[storage_id.key], storage_id.nbytes)

    table = StorageTable(read, where, big_endian=False)
    for _ in _count(cursor.pickle(encoding)):
        entry = cursor.pickle(encoding)
        require(type(entry) is tuple and len(entry) == 3, "the entry of a storage is not valid")
        key, location, kind = entry
        valid = type(key) is int and isinstance(kind, StorageType)
        require(valid, "the entry of a storage is not valid")
        (numel,) = cursor.numbers("<q")
        storage_id = StorageId(kind, str(key), check_location(location), numel)
        places[storage_id.key] = cursor.skip(storage_id.nbytes)
        objects[key] = table.get(storage_id)
    views = cursor.pickle(encoding)
    require(type(views) is list, "the views of storages are no list")
    for view in views:
        require(
            type(view) is tuple and len(view) == 4 and all(type(n) is int for n in view),
            "a view of a storage is not valid",
        )
        target, root, offset, numel = view
        objects[target] = _view(objects.get(root), offset, numel)


def _view(storage: Any, offset: int, numel: int) -> Any:
    require(type(storage) is TypedStorage, "a view of a storage that is not there")
    if storage.is_meta:
        return storage
    require(offset >= 0 and 0 <= numel <= len(storage) - offset, "a view lies outside its storage")
    size = storage.dtype.itemsize
    part = bytes_of(storage.untyped_storage())[offset * size : (offset + numel) * size]
    return TypedStorage(_C.UntypedStorage(part), storage.dtype)


def _read_tensors(cursor: _Cursor, encoding: str, objects: dict[int, Any]) -> None:
    for _ in _count(cursor.pickle(encoding)):
        entry = cursor.pickle(encoding)
        require(type(entry) is tuple and len(entry) == 3, "the entry of a tensor is not valid")
        key, storage_key, _ = entry
        require(type(key) is int and type(storage_key) is int, "the key of a tensor is no number")
        storage: Any = objects.get(storage_key)
        require(type(storage) is TypedStorage, f"no storage {storage_key}")
        dims, _ = cursor.numbers("<ii")
        require(0 <= dims <= _MAX_DIMS, f"a tensor of {dims} dimensions")
        size = cursor.numbers(f"<{dims}q")
        stride = cursor.numbers(f"<{dims}q")
        (offset,) = cursor.numbers("<q")
        objects[key] = make_tensor(storage, storage.dtype, offset, size, stride)
