"""``rushlight package ls``, ``show``, ``diff`` and ``extract``: nothing of the package runs."""

from __future__ import annotations

import argparse
import difflib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .errors import CommandError

#: Extracting more than this many times the size of the package is refused.
_MOST_GROWTH = 100
_SMALL = 64 << 20  # bytes that may always be extracted


def open_files(path: str) -> Any:
    """The records of a package whose names have been checked."""
    from rushlight.package.containers import check_record_names, open_reader

    reader = open_reader(path)
    check_record_names(reader.get_all_records(), path)
    return reader


def kind_of(name: str) -> str:
    """What a record is for."""
    if name.startswith(".data/"):
        return "memory" if name.endswith(".storage") else "about"
    suffix = name.rpartition(".")[2]
    return {"py": "code", "pkl": "object"}.get(suffix, "data" if "/" in name else "about")


def ls(args: argparse.Namespace) -> int:
    """Lists the files with their sizes."""
    from .report import columns, size

    reader = open_files(args.package)
    rows = [
        (size(len(reader.get_record(name))), kind_of(name), name)
        for name in sorted(reader.get_all_records())
    ]
    print(columns(rows, right=[0]))
    return 0


def show(args: argparse.Namespace) -> int:
    """Shows what a package is and needs, or one of its files."""
    from rushlight.package.metadata import read_metadata
    from rushlight.package.signing import SIGNATURE, verify_contents

    from .report import print_fields

    reader = open_files(args.package)
    if args.file:
        _show_file(reader, args.file)
        return 0
    key = Path(args.public_key).read_bytes() if args.public_key else None
    facts = read_metadata(reader, args.package)
    names = reader.get_all_records()
    state = "not listed, not signed"
    if verify_contents(reader, args.package, key):
        state = "as listed"
        if SIGNATURE in names:
            state += ", signed by that key" if key else ", signed (by whom: --public-key)"
    print_fields(
        args.package,
        [
            ("made with Python", facts.python_version or "unknown"),
            ("contents", state),
            ("code", "\n".join(module_names(names)) or "none"),
            ("objects", "\n".join(n for n in names if kind_of(n) == "object") or "none"),
            ("host's modules", "\n".join(facts.host_modules) or "none"),
            (
                "distributions",
                "\n".join(f"{n} {v}" for n, v in facts.distributions.items()) or "none",
            ),
        ],
    )
    return 0


def module_names(records: list[str]) -> list[str]:
    """Dotted names of the modules among some records, sorted."""
    files = [name.removesuffix(".py") for name in records if kind_of(name) == "code"]
    return sorted(name.removesuffix("/__init__").replace("/", ".") for name in files)


def _show_file(reader: Any, name: str) -> None:
    from rushlight.package.pickle_globals import find_globals

    from .report import size

    data = bytes(reader.get_record(name))
    if kind_of(name) == "object":
        print(f"{name}: a pickle of {size(len(data))} that names")
        for module, attribute in dict.fromkeys(find_globals(data)):
            print(f"  {module}.{attribute}")
        return
    try:
        print(data.decode("utf-8"), end="")
    except UnicodeDecodeError:
        print(f"{name}: {size(len(data))} that are not text")


def diff(args: argparse.Namespace) -> int:
    """Compares the files of two packages; status 1 if they differ."""
    first, second = open_files(args.first), open_files(args.second)
    before, after = set(first.get_all_records()), set(second.get_all_records())
    ignored = {".data/serialization_id", ".data/sha256", ".data/ed25519"}  # follow from the others
    same = True
    for name in sorted((before | after) - ignored):
        if name not in before or name not in after:
            print(f"{'removed' if name in before else 'added'}: {name}")
            same = False
            continue
        old, new = bytes(first.get_record(name)), bytes(second.get_record(name))
        if old != new:
            print(f"changed: {name} ({len(old)} and {len(new)} bytes)")
            same = False
            _print_changes(name, old, new)
    return 0 if same else 1


def _print_changes(name: str, old: bytes, new: bytes) -> None:
    if kind_of(name) in ("object", "memory"):
        return
    try:
        before, after = (data.decode("utf-8").splitlines() for data in (old, new))
    except UnicodeDecodeError:
        return
    for line in list(difflib.unified_diff(before, after, lineterm=""))[2:]:
        print(f"  {line}")


def extract(args: argparse.Namespace) -> int:
    """Writes all files into a new folder, which `PackageImporter` opens as well."""
    reader = open_files(args.package)
    target = Path(args.folder)
    if target.exists():
        raise CommandError(f"{target} is there already; nothing was written")
    names = reader.get_all_records()
    _refuse_bombs(reader, names, args.package)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".extract-") as scratch:
        root = Path(scratch, "package")
        for name in names:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(reader.get_record(name))
        shutil.move(root, target)
    print(f"{target}: {len(names)} files")
    return 0


def _refuse_bombs(reader: Any, names: list[str], path: str) -> None:
    if not hasattr(reader, "get_record_size"):
        return
    total = sum(reader.get_record_size(name) for name in names)
    packed = Path(path).stat().st_size
    if total > max(_SMALL, _MOST_GROWTH * packed):
        raise CommandError(
            f"{path} has {packed} bytes and would become {total}: that is no package we would write"
        )
