"""Graphs as DOT and SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from rushlight.export.graph import Graph, Node, Value

Located = tuple[Graph, list[str]]

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 240, 44, 24, 36


def _label(node: Node, line: str) -> list[str]:
    shapes = [v.describe() for v in node.outputs if isinstance(v, Value)]
    name = node.target.removeprefix("aten.").removesuffix(".default")
    return [f"{name}  {', '.join(shapes)}", line.rsplit("/", 1)[-1]]


def _edges(graph: Graph) -> Iterator[tuple[str, str]]:
    """From the maker of a value to its user, by name."""
    makers = {value.name: value.name for value in graph.inputs}
    for node in graph.nodes:
        for value in node.all_input_values():
            yield makers[value.name], node.name
        makers.update({v.name: node.name for v in node.outputs if isinstance(v, Value)})


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_text(graphs: Sequence[Located]) -> str:
    """One digraph; inputs are ellipses, operators boxes with their line."""
    out = ["digraph {", '  node [shape=box, fontname="monospace"];']
    for i, (graph, lines) in enumerate(graphs):

        def name(text: str, i: int = i) -> str:
            return _quoted(f"{i}.{text}")

        for value in graph.inputs:
            text = _quoted(f"{value.name} {value.describe()}")
            out.append(f"  {name(value.name)} [shape=ellipse, label={text}];")
        for node, line in zip(graph.nodes, lines, strict=True):
            text = "\\n".join(_quoted(part)[1:-1] for part in _label(node, line) if part)
            out.append(f'  {name(node.name)} [label="{text}"];')
        out += [f"  {name(a)} -> {name(b)};" for a, b in _edges(graph)]
    return "\n".join([*out, "}", ""])


def svg_text(graphs: Sequence[Located]) -> str:
    """Operators in rows: each stands below what it needs."""
    boxes: list[str] = []
    right, top = 0, _GAP_Y
    for graph, lines in graphs:
        labels = {v.name: [f"{v.name} {v.describe()}"] for v in graph.inputs}
        labels |= {n.name: _label(n, s) for n, s in zip(graph.nodes, lines, strict=True)}
        edges = list(_edges(graph))
        rows = dict.fromkeys(labels, 0)
        for a, b in edges:  # in the order of the nodes: what b needs has its row
            rows[b] = max(rows[b], rows[a] + 1)
        columns: dict[int, int] = {}
        places = {}
        for name, row in rows.items():
            column = columns.get(row, 0)
            columns[row] = column + 1
            places[name] = (
                _GAP_X + column * (_WIDTH + _GAP_X),
                top + row * (_HEIGHT + _GAP_Y),
            )
            right = max(right, places[name][0] + _WIDTH + _GAP_X)
        boxes += [_arrow(places[a], places[b]) for a, b in edges]
        boxes += [_box(places[name], labels[name]) for name in labels]
        top += (max(rows.values(), default=0) + 1) * (_HEIGHT + _GAP_Y)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right}" height="{top}" '
        f'font-family="monospace" font-size="12">'
    )
    return "\n".join([head, *boxes, "</svg>", ""])


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1, x2, y2 = start[0] + _WIDTH // 2, start[1] + _HEIGHT, end[0] + _WIDTH // 2, end[1]
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#888"/>'


def _box(place: tuple[int, int], label: Sequence[str]) -> str:
    x, y = place
    parts = [
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" '
        'fill="#f6f8fa" stroke="#555"/>'
    ]
    for i, text in enumerate(t for t in label if t):
        fill = "#111" if i == 0 else "#777"
        parts.append(f'<text x="{x + 8}" y="{y + 18 + 16 * i}" fill="{fill}">{escape(text)}</text>')
    return "".join(parts)
