"""Environments that modules are imported from: the host's, a package's, several in order."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

from .mangling import demangle, split
from .sources import ModuleSource, installed_source, source_of_loaded


class ObjNotFoundError(Exception):
    """An importer has no object of that name."""


class ObjMismatchError(Exception):
    """An importer has another object of the same name."""


class Importer(ABC):
    """An environment in which names mean modules.

    ``get_name`` and ``import_module`` belong together: an object is found again as the attribute
    ``name`` of ``import_module(module_name)`` where ``module_name, name = get_name(obj)``.
    Subclasses need ``import_module`` only.
    """

    modules: dict[str, ModuleType]

    @abstractmethod
    def import_module(self, module_name: str) -> ModuleType:
        """As ``importlib.import_module``, in this environment."""

    def get_name(self, obj: Any, name: str | None = None) -> tuple[str, str]:
        """The module and the name in it under which this environment holds ``obj``.

        Args:
            obj: a class, function, or another object that is found by name.
            name: the name to look for, instead of the object's own.

        Raises:
            ObjNotFoundError: there is nothing of that name.
            ObjMismatchError: there is another object of that name.
        """
        if name is None:
            name = _own_name(obj)
        full_name = self.whichmodule(obj, name)
        module_name = demangle(full_name)
        try:
            found: Any = self.import_module(module_name)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, KeyError, AttributeError):
            raise ObjNotFoundError(
                f"{obj!r} was not found as {module_name}.{name}{_whence(full_name)}"
            ) from None
        if found is not obj:
            raise ObjMismatchError(
                f"{obj!r} comes from {_place(full_name)}, but {module_name}.{name} here comes from "
                f"{_place(self.whichmodule(found, name))}: the first needs to stand before the "
                "second in the exporter's `importer` list"
            )
        return module_name, name

    def whichmodule(self, obj: Any, name: str) -> str:
        """The name of the module that ``obj`` belongs to, ``"__main__"`` if none is known."""
        owner: object = getattr(obj, "__module__", None)
        if isinstance(owner, str):
            return owner
        known: dict[str, ModuleType] = dict(getattr(self, "modules", {}))
        for module_name, module in known.items():
            if module_name in ("__main__", "__mp_main__") or module is None:
                continue
            try:
                if getattr(module, name) is obj:
                    return module_name
            except Exception:  # modules may answer with code of their own
                continue
        return "__main__"

    def has_module(self, module_name: str) -> bool:
        """Whether ``module_name`` can be imported. Importers that can tell without running code
        override this."""
        try:
            self.import_module(module_name)
        except Exception:  # a module that fails while it runs cannot be imported
            return False
        return True

    def find_source(self, module_name: str) -> ModuleSource:
        """The source code of a module; ``ModuleNotFoundError`` if there is no such module."""
        return source_of_loaded(self.import_module(module_name))


class _SysImporter(Importer):
    """The host's own environment."""

    @property
    def modules(self) -> dict[str, ModuleType]:  # type: ignore[override]
        return sys.modules

    def import_module(self, module_name: str) -> ModuleType:
        if split(module_name)[0]:
            raise ModuleNotFoundError(
                f"{module_name!r} is a module of an imported package", name=module_name
            )
        return importlib.import_module(module_name)

    def has_module(self, module_name: str) -> bool:
        if module_name in sys.modules:
            return sys.modules[module_name] is not None
        try:
            if installed_source(module_name) is not None:
                return True
        except Exception:  # a finder of somebody's
            return False
        # A plain module may make up submodules while it is imported, as `six` does.
        top, dot, _ = module_name.partition(".")
        if not dot or top in sys.modules or not self.has_module(top):
            return False
        return super().has_module(module_name)

    def find_source(self, module_name: str) -> ModuleSource:
        if split(module_name)[0]:
            self.import_module(module_name)  # explains
        source = installed_source(module_name)
        return source if source is not None else super().find_source(module_name)

    def __reduce__(self) -> str:
        return "sys_importer"


sys_importer: Importer = _SysImporter()


class OrderedImporter(Importer):
    """Several importers; the first that has a module or an object wins."""

    def __init__(self, *args: Importer) -> None:
        for importer in args:
            if not isinstance(importer, Importer):
                raise TypeError(f"OrderedImporter takes importers, got {type(importer).__name__}")
        self._importers = list(args)

    @property
    def modules(self) -> dict[str, ModuleType]:  # type: ignore[override]
        merged: dict[str, ModuleType] = {}
        for importer in reversed(self._importers):
            merged.update(getattr(importer, "modules", {}))
        return merged

    def get_name(self, obj: Any, name: str | None = None) -> tuple[str, str]:
        problems = []
        for importer in self._importers:
            try:
                return importer.get_name(obj, name)
            except (ObjNotFoundError, ObjMismatchError) as error:
                problems.append(str(error))
        raise ObjNotFoundError("no importer has the object: " + "; ".join(problems))

    def import_module(self, module_name: str) -> ModuleType:
        error = None
        for importer in self._importers:
            try:
                module = importer.import_module(module_name)
            except ModuleNotFoundError as problem:
                error = error or problem
                continue
            if not _is_bare_package(module):
                return module
        raise error or ModuleNotFoundError(f"No module named {module_name!r}", name=module_name)

    def whichmodule(self, obj: Any, name: str) -> str:
        names = (importer.whichmodule(obj, name) for importer in self._importers)
        return next((found for found in names if found != "__main__"), "__main__")

    def has_module(self, module_name: str) -> bool:
        return any(importer.has_module(module_name) for importer in self._importers)

    def find_source(self, module_name: str) -> ModuleSource:
        error = None
        bare = None
        for importer in self._importers:
            try:
                source = importer.find_source(module_name)
            except ModuleNotFoundError as problem:
                error = error or problem
                continue
            if not source.is_namespace:
                return source
            bare = bare or source
        if bare is not None:
            return bare
        raise error or ModuleNotFoundError(f"No module named {module_name!r}", name=module_name)


def _is_bare_package(module: ModuleType) -> bool:
    """A package's folder without ``__init__.py``: another importer may have the real thing."""
    return (
        getattr(module, "__torch_package__", False)
        and hasattr(module, "__path__")
        and getattr(module, "__file__", None) is None
    )


def _own_name(obj: Any) -> str:
    # Objects whose `__reduce__` gives a string are found under that name.
    if obj is not None and not isinstance(obj, type):
        try:
            reduced = obj.__reduce__()
        except Exception:  # somebody's code; pickling will meet the error again
            reduced = None
        if isinstance(reduced, str):
            return reduced
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if not isinstance(name, str):
        raise ObjNotFoundError(f"{obj!r} has no name to find it by")
    return name


def _place(module_name: str) -> str:
    parent, name = split(module_name)
    return f"{name} of the package {parent}" if parent else f"the host's {name}"


def _whence(module_name: str) -> str:
    parent = split(module_name)[0]
    if not parent:
        return ""
    return (
        f". It comes from the package {parent}: give its PackageImporter to the exporter, as "
        "PackageExporter(f, importer=[the_importer, sys_importer])"
    )
