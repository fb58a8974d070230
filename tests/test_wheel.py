"""The package that is being tested is complete; ``tools/check_wheel`` looks into a built wheel."""

from __future__ import annotations

import importlib.metadata
from email.message import Message
from pathlib import Path
from typing import cast

import rushlight
from tests.wheel_contents import check_files, check_metadata


def test_package_is_complete() -> None:
    package = Path(rushlight.__file__).parent
    check_files(f"rushlight/{p.relative_to(package).as_posix()}" for p in package.rglob("*"))


def test_installed_distribution() -> None:
    """Without an installation (a developer's build folder) there is no distribution to look at."""
    for distribution in importlib.metadata.distributions(name="rushlight"):
        files = [str(f) for f in distribution.files or []]
        package = Path(rushlight.__file__).parent
        if files and Path(str(distribution.locate_file("rushlight"))) == package:
            check_files(files)
            check_metadata(cast(Message, distribution.metadata))
            scripts = {e.name for e in distribution.entry_points}
            assert "rushlight" in scripts
