"""The error of an export that cannot be: all that is wrong, where, and what to write."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Any

from .digraph import DiGraph


class PackagingErrorReason(Enum):
    """Why a module cannot be packaged."""

    IS_EXTENSION_MODULE = "compiled code cannot be interned; extern these modules"
    NO_DUNDER_FILE = "there is no source file to intern; extern these modules"
    SOURCE_FILE_NOT_FOUND = "the source file is not there"
    DEPENDENCY_RESOLUTION_FAILED = "the source cannot be searched for imports"
    NO_ACTION = "no pattern says what to do with these modules"
    DENIED = "a deny pattern matches these modules"
    MOCKED_BUT_STILL_USED = "these modules are mocked, but pickled objects need them"
    MODULE_NOT_FOUND = "these modules are imported, but they are not installed"
    EXTERN_PARENT = "these modules lie in an external one, where a package cannot put anything"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}>"


_WITH_PATTERNS = (PackagingErrorReason.NO_ACTION, PackagingErrorReason.MODULE_NOT_FOUND)


class PackagingError(Exception):
    """A package cannot be written; the text lists every reason.

    Attributes:
        dependency_graph: the graph as far as it came; broken nodes have an ``"error"``.
    """

    def __init__(self, dependency_graph: DiGraph, debug: bool = False) -> None:
        self.dependency_graph = dependency_graph
        broken: dict[PackagingErrorReason, list[str]] = {}
        for name, attributes in dependency_graph.nodes.items():
            if attributes.get("error") is not None:
                broken.setdefault(attributes["error"], []).append(name)
        lines = ["the package cannot be written"]
        for reason, names in broken.items():
            lines.append(f"* {reason.value}:")
            for name in names:
                lines += _about(name, reason, dependency_graph, debug)
        if broken and not debug:
            lines.append("PackageExporter(..., debug=True) also shows how each was reached")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.args[0],)


def _restore(text: str) -> PackagingError:
    error = PackagingError(DiGraph())
    error.args = (text,)
    return error


def _about(name: str, reason: PackagingErrorReason, graph: DiGraph, debug: bool) -> list[str]:
    lines = [f"    {name}"]
    context = graph.nodes[name].get("error_context")
    if context:
        lines.append(f"        {context}")
    for source, edge in graph.requests(name).items():
        lines.append(f"        asked for by {edge.get('where') or source}")
    if reason in _WITH_PATTERNS:
        lines.append(f"        write: {suggest_pattern(name, reason)}")
    if debug:
        lines.append(f"        reached by {' -> '.join(graph.first_path(name))}")
    return lines


def suggest_pattern(
    name: str, reason: PackagingErrorReason = PackagingErrorReason.NO_ACTION
) -> str:
    """The call that most likely settles what happens to a module."""
    from .origins import Origin, origin_of

    top = name.partition(".")[0]
    if reason is PackagingErrorReason.MODULE_NOT_FOUND:
        return (
            f'exporter.mock("{top}.**") if it is never used, or exporter.extern("{top}.**") if the '
            "host will have it"
        )
    if top in sys.stdlib_module_names:
        return f'exporter.extern("{name}")'
    if origin_of(top) is Origin.INSTALLED:
        return f'exporter.extern("{top}.**")'
    return f'exporter.intern("{top}.**")'
