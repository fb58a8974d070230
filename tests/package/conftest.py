"""Packages are closed and made-up modules forgotten after each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rushlight.package.mangling import is_mangled


@pytest.fixture(autouse=True)
def _forget_modules() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        module = sys.modules[name]
        file = getattr(module, "__file__", None) or ""
        if is_mangled(name) or "/pytest-" in str(file):
            del sys.modules[name]


@pytest.fixture
def source_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on ``sys.path`` for modules of the test."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder
