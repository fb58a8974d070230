"""Finds all modules that a package needs, and what happens to each: fills the dependency graph."""

from __future__ import annotations

import ast
import sys
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .digraph import DiGraph
from .errors import UnresolvedImportWarning
from .find_file_dependencies import Import, find_imports
from .importer import Importer
from .mangling import demangle
from .packaging_error import PackagingErrorReason as Reason
from .packaging_error import suggest_pattern
from .patterns import Action, Patterns
from .sources import ModuleSource

# Modules of the standard library that need a pattern, as in PyTorch: they reach deep into the host.
NOT_IMPLICIT = frozenset({"sys", "io"})

# Provided by importers (`torch_package_importer`) or written by exporters (`_mock`).
_PROVIDED = frozenset({"torch_package_importer", "_mock"})


@dataclass(frozen=True)
class UnresolvedImport:
    """An import in packaged code that was not found when the package was made."""

    #: None for a dynamic import whose name is not a constant.
    module: str | None
    filename: str
    line: int
    statement: str
    #: Inside a ``try`` that catches ImportError: the code copes without the module.
    guarded: bool

    def __str__(self) -> str:
        text = f"{self.filename}, line {self.line}: {self.statement}"
        if self.module is None:
            return f"{text} (computes the name: save what it may be with save_module)"
        if self.guarded:
            return f"{text} (inside try: the code copes)"
        return f"{text} (write {suggest_pattern(self.module, Reason.MODULE_NOT_FOUND)})"


