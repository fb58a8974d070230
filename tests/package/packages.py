"""Makes small packages for the tests."""

from __future__ import annotations

import io
import textwrap
from typing import Any

from rushlight.package import PackageExporter, PackageImporter

#: External modules that most code in the tests needs and no pattern names.
HOST = ("sys", "io", "numpy.**")


def export(files: dict[str, str], **options: Any) -> io.BytesIO:
    """A package with these sources; names that end in ``/`` are packages."""
    file = io.BytesIO()
    with PackageExporter(file, **options) as exporter:
        exporter.extern(HOST)
        save_sources(exporter, files)
    file.seek(0)
    return file


def save_sources(exporter: PackageExporter, files: dict[str, str]) -> None:
    """Puts sources into a package."""
    for dependencies in (False, True):  # all are there before any is searched
        for name, source in files.items():
            text = textwrap.dedent(source)
            exporter.save_source_string(
                name.removesuffix("/"), text, name.endswith("/"), dependencies
            )


def open_package(files: dict[str, str], **options: Any) -> PackageImporter:
    """A package with these sources, opened."""
    return PackageImporter(export(files, **options))
