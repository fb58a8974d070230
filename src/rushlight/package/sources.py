"""Where the code of a module is: found through specs, so that looking runs none of it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class ModuleSource:
    """The code of one module."""

    name: str
    filename: str | None = None
    is_package: bool = False
    #: None where there is no Python source.
    text: str | None = None
    #: The folders of a package, where its data files are; empty for modules in archives.
    folders: tuple[str, ...] = ()
    #: A folder without ``__init__.py``: a package without code.
    is_namespace: bool = False

    @property
    def is_extension(self) -> bool:
        """Whether this is compiled code."""
        suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
        return self.filename is not None and self.filename.endswith(suffixes)


def find_installed_spec(module_name: str) -> ModuleSpec | None:
    """The spec of a module of the host, found without importing its parents."""
    path: Sequence[str] | None = None
    spec: ModuleSpec | None = None
    atoms = module_name.split(".")
    for count in range(1, len(atoms) + 1):
        name = ".".join(atoms[:count])
        loaded = sys.modules.get(name)
        if loaded is not None and getattr(loaded, "__spec__", None) is not None:
            spec = loaded.__spec__
            path = getattr(loaded, "__path__", None)
        else:
            spec = _ask_finders(name, path)
            path = spec.submodule_search_locations if spec is not None else None
        if spec is None or (path is None and count < len(atoms)):
            return None
    return spec


def _ask_finders(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    for finder in list(sys.meta_path):
        find_spec = getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find_spec(name, path, None) if find_spec is not None else None
        if spec is not None:
            return spec
    return None


def installed_source(module_name: str) -> ModuleSource | None:
    """The source of a module of the host; None if it is not found without importing."""
    spec = find_installed_spec(module_name)
    if spec is None:
        return None
    loaded = sys.modules.get(module_name)
    if loaded is not None and _was_replaced(loaded, module_name):
        return None
    return _source_of_spec(module_name, spec)


def _was_replaced(module: ModuleType, name: str) -> bool:
    # `os.path` is `posixpath`: the file is another's, and so the spec's name is.
    spec = getattr(module, "__spec__", None)
    return spec is not None and name not in (spec.name, "__main__")


def _source_of_spec(name: str, spec: ModuleSpec) -> ModuleSource:
    folders = spec.submodule_search_locations
    is_package = folders is not None
    places = tuple(map(str, folders)) if folders is not None else ()
    filename = spec.origin if spec.has_location else None
    is_namespace = is_package and filename is None and spec.origin is None
    return ModuleSource(
        name, filename, is_package, _text(spec.loader, spec.name), places, is_namespace
    )


def source_of_loaded(module: ModuleType) -> ModuleSource:
    """The source of a module that some importer gave."""
    spec = getattr(module, "__spec__", None)
    filename = getattr(module, "__file__", None)
    text = _text(getattr(spec, "loader", None), getattr(spec, "name", module.__name__))
    if text is None and isinstance(filename, str) and filename.endswith(".py"):
        text = "".join(linecache.getlines(filename, vars(module))) or None
    folders = getattr(module, "__path__", None)
    return ModuleSource(
        module.__name__,
        filename,
        folders is not None,
        text,
        tuple(map(str, folders)) if folders is not None else (),
        is_namespace=folders is not None and filename is None and text is None,
    )


def _text(loader: Any, name: str) -> str | None:
    get_source = getattr(loader, "get_source", None)
    if get_source is None:
        return None
    try:
        text = get_source(name)
    except (ImportError, OSError):
        return None
    return text if isinstance(text, str) else None
