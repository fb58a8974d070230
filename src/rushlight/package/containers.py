"""Where a package's records are: an archive, or a folder with the contents of one."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from rushlight import UntypedStorage
from rushlight.serialization import PyTorchFileReader


class RecordReader(Protocol):
    """What `PackageImporter` needs of a ``PyTorchFileReader``."""

    def get_record(self, name: str) -> Any: ...
    def has_record(self, name: str) -> bool: ...
    def get_all_records(self) -> list[str]: ...
    def get_storage_from_record(self, name: str, *, copy: bool) -> UntypedStorage: ...


class DirectoryReader:
    """Records as files of a folder. Links are refused: they could lead anywhere.

    Args:
        directory: the folder that holds ``.data`` and the packages.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = os.path.realpath(directory)

    def _path(self, name: str) -> Path:
        check_record_names([name], self.directory)
        path = Path(self.directory, name)
        if os.path.realpath(path) != str(path):
            raise ValueError(f"{self.directory!r}: the record {name!r} is, or lies behind, a link")
        return path

    def get_record(self, name: str) -> bytes:
        """The contents of a file; ``RuntimeError`` if there is none."""
        path = self._path(name)
        if not path.is_file():
            raise RuntimeError(f"there is no file {name!r} in {self.directory!r}")
        return path.read_bytes()

    def get_storage_from_record(self, name: str, *, copy: bool) -> UntypedStorage:
        """The contents of a file as memory, which is always a copy."""
        return UntypedStorage(bytearray(self.get_record(name)))

    def has_record(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._path(name).is_file()

    def get_all_records(self) -> list[str]:
        """The paths of all files, sorted."""
        found = []
        for folder, folders, files in os.walk(self.directory):
            folders.sort()
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in sorted(files):
                path = Path(folder, name).relative_to(self.directory)
                found.append(path.as_posix())
        return sorted(found)

    def serialization_id(self) -> str:
        """The identity of the archive the folder came from, if it is kept there."""
        name = ".data/serialization_id"
        return self.get_record(name).decode() if self.has_record(name) else ""


def open_reader(source: Any) -> RecordReader:
    """The records of a path, folder, binary file object or reader."""
    if isinstance(source, PyTorchFileReader):
        return source
    if isinstance(source, (str, os.PathLike)):
        if Path(source).is_dir():
            return DirectoryReader(source)
        source = os.fspath(source)
    elif not hasattr(source, "read"):
        raise TypeError(
            "a package is opened from a path, a binary file object or a PyTorchFileReader, got "
            f"{type(source).__name__}"
        )
    else:
        source.seek(0)
    return PyTorchFileReader(source)


def check_record_names(names: Iterable[str], filename: str) -> None:
    """``ValueError`` for names that would leave the folder a package is extracted to."""
    for name in names:
        parts = name.split("/")
        if (
            not name
            or "\\" in name
            or "\0" in name
            or ":" in parts[0]
            or any(part in ("", ".", "..") for part in parts)
        ):
            raise ValueError(f"{filename!r} has a record with the unsafe name {name!r}")


def resource_path(package: str, resource: str) -> str:
    """The record of a file in a package; ``ValueError`` if ``resource`` is more than a name."""
    if not resource or posixpath.basename(resource) != resource or resource in (".", ".."):
        raise ValueError(f"a resource is a file name without folders, got {resource!r}")
    return f"{package.replace('.', '/')}/{resource}"
