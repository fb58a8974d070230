"""``rushlight inspect``: what is in a file of tensors, without loading it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight.serialization import Inspection


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "inspect",
        help="show what is in a .pt, .safetensors, .npz or .gguf file, without loading it",
        description="Shows the tensors of a file with their sizes, other values, the functions and "
        "classes that it would need, and what is suspicious. No data is read and nothing in the "
        "file is executed. Exit status 1 when the file would not load.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Prints the report."""
    from rushlight.serialization import inspect

    from .report import print_json

    found = inspect(args.file)
    if args.json:
        print_json({**asdict(found), "unsafe_globals": found.unsafe_globals})
    else:
        _print(found)
    return 1 if found.error or found.unsafe_globals else 0


def _print(found: Inspection) -> None:
    from .report import columns, count, print_fields, size

    total = sum(t.nbytes for t in found.tensors)
    fields = [
        ("format", found.format),
        ("size", size(found.file_bytes)),
        ("tensors", f"{count(len(found.tensors), 'tensor')}, {size(total)}"),
    ]
    if found.unsafe_globals:
        fields.append(("needs", "\n".join(map(_printable, found.unsafe_globals))))
    allowed = [name for name, ok in sorted(found.globals.items()) if ok]
    if allowed:
        fields.append(("uses", "\n".join(allowed)))
    if found.opcodes:
        unusual = "\n".join(f"{name} ({n} times)" for name, n in sorted(found.opcodes.items()))
        fields.append(("suspicious opcodes", unusual))
    if found.error:
        fields.append(("does not load", _printable(found.error)))
    print_fields(found.path, fields)
    rows = [
        (
            _printable(t.name),
            f"{t.dtype}[{', '.join(map(str, t.shape))}]"
            + ("" if t.kind == "tensor" else f" {t.kind}"),
            size(t.nbytes),
        )
        for t in found.tensors
    ]
    if rows:
        print(f"\n{columns(rows, right=(2,))}")
    if found.values:
        print(f"\n{columns([(_printable(n), _printable(v)) for n, v in found.values.items()])}")


# What a file says must not reach the terminal as control characters.
def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
