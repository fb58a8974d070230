"""The bytes of a file that is loaded."""

from __future__ import annotations

import mmap
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .options import get_default_mmap_options


@dataclass
class Source:
    """A file's bytes. ``copy`` is true when tensors must not keep them."""

    name: str
    data: Any  # with the buffer protocol; writable when tensors may keep it
    copy: bool
    shared: bool = False  # what is written to tensors goes to the file

    @property
    def view(self) -> memoryview:
        """The bytes."""
        return memoryview(self.data)


def open_source(f: Any, use_mmap: bool | None) -> Source:
    """Maps the file at a path, or reads an open file from where it stands.

    Raises:
        OSError: the file cannot be read.
        TypeError: ``f`` is neither a path nor a file.
        ValueError: a file object is to be mapped.
    """
    if isinstance(f, (str, os.PathLike)):
        shared = get_default_mmap_options() == mmap.MAP_SHARED
        return Source(os.fspath(f), _map(Path(os.fspath(f))), use_mmap is False, shared)
    if use_mmap:
        raise ValueError("mmap=True needs the path of a file, not an open one")
    if not hasattr(f, "read"):
        raise TypeError(f"expected a path or an open binary file, got {type(f).__name__}")
    data = f.read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"expected a file opened in binary mode; its read() gave {type(data).__name__}"
        )
    return Source(str(getattr(f, "name", "the file")), data, copy=True)


def _map(path: Path) -> Any:
    flags = get_default_mmap_options()
    private = flags == mmap.MAP_PRIVATE
    # O_NONBLOCK: a pipe must give an error instead of waiting for a writer.
    fd = os.open(path, (os.O_RDONLY if private else os.O_RDWR) | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"cannot load '{path}': it is not a regular file")
        if status.st_size == 0:
            return b""
        access = mmap.ACCESS_COPY if private else mmap.ACCESS_WRITE
        return mmap.mmap(fd, 0, access=access)
    finally:
        os.close(fd)
