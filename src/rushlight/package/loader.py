"""Makes modules from records: the loader in the specs of packaged modules."""

from __future__ import annotations

import importlib.util
import linecache
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from .containers import RecordReader
from .mangling import split
from .module_tree import ModuleTree, Node
from .resources import PackageResourceReader


class PackageLoader:
    """The part of `PackageImporter` that Python's import system talks to (PEP 302, PEP 451)."""

    filename: str
    zip_reader: RecordReader
    module_tree: ModuleTree
    record_names: Sequence[str]
    patched_builtins: dict[str, Any]

    def mangled(self, name: str) -> str:
        """The name that a module or file of this package has outside."""
        raise NotImplementedError

    def spec_of(self, name: str) -> ModuleSpec | None:
        """The spec of a module; None if the package has no such module."""
        if not name:  # the parent of all: Python imports it before any other
            return self._spec(name, is_package=True)
        node = self.module_tree.find(name)
        if node is None or node.is_extern:
            return None
        return self._spec(name, node.is_package)

    def _spec(self, name: str, is_package: bool) -> ModuleSpec:
        full = self.mangled(name)
        spec = ModuleSpec(
            full,
            self,  # type: ignore[arg-type] # typeshed wants its own base class
            origin="<package_importer>",
            is_package=is_package,
        )
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(full)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """None: an ordinary module will do."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module's code."""
        node = self._node(module.__name__)
        namespace = vars(module)
        namespace["__builtins__"] = self.patched_builtins
        namespace["__torch_package__"] = True
        namespace["__cached__"] = None
        namespace["__file__"] = None
        if node is not None and node.source_file is not None:
            filename = namespace["__file__"] = self.mangled(node.source_file)
            linecache.lazycache(filename, namespace)
            exec(self._compile(node.source_file), namespace)

    def get_source(self, module_name: str) -> str:
        """The source code of a module; ``ImportError`` if it has none."""
        node = self._node(module_name)
        if node is None or node.source_file is None:
            raise ImportError(
                f"there is no source of {module_name!r} in {self.filename!r}", name=module_name
            )
        return importlib.util.decode_source(bytes(self.zip_reader.get_record(node.source_file)))

    def get_code(self, module_name: str) -> CodeType | None:
        """The compiled code of a module; None for a folder without any."""
        node = self._node(module_name)
        if node is None or node.source_file is None:
            return None
        return self._compile(node.source_file)

    def is_package(self, module_name: str) -> bool:
        """Whether a module may have submodules."""
        node = self._node(module_name)
        return node is None or node.is_package

    def get_filename(self, module_name: str) -> str:
        """The module's ``__file__``."""
        node = self._node(module_name)
        if node is None or node.source_file is None:
            raise ImportError(f"{module_name!r} has no file", name=module_name)
        return self.mangled(node.source_file)

    def get_data(self, path: str) -> bytes:
        """The bytes at a path that starts with a module's folder; for ``pkgutil.get_data``."""
        record = split(path.replace("\\", "/"))[1]
        if not self.zip_reader.has_record(record):
            raise FileNotFoundError(f"there is no file {path!r} in {self.filename!r}")
        return bytes(self.zip_reader.get_record(record))

    def get_resource_reader(self, fullname: str) -> PackageResourceReader | None:
        """The files of a package, for ``importlib.resources``; None for a plain module."""
        name = split(fullname)[1]
        node = self._node(fullname)
        if node is None or not node.is_package:
            return None
        return PackageResourceReader(self, name.replace(".", "/"))  # type: ignore[arg-type]

    def forget_lines(self) -> None:
        """Drops what ``linecache`` keeps for tracebacks."""
        for record in self.record_names:
            linecache.cache.pop(self.mangled(record), None)

    def _node(self, module_name: str) -> Node | None:
        name = split(module_name)[1]
        if not name:
            return None
        node = self.module_tree.find(name)
        if node is None or node.is_extern:
            raise ImportError(f"there is no module {name!r} in {self.filename!r}", name=module_name)
        return node

    def _compile(self, record: str) -> CodeType:
        source = bytes(self.zip_reader.get_record(record))
        code: CodeType = compile(source, self.mangled(record), "exec", dont_inherit=True)
        return code
