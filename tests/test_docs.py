"""Python in README.md and docs/ runs, block after block of a page, and so do its commands."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rushlight.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
LINKED = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^```(python|sh|console)\n(.*?)^```", re.M | re.S)

FENCED = re.compile(r"^```.*?^```", re.M | re.S)
# [text](file#part) but not a web address, and pages that are named: `docs/data.md`.
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)[^)]*\)")
NAMED = re.compile(r"`(docs/[\w./-]+\.md)`")


def absent(text: str, page: Path) -> list[str]:
    """Files that `text` links to and that are not there, seen from `page` (links) and the
    repository's folder (names)."""
    prose = FENCED.sub("", text)
    links = [link for link in LINK.findall(prose) if not (page.parent / link).exists()]
    return links + [name for name in NAMED.findall(prose) if not (ROOT / name).exists()]


@pytest.mark.parametrize("page", LINKED, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert absent(page.read_text(encoding="utf-8"), page) == []


def test_links_that_lead_nowhere_are_found() -> None:
    text = "[a](docs/nowhere.md#part) [b](README.md) [c](https://x.org/y) `docs/none.md`\n"
    text += "```python\nx = a[0](nothing)\n```\n"
    assert absent(text, ROOT / "README.md") == ["docs/nowhere.md", "docs/none.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Paths on the pages start at the repository's folder; what they write goes elsewhere."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"docs_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where classes look for their module
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        language, code = found.groups()
        line = text.count("\n", 0, found.start(2))
        if language == "python":
            exec(compile("\n" * line + code, str(page), "exec"), vars(module))
            continue
        for command in code.splitlines():
            words = shlex.split(command.removeprefix("$ "), comments=True)
            if words[:1] == ["rushlight"]:
                assert main(words[1:]) == 0, capsys.readouterr().err
