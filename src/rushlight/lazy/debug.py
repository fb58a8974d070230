"""What tensors wait for, as text, hash or picture, with the lines that recorded it."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _C
from rushlight.export.graph import Graph, Node, Value, read_graph
from rushlight.lazy.drawing import dot_text, svg_text

FORMATS = ("text", "backend", "hash", "dot", "svg")


def recorded(tensors: Sequence[_C.Tensor]) -> list[tuple[Graph, list[str]]]:
    """For each trace that computes some of `tensors` its graph, and the line of each node."""
    return [
        (read_graph(program.graph), list(program.lines))
        for program, _, _ in _C.lazy_snapshots(tensors, False)
    ]


def dump_ir(tensors: Sequence[_C.Tensor], ir_format: str) -> str:
    """The operators that `tensors` wait for; nothing runs.

    Args:
        tensors: those that have their values already add nothing.
        ir_format: ``"text"`` and ``"backend"`` (one operator a line, with the line of code that
            recorded it), ``"hash"`` (of operators, dtypes and sizes, not of values), ``"dot"``
            (for Graphviz) or ``"svg"``.

    Raises:
        RuntimeError: another format.

    Example:
        >>> import rushlight as torch, rushlight.lazy
        >>> y = torch.ones(2) * 3
        >>> print(torch.lazy.dump_ir([y], "text").splitlines()[0])
        graph(%n2: float):
    """
    if ir_format not in FORMATS:
        raise RuntimeError(f"Unrecognized IR format: {ir_format}")
    if ir_format == "hash":
        return "".join(key for _, _, key in _C.lazy_snapshots(tensors, False))
    graphs = recorded(tensors)
    if ir_format == "dot":
        return dot_text(graphs)
    if ir_format == "svg":
        return svg_text(graphs)
    return "\n".join(_text(graph, lines) for graph, lines in graphs)


def render_ir_graph(tensors: Sequence[_C.Tensor]) -> str:
    """The operators that `tensors` wait for, as text for Graphviz's ``dot``."""
    return dot_text(recorded(tensors))


def _text(graph: Graph, lines: Sequence[str]) -> str:
    located = dict(zip((n.format() for n in graph.nodes), lines, strict=True))
    out = []
    for line in str(graph).splitlines():
        where = located.get(line.strip())
        out.append(f"{line}  # {where}" if where else line)
    return "\n".join(out)


__all__ = ["FORMATS", "Graph", "Node", "Value", "dump_ir", "recorded", "render_ir_graph"]
