"""``rushlight convert``: from one format of tensors to another."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "convert",
        help="convert between .pt, .safetensors and .npz, and from .gguf",
        description="Writes the tensors of a file to another, in the format of its name. One "
        "tensor is in memory at a time; the result is read again and compared before it takes its "
        "place.",
    )
    parser.add_argument("source", metavar="SOURCE", help="a .pt, .safetensors, .npz or .gguf file")
    parser.add_argument("target", metavar="TARGET", help="a .pt, .safetensors or .npz file")
    parser.add_argument(
        "--upcast",
        action="store_true",
        help="to .npz: store bfloat16, float8 and complex32 as float32 and complex64",
    )
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Converts."""
    from rushlight.serialization import convert
    from rushlight.serialization.entries import read_entries

    from .report import Progress

    with read_entries(args.source) as entries:
        total = 2 * len(entries.tensors)
    progress = Progress("tensors written and checked", total)
    try:
        left_out = convert(
            args.source, args.target, upcast=args.upcast, progress=lambda _: progress.step()
        )
    finally:
        progress.close()
    if left_out:
        names = ", ".join(left_out[:10]) + (", …" if len(left_out) > 10 else "")
        print(f"left out, for they are no plain tensors: {names}", file=sys.stderr)
    return 0
