"""Makes packages: code, objects and data in one file that runs elsewhere."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

from rushlight.serialization import PyTorchFileWriter

from . import metadata, origins, signing
from .collector import Collector, UnresolvedImport
from .containers import check_record_names, resource_path
from .data_files import find_data_files
from .digraph import DiGraph
from .glob_group import GlobPattern
from .hooks import Hooks, RemovableHandle
from .importer import Importer, OrderedImporter, sys_importer
from .mangling import is_mangled
from .packaging_error import PackagingError, PackagingErrorReason
from .patterns import Action, EmptyMatchError
from .pickle_globals import find_globals
from .pickling import PackagePickler
from .records import ARRAY_MODULE, RecordStore
from .sources import ModuleSource

__all__ = ["EmptyMatchError", "PackageExporter", "PackagingError", "PackagingErrorReason"]

_MOCKED_SOURCE = '''\
"""This module was mocked when the package was made."""

from _mock import MockedObject


def __getattr__(name):
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    return MockedObject(__name__ + "." + name, _suppress_err=True)
'''


class PackageExporter:
    """Writes a package: code and pickled objects, with the code that both need.

    Each module that something needs is *interned* (its source is put into the package), *external*
    (imported from the host that loads the package), *mocked* (replaced by a stand-in) or *denied*.
    Patterns say which; the first that matches wins. The standard library (but for ``sys`` and
    ``io``), ``torch`` and ``rushlight`` are external without a pattern.

    The file appears when the exporter is closed, and not if an exception leaves the ``with`` block.

    Args:
        f: a path or a binary file object.
        importer: where modules are looked up: an importer, or several in order. To save objects
            that came from another package, give its `PackageImporter` before ``sys_importer``.
        debug: errors also show how each module was reached.
        parents: intern the parents of interned modules where a pattern interns them, as Python
            imports them first. PyTorch leaves them out unless something imports them by name.
        data_files: take along files in the folders of interned packages that are not code.
        sign_with: an Ed25519 private key: of ``cryptography``, its 32 bytes, or PEM text.
        checksums: list the SHA-256 sums of all contents; always so when signing.

    >>> import io, json
    >>> with PackageExporter(io.BytesIO()) as exporter:
    ...     exporter.intern("mymodel.**")
    ...     exporter.save_text("config", "sizes.json", json.dumps([1, 2]))
    """

    def __init__(
        self,
        f: Any,
        importer: Importer | Sequence[Importer] = sys_importer,
        debug: bool = False,
        *,
        parents: bool = True,
        data_files: bool = True,
        sign_with: Any = None,
        checksums: bool = False,
    ) -> None:
        if not isinstance(importer, Importer):
            if not isinstance(importer, Sequence):
                raise TypeError(
                    "importer: expected an Importer or a sequence of them, got "
                    f"{type(importer).__name__}"
                )
            importer = OrderedImporter(*importer)
        self.importer = importer
        self.debug = debug
        self.buffer = None if isinstance(f, (str, os.PathLike)) else f
        self.zip_file: PyTorchFileWriter | None = PyTorchFileWriter(f)
        self.zip_file.set_min_version(6)  # what PyTorch's importer expects of packages
        self._collector = Collector(importer, parents)
        self._records = RecordStore(self)
        self._written: dict[str, str | None] = {}  # names, with checksums where wanted
        self._data_files = data_files
        self._sign_with = sign_with
        self._checksums = checksums or sign_with is not None
        self._hooks = {action: Hooks() for action in (Action.INTERN, Action.EXTERN, Action.MOCK)}
        self._unique_id = 0
        self._stand_ins: set[str] = set()
        self._has_arrays = False
        self._closed = False

    # What to do with modules

    def intern(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Modules that match are put into the package, and what they need is looked at in turn.

        Args:
            include: patterns as for `GlobGroup`.
            exclude: patterns of modules that this does not apply to.
            allow_empty: whether it is fine if nothing matches; otherwise `close` raises
                `EmptyMatchError`.

        Raises:
            PatternConflictError: earlier patterns leave nothing to this one.
        """
        self._collector.patterns.add(Action.INTERN, include, exclude, allow_empty)

    def extern(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Modules that match are imported from the host that loads the package; see `intern`."""
        self._collector.patterns.add(Action.EXTERN, include, exclude, allow_empty)

    def mock(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Modules that match are replaced by ones whose contents fail when used; see `intern`."""
        self._collector.patterns.add(Action.MOCK, include, exclude, allow_empty)

    def deny(self, include: GlobPattern, *, exclude: GlobPattern = ()) -> None:
        """Modules that match make the export fail; see `intern`."""
        self._collector.patterns.add(Action.DENY, include, exclude)

    def decide_by_origin(self) -> None:
        """What no pattern matches is external if it is installed or of the standard library, and
        interned if it is your own code: what lies in no folder for installed packages."""
        self._collector.otherwise = _action_by_origin

    def register_intern_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """``hook(exporter, module_name)`` is called for each interned module at `close`."""
        return self._hooks[Action.INTERN].register(hook)

    def register_extern_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """``hook(exporter, module_name)`` is called for each external module at `close`."""
        return self._hooks[Action.EXTERN].register(hook)

    def register_mock_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """``hook(exporter, module_name)`` is called for each mocked module at `close`."""
        return self._hooks[Action.MOCK].register(hook)

    # What to save

    def save_module(self, module_name: str, dependencies: bool = True) -> None:
        """Puts a module's source into the package.

        Args:
            module_name: dotted name; looked up in the importer.
            dependencies: also look at what the module imports.

        Raises:
            ModuleNotFoundError: there is no such module.
        """
        if not isinstance(module_name, str):
            raise TypeError(
                f"save_module takes the name of a module, got {type(module_name).__name__}"
            )
        self._collector.add_module(module_name, dependencies)

    def save_source_file(
        self, module_name: str, file_or_directory: str, dependencies: bool = True
    ) -> None:
        """Puts a source file, or all those of a folder, into the package.

        Args:
            module_name: what the file or folder is called in the package.
            file_or_directory: its path; ``__init__.py`` makes a package.
            dependencies: also look at what the code imports.
        """
        path = Path(file_or_directory)
        if not path.is_dir():
            self._save_file(module_name, path, dependencies)
            return
        found = []
        for file in sorted(path.rglob("*.py")):
            parts = list(file.relative_to(path).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found.append((".".join([module_name, *parts]), file))
        # All are provided before any is searched, so that none is looked up elsewhere.
        for name, file in found:
            self._save_file(name, file, dependencies=False)
        if dependencies:
            for name, file in found:
                self._save_file(name, file, dependencies)

    def _save_file(self, module_name: str, file: Path, dependencies: bool) -> None:
        text = file.read_text(encoding="utf-8")
        source = ModuleSource(module_name, str(file), file.name == "__init__.py", text)
        self._collector.add_source(source, dependencies)

    def save_source_string(
        self, module_name: str, src: str, is_package: bool = False, dependencies: bool = True
    ) -> None:
        """Puts source code into the package.

        Args:
            module_name: dotted name of the module.
            src: Python source code.
            is_package: whether the module may have submodules and resources.
            dependencies: also look at what the code imports.
        """
        source = ModuleSource(module_name, None, is_package, src)
        self._collector.add_source(source, dependencies)

    def save_pickle(
        self,
        package: str,
        resource: str,
        obj: Any,
        dependencies: bool = True,
        pickle_protocol: int = 3,
    ) -> None:
        """Pickles an object into the package; the memory of tensors and arrays becomes records.

        Args:
            package: dotted name of the package that the file goes into.
            resource: name of the file.
            obj: what to save. Its class is found through the importer.
            dependencies: also look at the modules that loading it needs.
            pickle_protocol: 3 or 4.

        Raises:
            pickle.PicklingError: something is not found by its name, such as an object of another
                package whose importer was not given.
        """
        if pickle_protocol not in (3, 4):
            raise ValueError(f"pickle_protocol: expected 3 or 4, got {pickle_protocol}")
        pickler = PackagePickler(self.importer, self._records, pickle_protocol)
        data = pickler.dumps(obj)
        node = f"<{package}.{resource}>"
        self.dependency_graph.add_node(node, action=Action.INTERN, provided=True, is_pickle=True)
        self._stand_ins |= pickler.stand_ins
        if dependencies:
            self._add_pickle_dependencies(node, data, pickler)
        self.write_record(resource_path(package, resource), data)

    def _add_pickle_dependencies(self, node: str, data: bytes, pickler: PackagePickler) -> None:
        wanted: dict[str, list[str]] = {}
        for module, name in find_globals(data):
            wanted.setdefault(module, []).append(name)
        for module, names in wanted.items():
            where = f"{node}, which holds {', '.join(f'{module}.{name}' for name in names[:3])}"
            if module not in pickler.modules and module in pickler.stand_ins:
                continue  # only PyTorch's importer asks for it
            self.dependency_graph.add_edge(node, module, where=where)
            if self._collector.action_for_quietly(module) is Action.MOCK:
                self.dependency_graph.add_node(module, action=Action.MOCK, provided=True)
                self._collector.fail(module, PackagingErrorReason.MOCKED_BUT_STILL_USED, where)
            else:
                self._collector.add_dependency(module, True)

    def save_text(self, package: str, resource: str, text: str) -> None:
        """Puts text into the package, as UTF-8.

        Args:
            package: dotted name of the package that the file goes into.
            resource: name of the file.
            text: its contents.
        """
        self.save_binary(package, resource, text.encode("utf-8"))

    def save_binary(self, package: str, resource: str, binary: bytes) -> None:
        """Puts bytes into the package; see `save_text`."""
        self.write_record(resource_path(package, resource), binary)

    def add_dependency(self, module_name: str, dependencies: bool = True) -> None:
        """Does with a module what the patterns say, as if something imported it."""
        self._collector.add_dependency(module_name, dependencies)

    def get_unique_id(self) -> str:
        """A number as text that this package has not given before."""
        self._unique_id += 1
        return str(self._unique_id - 1)

    # What the package will be

    @property
    def dependency_graph(self) -> DiGraph:
        """What needs what; pickles are called ``<package.resource>``."""
        return self._collector.graph

    def dependency_graph_string(self) -> str:
        """The graph in the DOT language."""
        return self.dependency_graph.to_dot()

    def all_paths(self, src: str, dst: str) -> str:
        """All ways from one module to another, in the DOT language."""
        return self.dependency_graph.all_paths(src, dst)

    def get_rdeps(self, module_name: str) -> list[str]:
        """What needs a module directly."""
        graph = self.dependency_graph
        return list(graph.predecessors(module_name)) if module_name in graph else []

    def interned_modules(self) -> list[str]:
        """Modules whose code is in the package."""
        return self._collector.modules_with(Action.INTERN)

    def externed_modules(self) -> list[str]:
        """Modules that the host has to provide."""
        return self._collector.modules_with(Action.EXTERN)

    def mocked_modules(self) -> list[str]:
        """Modules that are replaced by stand-ins."""
        return self._collector.modules_with(Action.MOCK)

    def denied_modules(self) -> list[str]:
        """Modules that something needs and a pattern denies."""
        return self._collector.modules_with(Action.DENY)

    def unresolved_imports(self) -> list[UnresolvedImport]:
        """Imports of packaged code that lead nowhere on this machine, with file and line."""
        self._collector.settle()
        return list(self._collector.unresolved)

    # Writing

    def __enter__(self) -> PackageExporter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._closed = True
            self.zip_file = None  # a file that is not finished does not appear

    def close(self) -> None:
        """Writes the package.

        Raises:
            PackagingError: modules lack a pattern, are denied, have no source, or cannot be where
                the patterns put them. Lists all of them.
            EmptyMatchError: a pattern with ``allow_empty=False`` matched nothing.
        """
        if self._closed:
            raise RuntimeError("the package has been closed")
        self._closed = True
        try:
            self._check()
            self._write_modules()
            self._write_metadata()
        except BaseException:
            self.zip_file = None  # a file that is not finished does not appear
            raise
        self._writer().write_end_of_file()
        if self.buffer is not None and hasattr(self.buffer, "flush"):
            self.buffer.flush()
        self._collector.warn_of_unresolved(stacklevel=2)

    def _check(self) -> None:
        self._collector.settle()
        externs = [name + "." for name in self.externed_modules()]
        inside = [*self.interned_modules(), *self.mocked_modules()]
        for name in inside:
            parent = next((e for e in externs if name.startswith(e)), None)
            if parent is not None:
                self._collector.fail(
                    name,
                    PackagingErrorReason.EXTERN_PARENT,
                    f"{parent[:-1]} is external: make both external, or intern or mock the parent",
                )
        if any(attributes.get("error") for attributes in self.dependency_graph.nodes.values()):
            raise PackagingError(self.dependency_graph, self.debug)
        self._collector.patterns.check_all_used()

    def _write_modules(self) -> None:
        mocked = False
        for name, node in list(self.dependency_graph.nodes.items()):
            action = node.get("action")
            if action in self._hooks and not node.get("is_pickle"):
                self._hooks[action](self, name)
            if action is Action.MOCK:
                mocked = True
                self._write_source(name, _MOCKED_SOURCE, self._is_package(name))
            elif action is Action.INTERN and node.get("source") is not None:
                self._write_source(name, node["source"], node["is_package"])
            mocked = mocked or (action is Action.SKIP and name == "_mock")
        if self._data_files:
            self._write_data_files()
        if mocked:
            self._write_source("_mock", _own_source("mock_module.py"), False)

    def _write_source(self, name: str, source: str, is_package: bool) -> None:
        path = name.replace(".", "/") + ("/__init__.py" if is_package else ".py")
        self.write_record(path, source.encode("utf-8"))

    def _is_package(self, name: str) -> bool:
        if any(other.startswith(name + ".") for other in self.dependency_graph):
            return True
        try:
            return self.importer.find_source(name).is_package
        except Exception:  # mocks need not be installed
            return False

    def _write_data_files(self) -> None:
        for name in self.interned_modules():
            node = self.dependency_graph.nodes[name]
            for record, path in find_data_files(node.get("folders") or (), name):
                if record not in self._written:
                    self.write_record(record, path.read_bytes())

    def add_array_module(self) -> None:
        """Makes sure that the module is there which reads arrays."""
        if not self._has_arrays:
            self._has_arrays = True
            source = ModuleSource(ARRAY_MODULE, None, False, _own_source("array_module.py"))
            self._collector.add_source(source, dependencies=False)

    def _write_metadata(self) -> None:
        externs = [
            name
            for name, node in self.dependency_graph.nodes.items()
            if node.get("action") is Action.EXTERN
        ]
        for_pytorch = sorted(self._stand_ins - set(externs) - {ARRAY_MODULE})
        lines = "".join(f"{name}\n" for name in [*externs, *for_pytorch])
        self.write_record(metadata.EXTERN_MODULES, lines.encode())
        self.write_record(metadata.PYTHON_VERSION, platform.python_version().encode())
        lock = origins.format_lock(origins.distributions_of(externs))
        self.write_record(metadata.DISTRIBUTIONS, lock.encode())
        facts = {"format": metadata.FORMAT, "for_pytorch": for_pytorch}
        self.write_record(metadata.FACTS, json.dumps(facts).encode())
        if self._checksums:
            sums = {name: value for name, value in self._written.items() if value is not None}
            text = signing.format_sums(sums)
            self.write_record(signing.SUMS, text.encode())
            if self._sign_with is not None:
                self.write_record(signing.SIGNATURE, signing.sign(text, self._sign_with))

    def write_record(self, name: str, data: Any) -> None:
        """Puts bytes into the archive under a path of their own; ``ValueError`` if it is taken."""
        check_record_names([name], "the package")
        if is_mangled(name):
            raise ValueError(f"{name!r} is a name that only imported packages use")
        if name in self._written:
            raise ValueError(f"there is a file {name!r} in the package already")
        self._written[name] = signing.digest(data) if self._checksums else None
        self._writer().write_record(name, data)

    def _writer(self) -> PyTorchFileWriter:
        if self.zip_file is None:
            raise RuntimeError("the package was given up because of an earlier error")
        return self.zip_file


def _action_by_origin(name: str) -> Action | None:
    origin = origins.origin_of(name.partition(".")[0])
    if origin is origins.Origin.MISSING:
        return None
    return Action.INTERN if origin is origins.Origin.YOURS else Action.EXTERN


def _own_source(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
