"""The picture: boxes by kind, shapes on edges, details as tooltips."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from .blocks import Box, Stack, build, parse_stack
from .layout import Layout, lay_out

if TYPE_CHECKING:
    from rushlight.export import ExportedProgram

COLOURS = {
    "input": "#d7e8ff",
    "output": "#d7e8ff",
    "module": "#f4f4f4",
    "matrix": "#ffd9b8",
    "attention": "#ffc6c6",
    "normalisation": "#e5d6f7",
    "pooling": "#fff0b3",
    "movement": "#e6e6e6",
    "number": "#ffffff",
    "pointwise": "#d8f0d3",
}
LETTER = 6.6  # mean width of a letter at 11 px
LINE = 14.0
PADDING = 8.0
ROW_GAP = 46.0  # between rows, for the edges and their labels
MARGIN = 24.0
LEGEND = 30.0


def draw(program: ExportedProgram, *, limit: int = 80, title: str = "") -> str:
    """The graph as SVG text.

    A graph of more than `limit` operators is folded: modules become boxes, as deep as the limit
    allows, and equal modules one behind the other become one box that says how many they are.
    """
    diagram = build(program, module_stacks(program), limit)
    boxes = diagram.boxes
    widths = [max(len(t) for t in (b.title, *b.details)) * LETTER + 2 * PADDING for b in boxes]
    heights = [LINE * (1 + len(b.details)) + PADDING for b in boxes]
    edges = list(diagram.edges)
    layout = lay_out(widths, edges)
    rows = max(layout.layer, default=-1) + 1
    tallest = [0.0] * rows
    for i, row in enumerate(layout.layer):
        tallest[row] = max(tallest[row], heights[i])
    tops, y = [], MARGIN + LEGEND
    for height in tallest:
        tops.append(y)
        y += height + ROW_GAP
    right = max((layout.x[i] + widths[i] / 2 for i in range(len(boxes))), default=0.0)
    legend, legend_width = _legend({b.kind for b in boxes}, title)
    width = max(right + 2 * MARGIN, legend_width + MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y:.0f}" '
        f'viewBox="0 0 {width:.0f} {y:.0f}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width:.0f}" height="{y:.0f}" fill="#ffffff"/>',
        legend,
    ]
    for edge in edges:
        parts.append(_edge(edge, layout, tops, tallest, heights, diagram.edges[edge]))
    for i, box in enumerate(boxes):
        left = MARGIN + layout.x[i] - widths[i] / 2
        parts.append(_box(box, left, tops[layout.layer[i]], widths[i], heights[i]))
    return "\n".join([*parts, "</svg>", ""])


def module_stacks(program: ExportedProgram) -> Mapping[str, Stack]:
    """The modules around each node, where the file says them."""
    found = {}
    for name, text in program._program.node_metadata.items():
        stack = json.loads(text).get("nn_module_stack") if text else None
        if isinstance(stack, str):
            found[name] = parse_stack(stack)
    return found


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(text)}</text>'


def _box(box: Box, left: float, top: float, width: float, height: float) -> str:
    rounded = height / 2 if box.kind in ("input", "output") else 4
    lines = [
        f'<g><title>{escape(box.tooltip or box.title)}</title><rect x="{left:.1f}" '
        f'y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{rounded:.0f}" '
        f'fill="{COLOURS[box.kind]}" stroke="#555555"/>'
    ]
    middle = left + width / 2
    lines.append(_text(middle, top + 14, box.title, ' text-anchor="middle"'))
    for i, detail in enumerate(box.details):
        more = ' text-anchor="middle" font-size="10" fill="#555555"'
        lines.append(_text(middle, top + 14 + LINE * (i + 1), detail, more))
    return "".join(lines) + "</g>"


def _edge(
    edge: tuple[int, int],
    layout: Layout,
    tops: list[float],
    tallest: list[float],
    heights: list[float],
    shapes: list[str],
) -> str:
    source, target = edge
    points = [(layout.x[source] + MARGIN, tops[layout.layer[source]] + heights[source])]
    for x, row in layout.paths[edge]:
        points.append((x + MARGIN, tops[row]))
        points.append((x + MARGIN, tops[row] + tallest[row]))
    points.append((layout.x[target] + MARGIN, tops[layout.layer[target]]))
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 == x1:
            path += f"L{x1:.1f},{y1:.1f}"
        else:
            middle = (y0 + y1) / 2
            path += f"C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}"
    x, y = points[-1]
    head = f"M{x - 3.5:.1f},{y - 6:.1f}L{x:.1f},{y:.1f}L{x + 3.5:.1f},{y - 6:.1f}"
    label = shapes[0] + (f" + {len(shapes) - 1}" if len(shapes) > 1 else "")
    return (
        f"<g><title>{escape(chr(10).join(shapes))}</title>"
        f'<path d="{path}" fill="none" stroke="#888888"/>'
        f'<path d="{head}" fill="none" stroke="#888888"/>'
        + _text(x + 5, y - 9, label, ' font-size="9" fill="#777777"')
        + "</g>"
    )


def _legend(kinds: set[str], title: str) -> tuple[str, float]:
    x, parts = MARGIN, []
    if title:
        parts.append(_text(x, MARGIN, title, ' font-weight="bold"'))
        x += len(title) * LETTER * 1.15 + 20
    for kind, colour in COLOURS.items():
        if kind not in kinds or kind == "output":
            continue
        name = "input, output" if kind == "input" else kind
        parts.append(
            f'<rect x="{x:.1f}" y="{MARGIN - 10:.1f}" width="12" height="12" fill="{colour}" '
            'stroke="#555555"/>'
        )
        parts.append(_text(x + 17, MARGIN, name))
        x += 17 + len(name) * LETTER + 16
    return "".join(parts), x
