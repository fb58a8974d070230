"""The committed type stubs of the extensions are those that their bindings generate."""

from __future__ import annotations

import ast
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "stubs"


def shape(text: str) -> str:
    """The text without formatting."""
    return ast.dump(ast.parse(text), indent=1)


def test_stubs_are_current() -> None:
    spec = spec_from_loader("stubs_tool", SourceFileLoader("stubs_tool", str(TOOL)))
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    for target, text in tool.generate().items():
        committed = target.read_text(encoding="utf-8")
        assert shape(text) == shape(committed), f"{target.name}: run tools/stubs"
