"""The standard library's dynamic imports, as code in a package sees them.

``importlib.import_module("mymod")`` in a package means the package's ``mymod``, and must not find
one that the host happens to have. So a package gets views of the few modules that import by name:
each is the host's module, with those functions replaced that take names.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from importlib.util import resolve_name
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .package_importer import PackageImporter

#: Host modules that packages see through a view.
VIEWED = frozenset({"builtins", "importlib", "importlib.resources", "importlib.util", "pkgutil"})


class HostView(ModuleType):
    """A host's module with some attributes replaced; all else is read and written there."""

    def __init__(self, module: ModuleType, replaced: dict[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(
            {name: value for name, value in vars(module).items() if name.startswith("__")}
        )
        self.__dict__.update(replaced)
        self.__dict__["_host_module"] = module
        self.__dict__["_replaced"] = frozenset(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_host_module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__["_replaced"]:
            self.__dict__[name] = value
        else:
            setattr(self.__dict__["_host_module"], name, value)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_host_module"])


def view_of(name: str, importer: PackageImporter) -> ModuleType:
    """The module ``name`` of `VIEWED` as code in ``importer``'s package sees it."""
    module = importlib.import_module(name)
    return HostView(module, _REPLACEMENTS[name](importer))


def _builtins(importer: PackageImporter) -> dict[str, Any]:
    return {"__import__": importer.__import__}


def _importlib(importer: PackageImporter) -> dict[str, Any]:
    def import_module(name: str, package: str | None = None) -> ModuleType:
        """As the host's, for names of the package first."""
        return importer.import_module(name, package)

    return {
        "import_module": import_module,
        "__import__": importer.__import__,
        "util": importer.host_module("importlib.util"),
        "resources": importer.host_module("importlib.resources"),
    }


def _util(importer: PackageImporter) -> dict[str, Any]:
    host_find_spec = importlib.import_module("importlib.util").find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        """As the host's, for names of the package first; None for what it may not import."""
        if name.startswith("."):
            name = resolve_name(name, package)
        name, meaning = importer.meaning_of(name)
        found: ModuleSpec | None = None
        if meaning != "absent":
            found = host_find_spec(importer.mangled(name) if meaning == "own" else name)
        return found

    return {"find_spec": find_spec}


def _resources(importer: PackageImporter) -> dict[str, Any]:
    module = importlib.import_module("importlib.resources")

    def taking_names(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            for key in ("anchor", "package"):
                if isinstance(kwargs.get(key), str):
                    kwargs[key] = importer.import_module(kwargs[key])
            if args and isinstance(args[0], str):
                args = (importer.import_module(args[0]), *args[1:])
            if not args and not kwargs:  # `files()` means the package of the calling module
                caller = sys._getframe(1).f_globals
                args = (importer.import_module(caller.get("__package__") or caller["__name__"]),)
            return function(*args, **kwargs)

        wrapper.__doc__ = function.__doc__
        return wrapper

    names = (
        "files", "open_binary", "open_text", "read_binary", "read_text", "path", "is_resource",
        "contents",
    )  # fmt: skip
    return {name: taking_names(getattr(module, name)) for name in names if hasattr(module, name)}


def _pkgutil(importer: PackageImporter) -> dict[str, Any]:
    def get_data(package: str, resource: str) -> bytes | None:
        """As the host's, for packages of the package first."""
        name, meaning = importer.meaning_of(package)
        return pkgutil.get_data(importer.mangled(name) if meaning == "own" else name, resource)

    def resolve(name: str) -> Any:
        """As the host's, for names of the package first."""
        path, colon, attributes = name.partition(":")
        first, *atoms = path.split(".")
        found: Any = importer.import_module(first)
        while atoms and isinstance(found, ModuleType):
            try:
                found = importer.import_module(f"{found.__name__}.{atoms[0]}")
            except ImportError:
                if colon:
                    raise
                break
            del atoms[0]
        for attribute in [*atoms, *(attributes.split(".") if attributes else ())]:
            found = getattr(found, attribute)
        return found

    def walk_packages(
        path: Any = None, prefix: str = "", onerror: Callable[[str], Any] | None = None
    ) -> Iterator[pkgutil.ModuleInfo]:
        """As the host's, importing packages of the package."""
        for info in pkgutil.iter_modules(path, prefix):
            yield info
            if info.ispkg:
                try:
                    module = importer.import_module(info.name)
                except Exception as error:
                    if onerror is not None:
                        onerror(info.name)
                    elif not isinstance(error, ImportError):
                        raise
                else:
                    yield from walk_packages(list(module.__path__), info.name + ".", onerror)

    return {"get_data": get_data, "resolve_name": resolve, "walk_packages": walk_packages}


_REPLACEMENTS: dict[str, Callable[[PackageImporter], dict[str, Any]]] = {
    "builtins": _builtins,
    "importlib": _importlib,
    "importlib.util": _util,
    "importlib.resources": _resources,
    "pkgutil": _pkgutil,
}
