"""The imports of a source file, found in its syntax tree.

Found are ``import`` and ``from`` statements at any depth, and calls of ``__import__`` and
``importlib.import_module`` (also under other names) with constant arguments. Blocks under
``TYPE_CHECKING`` never run and are skipped.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import resolve_name


@dataclass(frozen=True)
class Import:
    """One module that a source file asks for."""

    #: None for a dynamic import whose name is not a constant.
    module: str | None
    #: What is taken from the module: a submodule or an attribute; ``"*"`` for all.
    name: str | None
    line: int
    #: The statement, as one line of text.
    statement: str
    #: Inside a ``try`` that catches ImportError: the code copes without the module.
    guarded: bool = False
    #: Inside a function, a branch or a handler: the import need not run with the module.
    deferred: bool = False


def find_imports(source: str, package: str, filename: str = "<source>") -> list[Import]:
    """All imports of ``source``, in the order of its lines.

    Args:
        source: Python source code.
        package: what relative imports start from: the name of the package itself or of the
            module's parent; empty for modules at the top.
        filename: what a ``SyntaxError`` says.

    Raises:
        SyntaxError: this is not Python.
        ImportError: a relative import leaves the outermost package.
    """
    tree = ast.parse(source, filename)
    # Calls matter only where one of these names stands; most files are searched much faster.
    calls = "import_module" in source or "__import__" in source
    names = _importing_names(tree) if calls else _Names(set(), set())
    found: list[Import] = []
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while waiting:  # not recursive: a hostile source nests deeper than the stack
        node, guarded, deferred = waiting.pop()
        if not (calls or isinstance(node, _HOLDS_STATEMENTS)):
            continue
        for item in _imports_of(node, package, names):
            found.append(replace(item, guarded=guarded, deferred=deferred))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += [(child, guarded, True) for child in ast.iter_child_nodes(node)]
        elif isinstance(node, ast.If):
            sure = _truth(node.test) is not None
            waiting += [(child, guarded, deferred or not sure) for child in _running_parts(node)]
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            copes = _catches_import_errors(node)
            body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
            inside = {id(child) for child in body}
            for child in ast.iter_child_nodes(node):
                later = deferred or isinstance(child, ast.ExceptHandler)
                waiting.append((child, guarded or (copes and id(child) in inside), later))
        else:
            waiting += [(child, guarded, deferred) for child in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda item: item.line)


def find_files_source_depends_on(source: str, package: str) -> list[tuple[str, str | None]]:
    """Pairs of module and taken name (None for the module as a whole), each once."""
    pairs: dict[tuple[str, str | None], None] = {}
    for item in find_imports(source, package):
        if item.module is not None:
            pairs[item.module, None if item.name == "*" else item.name] = None
    return list(pairs)


_HOLDS_STATEMENTS = (ast.mod, ast.stmt, ast.ExceptHandler, ast.match_case)


def _imports_of(node: ast.AST, package: str, names: _Names) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _import(node, alias.name, None)
    elif isinstance(node, ast.ImportFrom):
        module = _absolute(node.module or "", node.level, package)
        for alias in node.names:
            yield _import(node, module, alias.name)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "__import__":
            yield from _of_dunder_import(node, package)
        elif names.is_import_module(node.func):
            yield _of_import_module(node, package)


def _import(node: ast.expr | ast.stmt, module: str | None, name: str | None) -> Import:
    return Import(module, name, node.lineno, " ".join(ast.unparse(node).split()))


def _absolute(name: str, level: int, package: str) -> str:
    if level == 0:
        return name
    if not package:
        raise ImportError(f"'{'.' * level}{name}': a relative import, but there is no package")
    return resolve_name("." * level + name, package)


def _of_dunder_import(call: ast.Call, package: str) -> Iterator[Import]:
    given: dict[str, ast.expr] = dict(
        zip(("name", "globals", "locals", "fromlist", "level"), call.args, strict=False)
    )
    given.update({word.arg: word.value for word in call.keywords if word.arg is not None})
    name = _constant(given.get("name"))
    level = _constant(given.get("level", ast.Constant(0)))
    if not isinstance(name, str) or not isinstance(level, int) or not (name or level):
        yield _import(call, None, None)
        return
    module = _absolute(name, level, package)
    taken = _constant(given.get("fromlist", ast.Constant(None)))
    attributes: list[str | None] = []
    if isinstance(taken, (list, tuple)):
        attributes += [item for item in taken if isinstance(item, str)]
    for attribute in attributes or [None]:
        yield _import(call, module, attribute)


def _of_import_module(call: ast.Call, package: str) -> Import:
    given: dict[str, ast.expr] = dict(zip(("name", "package"), call.args, strict=False))
    given.update({word.arg: word.value for word in call.keywords if word.arg is not None})
    name = _constant(given.get("name"))
    if not isinstance(name, str) or not name:
        return _import(call, None, None)
    level = len(name) - len(name.lstrip("."))
    if level:
        anchor = given.get("package")
        if isinstance(anchor, ast.Constant) and isinstance(anchor.value, str):
            package = anchor.value
        elif not (isinstance(anchor, ast.Name) and anchor.id in ("__package__", "__name__")):
            return _import(call, None, None)
    return _import(call, _absolute(name[level:], level, package), None)


def _constant(node: ast.expr | None) -> object:
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


@dataclass
class _Names:
    """What a file calls ``importlib`` and ``import_module``."""

    modules: set[str]
    functions: set[str]

    def is_import_module(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name):
            return function.id in self.functions
        return (
            isinstance(function, ast.Attribute)
            and function.attr == "import_module"
            and isinstance(function.value, ast.Name)
            and function.value.id in self.modules
        )


def _importing_names(tree: ast.AST) -> _Names:
    names = _Names({"importlib"}, set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = (item.asname for item in node.names if item.name == "importlib")
            names.modules.update(name for name in found if name is not None)
        elif isinstance(node, ast.ImportFrom) and node.module == "importlib":
            wanted = (item for item in node.names if item.name == "import_module")
            names.functions.update(item.asname or item.name for item in wanted)
    return names


def _running_parts(node: ast.If) -> Iterable[ast.AST]:
    """The test and the branches of an ``if`` that can run."""
    holds = _truth(node.test)
    yield node.test
    if holds is not False:
        yield from node.body
    if holds is not True:
        yield from node.orelse


def _truth(test: ast.expr) -> bool | None:
    """What a condition is when code runs; None if that is not known beforehand."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
        return False
    if isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING":
        return False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        decisive = isinstance(test.op, ast.Or)  # one True makes `or` true, one False `and` false
        values = [_truth(value) for value in test.values]
        if decisive in values:
            return decisive
        return None if None in values else not decisive
    return None


def _catches_import_errors(node: ast.AST) -> bool:
    broad = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    for handler in node.handlers:  # type: ignore[attr-defined]
        if handler.type is None:
            return True
        for kind in ast.walk(handler.type):
            if isinstance(kind, ast.Name) and kind.id in broad:
                return True
            if isinstance(kind, ast.Attribute) and kind.attr in broad:
                return True
    return False
