"""The option ``--library``: custom operators that the program needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path


def add_option(parser: argparse.ArgumentParser) -> None:
    """Declares the option."""
    parser.add_argument(
        "--library",
        metavar="FILE",
        action="append",
        default=[],
        help="custom operators the program needs: a shared library (rushlight/library.h), a Python "
        "file or a module that defines them (rushlight.library); may be repeated",
    )


def load(names: Sequence[str]) -> None:
    """Loads each library; modules are found in the current folder too, as ``python -m`` does."""
    from rushlight import library

    for name in names:
        if name.endswith(".py"):
            _run_file(Path(name))
        elif name.endswith((".so", ".dylib")) or "/" in name:
            library.load(name)
        else:
            if "" not in sys.path:
                sys.path.insert(0, "")
            import_module(name)


def _run_file(path: Path) -> None:
    import runpy

    runpy.run_path(str(path), run_name=path.stem)
