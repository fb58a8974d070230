"""Archives with one part changed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def rewrite_program(source: str, target: Path, change: Callable[[dict[str, Any]], None]) -> str:
    """Copies an archive, with `change` applied to the model's JSON; gives the copy's path."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith("models/model.json"):
                program = json.loads(data)
                change(program)
                data = json.dumps(program).encode()
            new.writestr(info.filename, data)
    return str(target)


def node(name: str, context: Any, *children: Any) -> dict[str, Any]:
    """A container of a tree specification; its context is JSON in a string."""
    return {"type": name, "context": json.dumps(context), "children_spec": list(children)}


LEAF: dict[str, Any] = {"type": None, "context": None, "children_spec": []}


def spec(root: Any) -> str:
    """A tree specification of protocol 1."""
    return json.dumps([1, root])


def signature(program: dict[str, Any]) -> dict[str, Any]:
    """The calling convention in a model's JSON."""
    found: dict[str, Any] = program["graph_module"]["module_call_graph"][0]["signature"]
    return found
