"""How Python's own import system finds the modules of open packages.

Packaged modules stand in ``sys.modules`` under their mangled names and are loaded by ``importlib``
with its locks: circular imports, reloading, threads and ``pickle`` are Python's, not copies.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from .mangling import split

if TYPE_CHECKING:
    from .package_importer import PackageImporter

# The open packages of this process by their mangled name; modules keep their importer alive.
_open: WeakValueDictionary[str, PackageImporter] = WeakValueDictionary()

# Opens a package that another process had open (see spawn.py); by its mangled name.
_reopen: dict[str, Callable[[], PackageImporter]] = {}


# One finder, one importer per package. Opening a package again registers it inside the lock.
_lock = threading.RLock()


def _install() -> None:
    with _lock:
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder())
            sys.path_hooks.append(_path_hook)


def register(importer: PackageImporter) -> None:
    """Makes the modules of a package importable by their mangled names."""
    _install()
    _open[importer.id()] = importer


def unregister(importer: PackageImporter) -> None:
    """Forgets a package and its modules."""
    parent = importer.id()
    _open.pop(parent, None)
    _reopen.pop(parent, None)
    for name in [name for name in sys.modules if split(name)[0] == parent]:
        del sys.modules[name]
    for path in [path for path in sys.path_importer_cache if split(path)[0] == parent]:
        del sys.path_importer_cache[path]


def register_reopening(parent: str, reopen: Callable[[], PackageImporter]) -> None:
    """``reopen`` will be called when a module of the package ``parent`` is first asked for."""
    _install()
    _reopen[parent] = reopen


def open_package(parent: str) -> PackageImporter | None:
    """The open package of this mangled name."""
    with _lock:
        importer = _open.get(parent)
        if importer is None and parent in _reopen:
            importer = _open[parent] = _reopen[parent]()
        return importer


class _Finder:
    """A finder of ``sys.meta_path``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, name = split(fullname)
        if not parent:
            return None
        importer = open_package(parent)
        if importer is None:
            raise ModuleNotFoundError(
                f"{fullname!r} is a module of a package that is not open in this process; open it "
                "with PackageImporter, and load objects with its load_pickle",
                name=fullname,
            )
        return importer.spec_of(name)


class _PathEntry:
    """What ``pkgutil.iter_modules`` asks for the modules in one entry of a ``__path__``."""

    def __init__(self, importer: PackageImporter, name: str) -> None:
        self._importer = importer
        self._name = name

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        return None  # the finder of sys.meta_path has been asked before

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        for name, is_package in self._importer.module_tree.children(self._name):
            yield prefix + name, is_package


def _path_hook(path: str) -> _PathEntry:
    parent, name = split(path) if isinstance(path, str) else ("", "")
    importer = open_package(parent) if parent else None
    if importer is None:
        raise ImportError("not a path in a package")
    return _PathEntry(importer, name)
