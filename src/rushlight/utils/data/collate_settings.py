"""What the functions that collate know of the loader they work for, and how they fail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, NoReturn, TypeAlias

from rushlight.utils import pytree
from rushlight.utils.data.arrays import Array, Kind

CollateMap: TypeAlias = dict[type | tuple[type, ...], Callable[..., Any]]
Allocate: TypeAlias = Callable[[tuple[int, ...], Any], Array]
Path: TypeAlias = tuple[Any, ...]

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


class _Settings(threading.local):
    """What the loader that a thread collates for wants."""

    kind: Kind | None = None
    allocate: Allocate | None = None
    path: Path = ()


settings = _Settings()


@contextmanager
def collating(kind: Kind | None, allocate: Allocate | None = None) -> Any:
    """Batches made in this block are of the given kind, in memory from ``allocate``."""
    before = settings.kind, settings.allocate
    settings.kind, settings.allocate = kind, allocate
    try:
        yield
    finally:
        settings.kind, settings.allocate = before


def place_text(path: Path) -> str:
    """A place in a sample, for the start of a message."""
    return f"{pytree.keystr(path)}: " if path else ""


def fail(path: Path, found: Any, where: str = "") -> NoReturn:
    """The error of what cannot be collated."""
    name = found.__name__ if isinstance(found, type) else str(found)
    prefix = f"{place_text(path)}{where}{name} cannot be collated: " if path or where else ""
    raise TypeError(prefix + default_collate_err_msg_format.format(found))
