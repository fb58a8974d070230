"""Opens packages: imports their code, loads their objects."""

from __future__ import annotations

import builtins
import importlib
import os
from collections.abc import Callable, Iterable
from importlib.util import resolve_name
from types import ModuleType, TracebackType
from typing import Any, Literal

from rushlight.serialization import PyTorchFileReader

from . import finder, mangling, spawn
from .containers import RecordReader, check_record_names, open_reader, resource_path
from .file_structure_representation import Directory, directory_of
from .glob_group import GlobPattern
from .host_view import VIEWED, view_of
from .importer import Importer
from .loader import PackageLoader
from .metadata import PackageMetadata, read_metadata
from .module_tree import ModuleTree
from .origins import lock_differences, warn_of_differences
from .signing import verify_contents
from .sources import ModuleSource
from .unpickling import load_pickle

# What packages may import though it is not in their list: pickled arrays need NumPy, generated code
# of `torch.fx` needs builtins.
_ALWAYS_ALLOWED = frozenset({"builtins", "numpy", "numpy.core", "numpy._core"})

# Modules of NumPy that changed their name: packages may have been made with either.
_RENAMED = {"numpy.core": "numpy._core", "numpy._core": "numpy.core"}


def _everything_allowed(module_name: str) -> bool:
    return True


