"""``rushlight package tree``: the modules of a package and what they import, drawn."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from .package_files import kind_of, open_files


@dataclass
class Row:
    """One line of the tree."""

    name: str
    depth: int
    kind: str
    size: int = 0
    imports: list[str] = field(default_factory=list)


def tree(args: argparse.Namespace) -> int:
    """Prints the tree, or draws it with its imports into an SVG file."""
    from rushlight.package.file_structure_representation import directory_of

    reader = open_files(args.package)
    if args.svg:
        from .svg_file import write_whole

        write_whole(Path(args.svg), draw(args.package, rows_of(reader)))
        print(f"{args.svg}: {args.package}")
    else:
        names = [name for name in reader.get_all_records() if kind_of(name) != "about"]
        print(directory_of(args.package, names), end="")
        for row in rows_of(reader):
            if row.imports and row.kind == "code":
                print(f"{row.name} imports {', '.join(row.imports)}")
    return 0


def rows_of(reader: Any) -> list[Row]:
    """Modules and objects in order of their names, then the host's modules."""
    from rushlight.package.metadata import read_metadata

    host = read_metadata(reader, "the package").host_modules
    rows = []
    for record in sorted(reader.get_all_records()):
        kind = kind_of(record)
        if kind in ("code", "object", "data"):
            data = bytes(reader.get_record(record))
            name = record
            if kind == "code":
                name = record.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            depth = name.count("." if kind == "code" else "/")
            rows.append(Row(name, depth, kind, len(data), _wanted(kind, name, record, data)))
    rows += [Row(name, 0, "host") for name in sorted(host)]
    known = {row.name for row in rows}
    for row in rows:
        row.imports = [name for name in dict.fromkeys(row.imports) if name in known - {row.name}]
    return rows


def _wanted(kind: str, name: str, record: str, data: bytes) -> list[str]:
    """Names that a file may import; those that mean nothing are dropped later."""
    from rushlight.package.find_file_dependencies import find_files_source_depends_on
    from rushlight.package.pickle_globals import find_globals

    if kind == "object":
        return [module for module, _ in find_globals(data)]
    if kind != "code":
        return []
    package = name if record.endswith("__init__.py") else name.rpartition(".")[0]
    try:
        pairs = find_files_source_depends_on(data.decode("utf-8"), package)
    except (SyntaxError, ValueError, ImportError):
        return []
    found: list[str] = []
    for module, attribute in pairs:
        found += [f"{module}.{attribute}"] if attribute else []
        found.append(module)
    return found


_COLOURS = {"code": "#2f6f9f", "object": "#8a5a00", "data": "#6b6b6b", "host": "#3c7a3c"}
_LINE, _LEFT, _WIDTH = 20, 16, 420  # pixels


def draw(title: str, rows: list[Row]) -> str:
    """An SVG image: a line per file, a bar for its size, and an arc for each import."""
    at = {row.name: index for index, row in enumerate(rows)}
    largest = max((row.size for row in rows), default=0) or 1
    longest = max(
        (abs(at[name] - i) for i, row in enumerate(rows) for name in row.imports), default=0
    )
    width = _WIDTH + 40 + min(240, 12 * longest)
    height = _LINE * (len(rows) + 3)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="{_LINE}" font-weight="bold">{escape(title)}</text>',
    ]
    for index, row in enumerate(rows):
        y = _LINE * (index + 2)
        x = _LEFT + 14 * row.depth
        bar = 80 * row.size / largest
        parts.append(
            f'<rect x="{_WIDTH - 90}" y="{y - 9}" width="{bar:.1f}" height="9" '
            f'fill="{_COLOURS[row.kind]}" opacity="0.35"/>'
            f'<text x="{x}" y="{y}" fill="{_COLOURS[row.kind]}">{escape(row.name)}'
            f"<title>{row.kind}, {row.size} bytes</title></text>"
        )
        for name in row.imports:
            end = _LINE * (at[name] + 2)
            bend = _WIDTH + 20 + min(220, 12 * abs(at[name] - index))
            parts.append(
                f'<path d="M {_WIDTH} {y - 4} C {bend} {y - 4}, {bend} {end - 4}, {_WIDTH} '
                f'{end - 4}" fill="none" stroke="{_COLOURS[rows[at[name]].kind]}" opacity="0.5">'
                f"<title>{escape(row.name)} imports {escape(name)}</title></path>"
            )
    legend = " ".join(f'<tspan fill="{colour}">{kind}</tspan>' for kind, colour in _COLOURS.items())
    parts.append(f'<text x="{_LEFT}" y="{height - 8}">{legend}</text></svg>')
    return "\n".join(parts) + "\n"
