"""Packages in the processes that ``multiprocessing`` starts afresh.

Such a process gets its work by ``pickle``, which names classes of packages by their mangled names.
What it needs to know first, which files the packages are, travels with the process object: in the
settings that ``multiprocessing`` copies from each process to its children.
"""

from __future__ import annotations

import functools
import io
import multiprocessing
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from . import finder, mangling

if TYPE_CHECKING:
    from .package_importer import PackageImporter

_KEY = "rushlight_packages"


class OpenPackages:
    """The open packages of a process; unpickling it makes them known in another one."""

    def __init__(self) -> None:
        self._importers: WeakValueDictionary[str, PackageImporter] = WeakValueDictionary()

    def add(self, importer: PackageImporter) -> None:
        """Adds a package."""
        self._importers[importer.id()] = importer

    def discard(self, importer: PackageImporter) -> None:
        """Removes a package that is closed."""
        self._importers.pop(importer.id(), None)

    def __reduce__(self) -> tuple[Any, ...]:
        sources = {parent: _source(importer) for parent, importer in self._importers.items()}
        return _restore, (sources,)


def announce(importer: PackageImporter) -> None:
    """Makes a package known to processes that this one starts from now on."""
    _packages().add(importer)


def withdraw(importer: PackageImporter) -> None:
    """The reverse of `announce`."""
    _packages().discard(importer)


def _packages() -> OpenPackages:
    settings: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    found: OpenPackages = settings.setdefault(_KEY, OpenPackages())
    return found


def _source(importer: PackageImporter) -> str | bytes | None:
    """What another process can open the package from: its path, or all its bytes; None for what
    cannot be sent, which must not keep other work from starting."""
    source = importer.source
    if isinstance(source, (str, os.PathLike)):
        return str(Path(source).absolute())
    try:
        position = source.tell()
        source.seek(0)
        contents: bytes = source.read()
        source.seek(position)
    except (AttributeError, OSError, ValueError):
        return None
    return contents


def _restore(sources: dict[str, str | bytes | None]) -> OpenPackages:
    packages = _packages()
    for parent, source in sources.items():
        mangling.reserve(parent)
        if source is not None:
            finder.register_reopening(parent, functools.partial(_reopen, parent, source))
    return packages


def _reopen(parent: str, source: str | bytes) -> PackageImporter:
    from .package_importer import PackageImporter

    file = io.BytesIO(source) if isinstance(source, bytes) else source
    return PackageImporter(file, check_versions=False, _parent=parent)
