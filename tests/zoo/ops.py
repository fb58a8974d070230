"""List the operators of a folder of archives: ``python -m tests.zoo.ops FOLDER ... > ops.tsv``.

Columns: the target; how many models and nodes use it as exported; how many decomposed; its ATen
schema; the argument names that some node gives explicitly (the others are at their defaults).
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch


@dataclass
class Use:
    """Where and how one operator is used."""

    models: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    nodes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    arguments: dict[str, None] = field(default_factory=dict)


def nodes_of(value: object) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a program's JSON, those of subgraphs included."""
    if isinstance(value, dict):
        if "target" in value and "inputs" in value:
            yield value
        for child in value.values():
            yield from nodes_of(child)
    elif isinstance(value, list):
        for child in value:
            yield from nodes_of(child)


def schema_of(target: str) -> str:
    """Return an operator's schema as PyTorch prints it, empty where it has none."""
    parts = target.removeprefix("torch.ops.").split(".")
    if not target.startswith("torch.ops.") or len(parts) != 3:
        return ""
    operator = getattr(getattr(getattr(torch.ops, parts[0]), parts[1], None), parts[2], None)
    return str(getattr(operator, "_schema", ""))


def collect(folders: Sequence[Path]) -> dict[str, Use]:
    """Read every ``NAME.FORM.pt2`` of the folders."""
    uses: dict[str, Use] = defaultdict(Use)
    for path in sorted(path for folder in folders for path in folder.glob("*.pt2")):
        name, form, _ = path.name.split(".")
        with zipfile.ZipFile(path) as archive:
            entry = next(e for e in archive.namelist() if e.endswith("/models/model.json"))
            program = json.loads(archive.read(entry))
        for node in nodes_of(program["graph_module"]["graph"]):
            use = uses[node["target"]]
            use.models[form].add(name)
            use.nodes[form] += 1
            use.arguments.update(dict.fromkeys(argument["name"] for argument in node["inputs"]))
    return uses


def main(argv: Sequence[str]) -> int:
    """Print the table."""
    print("target\tmodels_exported\tnodes_exported\tmodels_decomposed\tnodes_decomposed", end="")
    print("\tschema\targuments")
    uses = collect([Path(folder) for folder in argv])
    for target, use in sorted(uses.items(), key=lambda item: -sum(item[1].nodes.values())):
        counts: list[str] = []
        for form in ("exported", "decomposed"):
            counts += [str(len(use.models[form])), str(use.nodes[form])]
        name = target.removeprefix("torch.ops.")
        print(name, *counts, schema_of(target), ",".join(use.arguments), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
