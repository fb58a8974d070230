"""``rushlight package create``."""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

from .errors import CommandError, UsageError


def create(args: argparse.Namespace) -> int:
    """Makes a package and says what went where."""
    from rushlight.package import PackageExporter, UnresolvedImportWarning

    if not (args.object or args.module):
        raise UsageError("package create: give --object or --module")
    folder, slash, file = args.resource.rpartition("/")
    if not (folder and slash and file):
        raise UsageError(f"--as: expected PACKAGE/FILE, got {args.resource!r}")
    key = Path(args.sign).read_bytes() if args.sign else None
    if sys.path[:1] != [""]:
        sys.path.insert(0, "")  # modules of the working folder, as with `python -m`
    obj = _evaluate(args.object) if args.object else None
    exporter = PackageExporter(args.package, checksums=True, sign_with=key)
    for action in ("intern", "extern", "mock", "deny"):
        for pattern in getattr(args, action):
            getattr(exporter, action)(pattern)
    exporter.decide_by_origin()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnresolvedImportWarning)  # reported below
        with exporter:
            for module in args.module:
                exporter.save_module(module)
            if args.object:
                exporter.save_pickle(folder.replace("/", "."), file, obj)
    _report(args, exporter)
    return 0


def _evaluate(text: str) -> Any:
    name, colon, expression = text.partition(":")
    if not (name and colon and expression):
        raise UsageError(f"--object: expected MODULE:EXPRESSION, got {text!r}")
    module = importlib.import_module(name)
    try:
        return eval(expression, dict(vars(module)))
    except Exception as error:  # the user's code
        raise CommandError(f"{text}: {type(error).__name__}: {error}") from error


def _report(args: argparse.Namespace, exporter: Any) -> None:
    from rushlight.package.origins import distributions_of
    from rushlight.package.records import ARRAY_MODULE

    from .report import print_fields, size

    externs = exporter.externed_modules()
    own = [name for name in exporter.interned_modules() if name != ARRAY_MODULE]
    installed = distributions_of(externs)
    fields = [
        ("size", size(Path(args.package).stat().st_size)),
        ("your code", "\n".join(own) or "none"),
        ("installed", "\n".join(f"{n} {v}" for n, v in installed.items()) or "none"),
    ]
    if exporter.mocked_modules():
        fields.append(("mocked", "\n".join(exporter.mocked_modules())))
    unresolved = exporter.unresolved_imports()
    if unresolved:
        fields.append(("not found", "\n".join(map(str, unresolved))))
    print_fields(args.package, fields)
