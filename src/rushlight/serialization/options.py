"""Settings of the process, with PyTorch's names. ``skip_data`` is of a thread."""

from __future__ import annotations

import mmap
import threading
from enum import Enum
from typing import Any


class LoadEndianness(Enum):
    """The byte order of files that do not say."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_lock = threading.Lock()
_settings: dict[str, Any] = {
    "endianness": None,
    "crc32": True,
    "mmap_flags": mmap.MAP_PRIVATE,
}


def _set(name: str, value: Any) -> None:
    with _lock:
        _settings[name] = value


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that do not say; None is little-endian."""
    order: LoadEndianness | None = _settings["endianness"]
    return order


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Sets the byte order of files that do not say."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError(f"expected a LoadEndianness or None, got {type(endianness).__name__}")
    _set("endianness", endianness)


def get_crc32_options() -> bool:
    """Whether ``save`` writes checksums."""
    on: bool = _settings["crc32"]
    return on


def set_crc32_options(compute_crc32: bool) -> None:
    """Whether ``save`` writes checksums; without them other programs may refuse to unzip a file."""
    _set("crc32", bool(compute_crc32))


def get_default_mmap_options() -> int:
    """The flags with which ``load`` maps files."""
    flags: int = _settings["mmap_flags"]
    return flags


class set_default_mmap_options:  # noqa: N801 (PyTorch's name)
    """Sets the flags with which ``load`` maps files, for good or as a context manager:
    ``mmap.MAP_PRIVATE`` (writes stay in memory; the default) or ``mmap.MAP_SHARED`` (writes to
    tensors change the file)."""

    def __init__(self, flags: int) -> None:
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(f"expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, got {flags}")
        self._before = get_default_mmap_options()
        _set("mmap_flags", flags)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _set("mmap_flags", self._before)


class _Thread(threading.local):
    skip = False


_thread = _Thread()


class skip_data:  # noqa: N801 (PyTorch's name)
    """``with skip_data():`` lets ``save`` write zeros in the place of tensors' data and ``load``
    leave the memory of tensors as it is."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before = _thread.skip
        _thread.skip = True

    def __exit__(self, *_: object) -> None:
        _thread.skip = self._before


def skipping_data() -> bool:
    """Whether this thread is in a ``skip_data`` block."""
    return _thread.skip


__all__ = [
    "LoadEndianness", "get_crc32_options", "get_default_load_endianness",
    "get_default_mmap_options", "set_crc32_options", "set_default_load_endianness",
    "set_default_mmap_options", "skip_data",
]  # fmt: skip
