"""``rushlight package verify``: loads everything in a clean interpreter."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from .errors import CommandError
from .package_files import kind_of, module_names, open_files

# `-I` keeps environment, user packages and working folder out; rushlight itself may be needed.
_CODE = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from rushlight.cli.package_verify import report; report(*sys.argv[2:])"
)


def verify(args: argparse.Namespace) -> int:
    """Reports whether all loads, and what the host must have; status 1 if something fails."""
    from rushlight.package.metadata import read_metadata
    from rushlight.package.origins import Origin, installed_version, origin_of

    from .report import print_fields

    reader = open_files(args.package)
    facts = read_metadata(reader, args.package)
    here = str(Path(__file__).parents[2])
    command = [sys.executable, "-I", "-c", _CODE, here, args.package, args.public_key or ""]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    line = result.stdout.strip().rpartition("\n")[2]
    try:
        loaded: dict[str, dict[str, str]] = json.loads(line)
    except ValueError:
        problem = (result.stderr.strip() or "no output").splitlines()[-1]
        raise CommandError(f"{args.package} cannot be opened: {problem}") from None
    needs = []
    for name, wanted in facts.distributions.items():
        version = installed_version(name)
        state = "here" if version == wanted else f"here: {version}" if version else "missing here"
        needs.append(f"{name} {wanted} ({state})")
    tops = dict.fromkeys(name.partition(".")[0] for name in facts.host_modules)
    plain = [name for name in tops if origin_of(name) is Origin.STANDARD_LIBRARY]
    unknown = [name for name in tops if origin_of(name) is Origin.MISSING]
    fields = [
        ("modules", _summary(loaded["modules"])),
        ("objects", _summary(loaded["objects"])),
        ("distributions", "\n".join(needs) or "none"),
        ("standard library", ", ".join(plain) or "none"),
    ]
    if unknown:
        fields.append(("missing here", ", ".join(unknown)))
    print_fields(args.package, fields)
    return 1 if any([*loaded["modules"].values(), *loaded["objects"].values()]) else 0


def _summary(results: dict[str, str]) -> str:
    failed = [f"{name}: {problem}" for name, problem in results.items() if problem]
    return "\n".join([f"{len(results) - len(failed)} of {len(results)} load", *failed])


def report(path: str, public_key: str) -> None:
    """Runs in the clean interpreter: imports and loads everything, prints the result as JSON."""
    from rushlight.package import PackageImporter

    key = Path(public_key).read_bytes() if public_key else None
    importer = PackageImporter(path, check_versions=False, public_key=key)
    names = importer.record_names
    modules = {name: _problem(importer.import_module, name) for name in module_names(names)}
    objects = {}
    for name in names:
        if kind_of(name) == "object":
            folder, _, file = name.rpartition("/")
            objects[name] = _problem(importer.load_pickle, folder.replace("/", "."), file)
    print(json.dumps({"modules": modules, "objects": objects}))


def _problem(function: Any, *arguments: str) -> str:
    try:
        function(*arguments)
    except BaseException as error:  # also modules that call sys.exit
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""
