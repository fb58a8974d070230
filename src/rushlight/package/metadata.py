"""What a package says about itself: the records in its folder ``.data``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .containers import RecordReader
from .origins import parse_lock

EXTERN_MODULES = ".data/extern_modules"
PYTHON_VERSION = ".data/python_version"
#: Ours; PyTorch does not look at it.
DISTRIBUTIONS = ".data/distributions"
#: Ours: facts about the format, as JSON.
FACTS = ".data/rushlight.json"

FORMAT = 1


@dataclass(frozen=True)
class PackageMetadata:
    """The facts of one package."""

    extern_modules: tuple[str, ...] = ()
    python_version: str | None = None
    #: Versions of the installed distributions that the external modules came from.
    distributions: dict[str, str] = field(default_factory=dict)
    #: Modules of PyTorch that only its own importer needs, for tensors of ours.
    for_pytorch: frozenset[str] = frozenset()

    @property
    def host_modules(self) -> list[str]:
        """The external modules that this importer may need."""
        return [name for name in self.extern_modules if name not in self.for_pytorch]


def read_metadata(reader: RecordReader, filename: str) -> PackageMetadata:
    """The facts of a package; ``ValueError`` if it is none, or from a newer version of us."""
    if not reader.has_record(EXTERN_MODULES):
        raise ValueError(f"{filename!r} is not a package: it has no {EXTERN_MODULES}")
    version = _text(reader, PYTHON_VERSION)
    facts = json.loads(_text(reader, FACTS) or '{"format": 1}')
    if not isinstance(facts, dict) or not isinstance(facts.get("format"), int):
        raise ValueError(f"{filename!r}: {FACTS} is not what we write")
    if facts["format"] > FORMAT:
        raise ValueError(
            f"{filename!r} has format {facts['format']}, and this version of rushlight reads up to "
            f"{FORMAT}"
        )
    return PackageMetadata(
        tuple(line for line in (_text(reader, EXTERN_MODULES) or "").splitlines() if line),
        version.strip() if version is not None else None,
        parse_lock(_text(reader, DISTRIBUTIONS) or ""),
        frozenset(map(str, facts.get("for_pytorch", ()))),
    )


def _text(reader: RecordReader, name: str) -> str | None:
    if not reader.has_record(name):
        return None
    return bytes(reader.get_record(name)).decode("utf-8")