class Collector:
    """The modules of one package.

    Args:
        importer: the world that names are looked up in.
        parents: intern the parents of interned modules, too, where a pattern interns them, because
            Python runs them first.
    """

    def __init__(self, importer: Importer, parents: bool) -> None:
        self.graph = DiGraph()
        self.patterns = Patterns()
        self.unresolved: list[UnresolvedImport] = []
        #: What to do with modules that no pattern matches.
        self.otherwise: Callable[[str], Action | None] = lambda name: None
        self._importer = importer
        self._parents = parents
        self._exists: dict[str, bool] = {}
        self._star: dict[str, list[str]] = {}
        self._waiting: deque[Callable[[], None]] = deque()

    def is_implicit_extern(self, name: str) -> bool:
        """Whether a module is external without a pattern."""
        top = name.partition(".")[0]
        return top in ("torch", "rushlight") or (
            top in sys.stdlib_module_names and top not in NOT_IMPLICIT
        )

    def action_for(self, name: str) -> Action | None:
        """What the rules say about a module."""
        if name in _PROVIDED:
            return Action.SKIP
        if self.is_implicit_extern(name):
            return Action.EXTERN
        return self.patterns.match(name) or self.otherwise(name)

    def add_source(self, source: ModuleSource, dependencies: bool) -> None:
        """Interns a module whose source the caller has."""
        self._provide(source)
        if dependencies:
            self._waiting.append(lambda: self._search(source))
        self._work()

    def add_module(self, name: str, dependencies: bool) -> None:
        """Interns a module of the importer, whatever the patterns say."""
        self._intern(name, dependencies)
        self._work()

    def add_dependency(self, name: str, dependencies: bool) -> None:
        """Does with a module what the patterns say."""
        self._depend(name, dependencies)
        self._work()

    def _work(self) -> None:
        # A queue, not recursion: chains of imports are longer than Python's stack.
        while self._waiting:
            self._waiting.popleft()()

    def _depend(self, name: str, dependencies: bool = True) -> None:
        if self.graph.nodes.get(name, {}).get("provided"):
            return
        action = self.action_for(name)
        if action is None:
            found = self._has(name)
            reason = Reason.NO_ACTION if found else Reason.MODULE_NOT_FOUND
            self.graph.add_node(name, error=reason)
            return
        self.graph.add_node(name, action=action, provided=True)
        if action is Action.DENY:
            self.graph.add_node(name, error=Reason.DENIED)
        elif action is Action.INTERN:
            self._waiting.append(lambda: self._intern(name, dependencies))

    def _intern(self, name: str, dependencies: bool) -> None:
        source = self._importer.find_source(name)
        name = demangle(name)
        problem = None
        if source.is_extension:
            problem = Reason.IS_EXTENSION_MODULE
        elif source.text is None and not source.is_namespace:
            problem = Reason.NO_DUNDER_FILE if source.filename is None else None
            problem = problem or Reason.SOURCE_FILE_NOT_FOUND
        source = ModuleSource(
            name, source.filename, source.is_package, source.text, source.folders,
            source.is_namespace,
        )  # fmt: skip
        self._provide(source)
        if problem is not None:
            file = f"file: {source.filename}" if source.filename else None
            self.graph.add_node(name, error=problem, error_context=file)
            return
        if self._parents:
            self._intern_parents(name)
        if dependencies and source.text is not None:
            self._search(source)

    def _provide(self, source: ModuleSource) -> None:
        self.graph.add_node(
            source.name,
            action=Action.INTERN,
            provided=True,
            source=source.text,
            is_package=source.is_package,
            filename=source.filename,
            folders=source.folders,
            error=None,
        )

    def _intern_parents(self, name: str) -> None:
        parent = name.rpartition(".")[0]
        if not parent or self.action_for_quietly(parent) is not Action.INTERN:
            return
        if self._has(parent):
            self.graph.add_edge(name, parent, where=f"{name}, whose parent it is")
            self._depend(parent)

    def action_for_quietly(self, name: str) -> Action | None:
        """As `action_for`; the pattern does not count as used."""
        if self.is_implicit_extern(name):
            return Action.EXTERN
        return self.patterns.match(name, count=False) or self.otherwise(name)

    def _search(self, source: ModuleSource) -> None:
        """Adds what the source imports."""
        package = source.name if source.is_package else source.name.rpartition(".")[0]
        filename = source.filename or f"<{source.name}>"
        try:
            imports = find_imports(source.text or "", package, filename)
        except Exception as error:  # any way in which a file may not be Python
            self.graph.add_node(
                source.name,
                error=Reason.DEPENDENCY_RESOLUTION_FAILED,
                error_context=f"{filename}: {type(error).__name__}: {error}",
            )
            return
        for item in imports:
            where = f"{filename}, line {item.line}: {item.statement}"
            for target in self._targets(item, filename):
                self.graph.add_edge(source.name, target, where=where)
                self._depend(target)

    def _targets(self, item: Import, filename: str) -> list[str]:
        """The modules that one import needs; notes it where they are not to be found."""
        if item.module is None:
            self._note(item, filename)
            return []
        if item.name not in (None, "*"):
            submodule = f"{item.module}.{item.name}"
            if self._has(submodule):
                return [submodule]
        if not self._has(item.module):
            # Patterns may settle what is not installed here.
            if self.action_for_quietly(item.module) in (Action.EXTERN, Action.MOCK, Action.DENY):
                return [item.module]
            if item.guarded or item.deferred:
                self._note(item, filename)
                return []
            return [item.module]
        found = [item.module]
        if item.name == "*":
            found += self._submodules_in_all(item.module)
        return found

    def _submodules_in_all(self, package: str) -> list[str]:
        """Submodules that ``from package import *`` imports, because ``__all__`` names them."""
        if self.action_for_quietly(package) not in (Action.INTERN, None):
            return []
        if package not in self._star:
            self._star[package] = self._search_all(package)
        return self._star[package]

    def _search_all(self, package: str) -> list[str]:
        try:
            source = self._importer.find_source(package)
            tree = ast.parse(source.text or "" if source.is_package else "")
        except (ImportError, SyntaxError, ValueError, RecursionError, MemoryError):
            return []
        names: list[str] = []
        for node in tree.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                names += [
                    leaf.value
                    for leaf in ast.walk(node.value)
                    if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
                ]
        return [f"{package}.{name}" for name in names if self._has(f"{package}.{name}")]

    def _has(self, name: str) -> bool:
        if self.graph.nodes.get(name, {}).get("provided") or name in _PROVIDED:
            return True
        if name.partition(".")[0] == "torch" and "." not in name:
            return True
        if name not in self._exists:
            self._exists[name] = self._importer.has_module(name)
        return self._exists[name]

    def _note(self, item: Import, filename: str) -> None:
        found = UnresolvedImport(item.module, filename, item.line, item.statement, item.guarded)
        if found not in self.unresolved:
            self.unresolved.append(found)

    def settle(self) -> None:
        """Forgets modules as missing that were provided after something asked for them."""
        for name, attributes in self.graph.nodes.items():
            if attributes.get("error") is Reason.MODULE_NOT_FOUND and self._is_provided(name):
                attributes.update(error=None, action=Action.SKIP)
        self.unresolved = [
            item for item in self.unresolved if not (item.module and self._is_provided(item.module))
        ]

    def _is_provided(self, name: str) -> bool:
        if self.graph.nodes.get(name, {}).get("provided"):
            return True
        return any(
            node.startswith(name + ".") and attributes.get("provided")
            for node, attributes in self.graph.nodes.items()
        )

    def warn_of_unresolved(self, stacklevel: int) -> None:
        """Lists the imports that will fail if they run, in one warning."""
        missing = [str(item) for item in self.unresolved if item.module and not item.guarded]
        if missing:
            warnings.warn(
                "the package has code that imports what is not installed here:\n    "
                + "\n    ".join(missing),
                UnresolvedImportWarning,
                stacklevel=stacklevel + 1,
            )

    def modules_with(self, action: Action) -> list[str]:
        """Names of the modules that something happens to, sorted."""
        return sorted(
            name
            for name, attributes in self.graph.nodes.items()
            if attributes.get("action") is action and not attributes.get("is_pickle")
        )

    def fail(self, name: str, reason: Reason, context: str, **attributes: Any) -> None:
        """Makes a module an error of the export."""
        self.graph.add_node(name, error=reason, error_context=context, **attributes)
