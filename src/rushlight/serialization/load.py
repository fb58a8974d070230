"""``rushlight.load``."""

from __future__ import annotations

import sys
from typing import Any

from rushlight import _C

from .errors import UnpicklingError
from .locations import LocationError, MapLocation
from .options import LoadEndianness, get_default_load_endianness
from .source import Source, open_source
from .stand_ins import StandInUnpickler
from .storages import StorageId, StorageTable, parse_storage_id
from .unpickler import Unpickler, on_base

_TAR_MAGIC = slice(257, 262)

# Records that only other kinds of PyTorch's files have -> what to do with such a file.
_OTHER_KINDS = {
    "constants.pkl": "a TorchScript program, which rushlight does not run; "
    "save the module's state_dict() with torch.save",
    "archive_format": "an exported program; rushlight.export.load reads it",
    ".data/extern_modules": "a package; rushlight.package.PackageImporter reads it",
}


def load(
    f: Any,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    stand_ins: bool = False,
    encoding: str = "utf-8",
    **pickle_load_args: Any,
) -> Any:
    """Reads what ``torch.save`` or ``rushlight.save`` has written, in any of PyTorch's formats.

    Files are not trusted: whatever is in one, no code of it runs. Tensors, containers and harmless
    standard objects load; a name that is not allowed is an error that says which it is.

    Args:
        f: a path, or an open binary file, which is read from where it stands.
        map_location: None or ``'cpu'``; ``'meta'`` reads sizes and no data; a dictionary of
            locations or a function ``(storage, location) -> storage or None`` as for PyTorch.
        pickle_module: None or Python's ``pickle``; accepted for PyTorch's sake.
        weights_only: accepted for PyTorch's sake. ``False`` allows nothing more.
        mmap: None or True maps a file at a path: tensors are read when they are looked at, and the
            file may be replaced or deleted, but not overwritten in place, while they live. False
            copies them.
        stand_ins: objects of classes that are not allowed, such as a whole ``nn.Module``, become
            ``StandIn`` objects that can be looked at.
        encoding: of the strings of Python 2: ``'utf-8'``, ``'latin1'``, ``'ascii'`` or ``'bytes'``.

    Raises:
        pickle.UnpicklingError: the file asks for something that is not allowed, or is not valid.
        RuntimeError: the file is damaged, or tensors do not fit their storages.
        OSError: the file cannot be read.

    >>> import rushlight
    >>> from rushlight.serialization import save
    >>> import io, numpy as np
    >>> file = io.BytesIO()
    >>> save({"weight": rushlight.from_numpy(np.ones((2, 2), np.float32))}, file)
    >>> rushlight.load(io.BytesIO(file.getvalue()))["weight"].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    _check_arguments(pickle_module, encoding, pickle_load_args)
    base = StandInUnpickler if stand_ins else Unpickler
    return load_source(open_source(f, mmap), map_location, base, encoding)


def load_source(
    source: Source, map_location: MapLocation, base: type[Unpickler], encoding: str = "utf-8"
) -> Any:
    """Loads a file of any format; ``base`` decides about names that are not allowed."""
    view = source.view
    try:
        if bytes(view[:4]) == b"PK\x03\x04":
            return _load_zip(source, map_location, base, encoding)
        from .legacy import load_legacy
        from .tar import load_tar

        legacy = load_tar if bytes(view[_TAR_MAGIC]) == b"ustar" else load_legacy
        return legacy(source, map_location, base, encoding)
    except UnpicklingError as error:
        if isinstance(error.__cause__, LocationError):
            raise error.__cause__ from None
        raise UnpicklingError(f"{source.name}: {error}") from error.__cause__


def _check_arguments(pickle_module: Any, encoding: str, others: dict[str, Any]) -> None:
    import pickle

    if pickle_module is not None and pickle_module is not pickle:
        raise ValueError(
            "pickle_module: files are read by rushlight's own reader, which runs no code of "
            f"theirs; expected None or pickle, got {pickle_module!r}"
        )
    if encoding not in ("utf-8", "latin1", "ascii", "bytes"):
        raise ValueError(
            f"encoding: expected 'utf-8', 'latin1', 'ascii' or 'bytes', got {encoding!r}"
        )
    unknown = set(others) - {"errors", "fix_imports", "buffers"}
    if unknown:
        raise TypeError(f"load() got an unexpected keyword argument '{min(unknown)}'")


class _Handler(Unpickler):
    def __init__(self, storages: StorageTable) -> None:
        super().__init__()
        self._storages = storages

    def persistent_load(self, saved_id: Any) -> Any:
        return self._storages.get(parse_storage_id(saved_id, 5))


def open_zip(source: Source) -> _C.PyTorchFileReader:
    """The container; RuntimeError for one of another kind of file."""
    reader = _C.PyTorchFileReader(source.data, source.name)
    for record, kind in _OTHER_KINDS.items():
        if reader.has_record(record):
            raise RuntimeError(f"{source.name} is {kind}")
    if not reader.has_record("data.pkl"):
        raise RuntimeError(f"{source.name}: no record 'data.pkl': no file of torch.save")
    return reader


def is_big_endian(reader: _C.PyTorchFileReader, name: str) -> bool:
    """Whether the numbers of the file are big-endian."""
    if reader.has_record("byteorder"):
        order = reader.get_record("byteorder").strip()
        if order not in (b"little", b"big"):
            raise ValueError(f"{name}: unknown byte order {order!r:.40}")
        return order == b"big"
    default = get_default_load_endianness()
    if default is LoadEndianness.NATIVE:
        return sys.byteorder == "big"
    return default is LoadEndianness.BIG


def _load_zip(
    source: Source, map_location: MapLocation, base: type[Unpickler], encoding: str
) -> Any:
    reader = open_zip(source)
    big_endian = is_big_endian(reader, source.name)
    copy = source.copy or big_endian

    def read(storage_id: StorageId) -> _C.UntypedStorage:
        record = f"data/{storage_id.key}"
        storage = reader.get_storage_from_record(record, storage_id.numel, storage_id.dtype, copy)
        if source.shared and not copy:
            reader.forget_checksum(record)
        return storage

    storages = StorageTable(read, map_location, big_endian)
    handler = on_base(base, _Handler)(storages)
    return _C.PickleProgram(reader.get_record("data.pkl")).run(handler, encoding)
