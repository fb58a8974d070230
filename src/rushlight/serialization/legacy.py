"""The format before PyTorch 1.6 (``_use_new_zipfile_serialization=False``): five pickles and the
storages behind them.

Layout: a magic number, the format's version, facts about the system, the object and the keys of the
storages, each pickled; then for each key the number of elements (8 bytes) and the elements.
"""

from __future__ import annotations

import reprlib
from typing import Any

from rushlight import _C

from .errors import require
from .locations import MapLocation
from .source import Source
from .stand_ins import StandInUnpickler
from .storages import StorageId, StorageTable, parse_storage_id
from .tensors import TypedStorage, bytes_of
from .unpickler import Unpickler, on_base

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
_COUNT = 8  # bytes


class _Scan(StandInUnpickler):
    """Collects identifiers, so that storages can be found before anything is built."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: dict[str, StorageId] = {}

    def find_global(self, module: str, name: str) -> Any:
        found = super().find_global(module, name)
        return found if not callable(found) else super().unknown_global(f"{module}.{name}")

    def persistent_load(self, saved_id: Any) -> Any:
        if _is_module(saved_id):
            return None
        storage_id = parse_storage_id(saved_id, 6)
        first = self.ids.setdefault(storage_id.key, storage_id)
        require(
            first.nbytes == storage_id.nbytes and first.dtype.itemsize == storage_id.dtype.itemsize,
            f"storage '{storage_id.key}' is used with two sizes",
        )
        return None


def _is_module(saved_id: Any) -> bool:
    return type(saved_id) is tuple and len(saved_id) == 4 and saved_id[0] in ("module", b"module")


class _Handler(Unpickler):
    def __init__(self, storages: StorageTable) -> None:
        super().__init__()
        self._storages = storages
        self._views: dict[tuple[str, Any], TypedStorage] = {}

    def persistent_load(self, saved_id: Any) -> Any:
        if _is_module(saved_id):
            return saved_id[1]  # a class; its source code stands beside it
        storage_id = parse_storage_id(saved_id, 6)
        storage = self._storages.get(storage_id)
        if saved_id[5] is None:
            return storage
        return self._view(storage, storage_id, saved_id[5])

    # A part of a storage that was a storage of its own.
    def _view(self, storage: Any, storage_id: StorageId, view: Any) -> Any:
        require(
            type(view) is tuple
            and len(view) == 3
            and type(view[1]) is int
            and type(view[2]) is int
            and 0 <= view[1] <= storage_id.numel
            and 0 <= view[2] <= storage_id.numel - view[1],
            "a view of a storage lies outside it",
        )
        key = (storage_id.key, str(view[0]))
        if type(storage) is not TypedStorage or storage.is_meta:
            return storage
        if key not in self._views:
            size = storage_id.dtype.itemsize
            start, end = view[1] * size, (view[1] + view[2]) * size
            part = bytes_of(storage.untyped_storage())[start:end]
            self._views[key] = TypedStorage(_C.UntypedStorage(part), storage.dtype)
        return self._views[key]


class _Plain(Unpickler):
    """For pickles of plain values."""


def read_plain(data: Any, at: int, encoding: str = "utf-8") -> tuple[Any, int]:
    """A pickle of plain values, and where it ends."""
    program = _C.PickleProgram(data, at)
    return program.run(_Plain(), encoding), program.end


def take_storage(source: Source, at: int, size: int, alignment: int = 8) -> _C.UntypedStorage:
    """Bytes of the file as a storage: its own memory where that is aligned."""
    part = source.view[at : at + size]
    own = source.copy or part.readonly or at % alignment
    return _C.UntypedStorage.copy_of(part) if own else _C.UntypedStorage(part)


def load_legacy(
    source: Source, map_location: MapLocation, base: type[Unpickler], encoding: str
) -> Any:
    """Loads the file."""
    data = source.data
    magic, at = read_plain(data, 0)
    require(magic == MAGIC, "this is no file of torch.save: its magic number is another")
    version, at = read_plain(data, at)
    require(
        version == VERSION,
        f"version {reprlib.repr(version):.20} of the old format is not supported: "
        f"expected {VERSION}",
    )
    system, at = read_plain(data, at)
    require(type(system) is dict, "the facts about the system are no dictionary")
    big_endian = system.get("little_endian", system.get(b"little_endian")) is False
    program = _C.PickleProgram(data, at)
    scan = _Scan()
    program.run(scan, encoding)
    keys, at = read_plain(data, program.end)
    places = _find_storages(source, at, keys, scan.ids, "big" if big_endian else "little")

    def read(storage_id: StorageId) -> _C.UntypedStorage:
        require(storage_id.key in places, f"storage '{storage_id.key}' has no data")
        return take_storage(source, places[storage_id.key], storage_id.nbytes)

    if big_endian and not source.copy:
        source = Source(source.name, source.data, copy=True)
    storages = StorageTable(read, map_location, big_endian)
    return program.run(on_base(base, _Handler)(storages), encoding)


def _find_storages(
    source: Source, at: int, keys: Any, ids: dict[str, StorageId], order: Any
) -> dict[str, int]:
    require(type(keys) is list, "the keys of the storages are no list")
    view = source.view
    places: dict[str, int] = {}
    for raw in keys:
        key = raw.decode("ascii", "backslashreplace") if isinstance(raw, bytes) else raw
        require(type(key) is str and key in ids, f"no tensor uses the storage {key!r:.40}")
        require(at + _COUNT <= len(view), "the file is cut short")
        numel = int.from_bytes(view[at : at + _COUNT], order, signed=True)
        at += _COUNT
        require(
            numel == ids[key].numel,
            f"storage '{key}' has {numel} elements, its tensors say {ids[key].numel}",
        )
        require(ids[key].nbytes <= len(view) - at, f"the file is cut short in storage '{key}'")
        places[key] = at
        at += ids[key].nbytes
    return places
