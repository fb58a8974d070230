"""Data files of packages for ``importlib.resources``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .package_importer import PackageImporter


class PackageResource:
    """A file or folder in a package; ``importlib.resources.abc.Traversable``."""

    def __init__(self, importer: PackageImporter, path: str) -> None:
        self._importer = importer
        self._path = path

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._path.rpartition("/")[2]

    def __repr__(self) -> str:
        return f"PackageResource({self._importer.filename!r}, {self._path!r})"

    def is_file(self) -> bool:
        """Whether there is a file of this path."""
        return self._importer.zip_reader.has_record(self._path)

    def is_dir(self) -> bool:
        """Whether there are files below this path."""
        start = self._path + "/"
        return any(name.startswith(start) for name in self._importer.record_names)

    def iterdir(self) -> Iterator[PackageResource]:
        """What is in the folder, each once."""
        start = self._path + "/"
        below = (name for name in self._importer.record_names if name.startswith(start))
        names = dict.fromkeys(name[len(start) :].partition("/")[0] for name in below)
        if not names:
            kind = NotADirectoryError if self.is_file() else FileNotFoundError
            raise kind(f"there is no folder {self._path!r} in {self._importer.filename}")
        return (PackageResource(self._importer, start + name) for name in names)

    def joinpath(self, *descendants: str) -> PackageResource:
        """The path below this one; it cannot leave the package."""
        parts = [part for text in descendants for part in str(text).split("/") if part != "."]
        if any(part in ("", "..") for part in parts):
            raise ValueError(f"a path inside the package is needed, got {'/'.join(descendants)!r}")
        return PackageResource(self._importer, "/".join([self._path, *parts]))

    __truediv__ = joinpath

    def read_bytes(self) -> bytes:
        """The contents."""
        if not self.is_file():
            kind = IsADirectoryError if self.is_dir() else FileNotFoundError
            raise kind(f"there is no file {self._path!r} in {self._importer.filename}")
        return bytes(self._importer.zip_reader.get_record(self._path))

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """The contents as text, UTF-8 by default."""
        with self.open("r", encoding=encoding, errors=errors) as file:
            text: str = file.read()
        return text

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> IO[Any]:
        """A file object for reading."""
        if mode not in ("r", "rt", "rb"):
            raise ValueError(f"files in packages can be read only, got mode {mode!r}")
        raw = io.BytesIO(self.read_bytes())
        if "b" in mode:
            return raw
        if not args and kwargs.get("encoding") is None:
            kwargs["encoding"] = "utf-8"
        return io.TextIOWrapper(raw, *args, **kwargs)


class PackageResourceReader:
    """What ``importlib.resources`` asks a loader for; ``importlib.resources.abc``."""

    def __init__(self, importer: PackageImporter, folder: str) -> None:
        self._root = PackageResource(importer, folder)

    def files(self) -> PackageResource:
        """The folder of the package."""
        return self._root

    def open_resource(self, resource: str) -> IO[bytes]:
        """A file of the folder, opened for reading."""
        return self._root.joinpath(resource).open("rb")

    def resource_path(self, resource: str) -> str:
        """Packages are not folders: always ``FileNotFoundError``; callers then make a copy."""
        raise FileNotFoundError(f"{resource!r} has no path of its own")

    def is_resource(self, path: str) -> bool:
        """Whether the folder has a file of this name."""
        return self._root.joinpath(path).is_file()

    def contents(self) -> Iterator[str]:
        """Names in the folder."""
        return (item.name for item in self._root.iterdir())
