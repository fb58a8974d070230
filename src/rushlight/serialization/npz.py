"""NumPy's archives of arrays, one array at a time."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from rushlight import _C

from .dtypes import BY_NAME, StoredDType
from .entries import Entries, Entry
from .source import Source


@contextmanager
def npz_entries(source: Source) -> Iterator[Entries]:
    """The entries of an open file; ValueError or RuntimeError for one that is not valid."""
    try:
        archive = zipfile.ZipFile(source.name)
    except zipfile.BadZipFile as error:
        raise RuntimeError(f"{source.name}: no valid .npz file: {error}") from error
    with archive:
        entries = Entries(source, [])
        for info in archive.infolist():
            if info.filename.endswith(".npy"):
                entries.tensors.append(_entry(source.name, archive, info))
            else:
                entries.left_out.append(info.filename)
        yield entries


def _header(name: str, file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        return read(file)
    except (ValueError, EOFError, SyntaxError) as error:
        raise RuntimeError(f"{name}: no valid array: {error}") from error


def _entry(path: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    name = f"{path}: {info.filename}"
    with archive.open(info) as file:
        shape, fortran, dtype = _header(name, file)
    known = BY_NAME.get(dtype.name)
    if known is None:
        raise RuntimeError(f"{name}: no tensor type for arrays of {dtype}")
    count = known.itemsize
    for n in shape:
        count *= n
    if count > info.file_size:
        raise RuntimeError(f"{name}: {info.file_size} bytes cannot hold the announced {count}")

    def read() -> Any:
        with archive.open(info) as file:
            _header(name, file)
            data = file.read(count + 1)
        if len(data) != count:
            raise RuntimeError(f"{name}: {len(data)} bytes of data, expected {count}")
        array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
        native = np.ascontiguousarray(array.astype(dtype.newbyteorder("<"), copy=False))
        return native.reshape(-1).view(np.uint8).data

    return Entry(info.filename.removesuffix(".npy"), known, tuple(shape), read)


def write_entries(entries: Iterable[Entry], file: IO[bytes]) -> None:
    """Writes entries, one at a time; the same entries give the same bytes. ValueError for types
    that NumPy does not have."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for entry in entries:
            if not _has(entry):
                raise ValueError(
                    f"'{entry.name}': NumPy has no type {entry.dtype.name}; --upcast makes it "
                    "float32"
                )
            array = np.frombuffer(entry.read(), entry.dtype.name).reshape(entry.shape)
            info = zipfile.ZipInfo(f"{entry.name}.npy", (1980, 1, 1, 0, 0, 0))
            with archive.open(info, "w", force_zip64=True) as target:
                np.lib.format.write_array(target, array, allow_pickle=False)


def _has(entry: Entry) -> bool:
    if isinstance(entry.dtype, StoredDType):
        return entry.dtype.name in ("uint16", "uint32", "uint64")
    return entry.dtype is not _C.bfloat16


def upcast_entry(entry: Entry) -> Entry:
    """The entry, its type one that NumPy has: float32 (complex64) for those that it has not."""
    if _has(entry):
        return entry
    from .stored_values import values_of

    def read() -> Any:
        raw = np.frombuffer(entry.read(), f"u{entry.dtype.itemsize}")
        values = np.ascontiguousarray(values_of(raw, entry.dtype.name))
        return values.reshape(-1).view(np.uint8).data

    wide = "complex64" if entry.dtype.name == "complex32" else "float32"
    return Entry(entry.name, BY_NAME[wide], entry.shape, read)
