"""The graph of what needs what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class DiGraph:
    """A directed graph; nodes and edges carry attributes and keep the order they came in."""

    def __init__(self) -> None:
        self._nodes: dict[str, dict[str, Any]] = {}
        self._successors: dict[str, dict[str, dict[str, Any]]] = {}
        self._predecessors: dict[str, dict[str, dict[str, Any]]] = {}

    def add_node(self, node: str, **attributes: Any) -> None:
        """Adds a node, or attributes to one that is there."""
        if node not in self._nodes:
            self._nodes[node] = {}
            self._successors[node] = {}
            self._predecessors[node] = {}
        self._nodes[node].update(attributes)

    def add_edge(self, source: str, target: str, **attributes: Any) -> None:
        """``source`` needs ``target``; a second edge between them adds its attributes."""
        self.add_node(source)
        self.add_node(target)
        edge = self._successors[source].setdefault(target, {})
        for key, value in attributes.items():
            edge.setdefault(key, value)  # the first mention is the one to show
        self._predecessors[target][source] = edge

    @property
    def nodes(self) -> dict[str, dict[str, Any]]:
        """The attributes of all nodes."""
        return self._nodes

    @property
    def edges(self) -> Iterator[tuple[str, str]]:
        """All pairs ``(source, target)``."""
        return ((source, target) for source, row in self._successors.items() for target in row)

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, str) and node in self._nodes

    def successors(self, node: str) -> Iterator[str]:
        """What ``node`` needs."""
        return iter(_row(self._successors, node))

    def predecessors(self, node: str) -> Iterator[str]:
        """What needs ``node``."""
        return iter(_row(self._predecessors, node))

    def requests(self, node: str) -> dict[str, dict[str, Any]]:
        """What needs ``node``, and the attributes of those edges."""
        return _row(self._predecessors, node)

    def forward_transitive_closure(self, source: str) -> set[str]:
        """``source`` and all it needs."""
        return _reachable(self._successors, source)

    def backward_transitive_closure(self, target: str) -> set[str]:
        """``target`` and all that needs it."""
        return _reachable(self._predecessors, target)

    def first_path(self, target: str) -> list[str]:
        """From the node that came first to ``target``, each named by its earliest predecessor."""
        order = {node: index for index, node in enumerate(self._nodes)}
        path = [target]
        while True:
            before = [node for node in self.predecessors(path[-1]) if node not in path]
            if not before:
                return path[::-1]
            path.append(min(before, key=order.__getitem__))

    def all_paths(self, source: str, target: str) -> str:
        """The part of the graph that lies on paths between two nodes, in the DOT language."""
        between: set[str] = set()
        if source in self and target in self:
            between = self.forward_transitive_closure(source)
            between &= self.backward_transitive_closure(target)
        return _dot([(u, v) for u, v in self.edges if u in between and v in between])

    def to_dot(self) -> str:
        """The graph in the DOT language (https://graphviz.org/doc/info/lang.html)."""
        return _dot(list(self.edges))


def _row(table: dict[str, dict[str, dict[str, Any]]], node: str) -> dict[str, dict[str, Any]]:
    if node not in table:
        raise ValueError(f"{node!r} is not in the graph")
    return table[node]


def _reachable(table: dict[str, dict[str, dict[str, Any]]], start: str) -> set[str]:
    seen = {start}
    waiting = [start]
    while waiting:
        for node in _row(table, waiting.pop()):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


def _dot(edges: list[tuple[str, str]]) -> str:
    def quoted(name: str) -> str:
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = [f"  {quoted(source)} -> {quoted(target)};" for source, target in edges]
    return "\n".join(["digraph {", "  rankdir=LR;", "  node [shape=box];", *lines, "}", ""])