class PackageImporter(PackageLoader, Importer):
    """An open package. **Loading a package runs its code**: open only packages you trust.

    Code is imported from the package, and from the host only where the package lists a module as
    external. Modules are called ``<torch_package_0>.name`` and stand in ``sys.modules`` under that
    name until `close`.

    Args:
        file_or_buffer: a path, a binary file object that can seek, a folder with the contents of
            a package, or a ``PyTorchFileReader``.
        module_allowed: which external modules the package may need.
        check_versions: warn where this host has other versions of installed distributions than the
            package was made with (`PackageVersionWarning`).
        public_key: require a signature made with the private key to this: an Ed25519 key of
            ``cryptography``, its 32 bytes, or PEM text.
        verify: compare all contents with the package's list of SHA-256 sums, if it has one, before
            anything else.

    Raises:
        ImportError: the package needs a module that is not allowed, or is inconsistent.
        UntrustedPackageError: contents differ from the list, or the signature is not right.

    >>> import io
    >>> from rushlight.package import PackageExporter, PackageImporter
    >>> file = io.BytesIO()
    >>> with PackageExporter(file) as exporter:
    ...     exporter.save_source_string("greet", "def hello(name): return 'hello ' + name")
    >>> _ = file.seek(0)
    >>> with PackageImporter(file) as importer:
    ...     importer.import_module("greet").hello("world")
    'hello world'
    """

    modules: dict[str, ModuleType]

    def __init__(
        self,
        file_or_buffer: Any,
        module_allowed: Callable[[str], bool] = _everything_allowed,
        *,
        check_versions: bool = True,
        public_key: Any = None,
        verify: bool = True,
        _parent: str | None = None,
    ) -> None:
        self.zip_reader: RecordReader = open_reader(file_or_buffer)
        self.filename = _name_of(file_or_buffer)
        self.record_names: list[str] = list(self.zip_reader.get_all_records())
        check_record_names(self.record_names, self.filename)
        if verify or public_key is not None:
            verify_contents(self.zip_reader, self.filename, public_key)
        self.metadata: PackageMetadata = read_metadata(self.zip_reader, self.filename)
        self.extern_modules = list(self.metadata.extern_modules)
        for name in self.metadata.host_modules:
            if not module_allowed(name):
                raise ImportError(
                    f"the package {self.filename!r} needs the external module {name!r}, which is "
                    "not allowed here",
                    name=name,
                )
        if check_versions:
            differences = lock_differences(self.metadata.distributions)
            warn_of_differences(self.filename, differences, stacklevel=2)
        self.module_tree = ModuleTree(self.record_names, self.extern_modules)
        self._parent = _parent or mangling.new_parent()
        self.source = file_or_buffer
        self.modules = {"torch_package_importer": self}  # type: ignore[dict-item]
        self.patched_builtins = {**vars(builtins), "__import__": self.__import__}
        self._closed = False
        finder.register(self)
        spawn.announce(self)

    def __enter__(self) -> PackageImporter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Takes the package's modules out of ``sys.modules``.

        Objects that were loaded stay usable; nothing more can be imported or loaded.
        """
        self._closed = True
        finder.unregister(self)
        spawn.withdraw(self)
        self.forget_lines()
        self.modules.clear()

    def id(self) -> str:
        """The prefix of the package's module names, such as ``<torch_package_0>``."""
        return self._parent

    def python_version(self) -> str | None:
        """The version of Python that made the package, such as ``"3.12.1"``, if it says so."""
        return self.metadata.python_version

    def file_structure(
        self, *, include: GlobPattern = "**", exclude: GlobPattern = ()
    ) -> Directory:
        """The package's files as a tree that prints.

        Args:
            include: patterns of paths to show.
            exclude: patterns of paths to leave out.
        """
        return directory_of(self.filename, self.record_names, include, exclude)

    # Modules

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """The module ``name`` of the package, or an external one.

        Args:
            name: dotted name, mangled or not; with leading dots relative to ``package``.
            package: what a relative name starts from.

        Raises:
            ModuleNotFoundError: the package has no such module, and does not list it as external.
        """
        if name.startswith("."):
            if not package:
                raise TypeError(f"a package is needed for the relative name {name!r}")
            name = resolve_name(name, package)
        if not name:
            raise ValueError("empty module name")
        return self._import(self._demangle(name))

    def has_module(self, module_name: str) -> bool:
        name, meaning = self.meaning_of(module_name)
        if meaning == "own":
            return True
        return meaning == "host" and super().has_module(name)

    def find_source(self, module_name: str) -> ModuleSource:
        name, meaning = self.meaning_of(module_name)
        node = self.module_tree.find(name) if meaning == "own" else None
        if node is None or name == "torch_package_importer":
            return super().find_source(module_name)
        if node.source_file is None:
            return ModuleSource(name, is_package=True, is_namespace=True)
        filename = self.mangled(node.source_file)
        return ModuleSource(name, filename, node.is_package, self.get_source(name))

    def meaning_of(self, module_name: str) -> tuple[str, Literal["own", "host", "absent"]]:
        """A name without mangling, and whose module it is here."""
        name = self._demangle(module_name)
        if name == "torch_package_importer":
            return name, "own"
        node = self.module_tree.find(name)
        if node is not None:
            return name, "host" if node.is_extern else "own"
        top = ".".join(name.split(".")[:2])
        return name, "host" if name in _ALWAYS_ALLOWED or top in _RENAMED else "absent"

    def mangled(self, name: str) -> str:
        """The name that a module or file of this package has outside."""
        return f"{self._parent}.{name}" if name else self._parent

    def host_module(self, name: str) -> ModuleType:
        """A module of the host, seen as packages see it."""
        if name not in self.modules:
            self.modules[name] = view_of(name, self) if name in VIEWED else _import_host(name)
        return self.modules[name]

    def _demangle(self, name: str) -> str:
        parent, rest = mangling.split(name)
        return rest if parent == self._parent else name

    def _import(self, name: str) -> ModuleType:
        if self._closed:
            raise ImportError(f"the package {self.filename!r} has been closed", name=name)
        name, meaning = self.meaning_of(name)
        if name == "torch_package_importer":
            return self.modules[name]
        if meaning == "absent":
            raise ModuleNotFoundError(
                f"No module named {name!r} in the package {self.filename!r}, which does not list "
                f"it as external either; external are {', '.join(self.extern_modules) or 'none'}",
                name=name,
            )
        parent, _, last = name.rpartition(".")
        if meaning == "own":
            module = importlib.import_module(self.mangled(name))
            self.modules[name] = module
        else:
            module = self.host_module(name)
            if parent and self.meaning_of(parent)[1] == "own":
                setattr(self._import(parent), last, module)
        return module

    def __import__(
        self,
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: Iterable[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What ``import`` statements of packaged code call."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a module is a str, got {type(name).__name__}")
        if level < 0 or (level == 0 and not name):
            raise ValueError(f"no module can be meant by the name {name!r} at level {level}")
        full = self._demangle(name)
        if level:
            package = self._demangle(_package_of(globals or {}))
            if package in ("", self._parent):
                raise ImportError("attempted relative import with no known parent package")
            full = resolve_name("." * level + name, package)
        module = self._import(full)
        if fromlist:
            return self._with_submodules(module, full, fromlist)
        if level == 0:
            return self._import(full.partition(".")[0])
        return self._import(full[: len(full) - len(name) + len(name.partition(".")[0])])

    def _with_submodules(
        self, module: ModuleType, name: str, fromlist: Iterable[str]
    ) -> ModuleType:
        """``module``, with those submodules imported that ``fromlist`` asks for."""
        if not hasattr(module, "__path__"):
            return module
        for item in fromlist:
            if not isinstance(item, str):
                raise TypeError(f"names to import are of type str, got {type(item).__name__}")
            if item == "*":
                everything = getattr(module, "__all__", ())
                self._with_submodules(module, name, [x for x in everything if x != "*"])
            elif not hasattr(module, item):
                submodule = f"{name}.{item}"
                try:
                    self._import(submodule)
                except ModuleNotFoundError as error:
                    # `from` then says that the name is missing, as for any attribute.
                    if error.name not in (submodule, self.mangled(submodule)):
                        raise
        return module

    # Objects and data

    def load_pickle(self, package: str, resource: str, map_location: Any = None) -> Any:
        """An object that ``save_pickle`` stored.

        Args:
            package: dotted name of the package the file is in.
            resource: name of the file.
            map_location: where tensors go, as in ``load``.
        """
        return load_pickle(self, self._record(package, resource), map_location)

    def load_text(
        self, package: str, resource: str, encoding: str = "utf-8", errors: str = "strict"
    ) -> str:
        """Text that ``save_text`` stored."""
        return self.load_binary(package, resource).decode(encoding, errors)

    def load_binary(self, package: str, resource: str) -> bytes:
        """Bytes that ``save_binary`` stored."""
        return bytes(self.zip_reader.get_record(self._record(package, resource)))

    def _record(self, package: Any, resource: str) -> str:
        named = getattr(package, "__name__", package)
        name, meaning = self.meaning_of(named)
        if meaning != "own":
            raise ModuleNotFoundError(
                f"there is no package {name!r} in {self.filename!r}", name=name
            )
        node = self.module_tree.find(name)
        if node is None or not node.is_package:
            raise TypeError(f"{name!r} is a module, not a package, so nothing is in it")
        return resource_path(name, resource)


def _package_of(globals: dict[str, Any]) -> str:
    package = globals.get("__package__")
    if isinstance(package, str):
        return package
    spec = globals.get("__spec__")
    if spec is not None and isinstance(spec.parent, str):
        parent: str = spec.parent
        return parent
    name = str(globals.get("__name__", ""))
    return name if "__path__" in globals else name.rpartition(".")[0]


def _import_host(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        for old, new in _RENAMED.items():
            if name == old or name.startswith(old + "."):
                return importlib.import_module(new + name.removeprefix(old))
        raise


def _name_of(file_or_buffer: Any) -> str:
    if isinstance(file_or_buffer, (str, os.PathLike)):
        return os.fspath(file_or_buffer)
    return "<reader>" if isinstance(file_or_buffer, PyTorchFileReader) else "<binary>"
