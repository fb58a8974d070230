"""docs/coverage_torch.md says what is there."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

TOOL = Path(__file__).parents[2] / "tools" / "coverage_torch"


def load_tool() -> ModuleType:
    spec = spec_from_loader("coverage_tool", SourceFileLoader("coverage_tool", str(TOOL)))
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_page_is_current() -> None:
    tool = load_tool()
    assert tool.generate() == tool.TARGET.read_text(encoding="utf-8"), "run tools/coverage_torch"


def test_at_least_five_hundred_names() -> None:
    counted = load_tool().generate().count("| yes |")
    assert counted >= 500
