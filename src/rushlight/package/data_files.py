"""Data files that lie in the folders of interned packages."""

from __future__ import annotations

import importlib.machinery
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Files larger than this many bytes are not taken along unasked.
LARGEST = 64 << 20

_CODE = (".py", ".pyc", ".pyo", ".pyi", ".pyx", ".pxd", ".a", ".o", ".dll", ".dylib", ".so")


def find_data_files(folders: Sequence[str], package: str) -> Iterator[tuple[str, Path]]:
    """Paths in a package and the files behind them, sorted.

    Code, hidden files and links are left out, and folders that are packages themselves. A file
    larger than `LARGEST` is left out with a warning.
    """
    for folder in folders:
        root = Path(folder)
        if root.is_dir():
            yield from _in_folder(root, package.replace(".", "/"))


def _in_folder(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    suffixes = (*_CODE, *importlib.machinery.EXTENSION_SUFFIXES)
    for path in sorted(folder.iterdir()):
        name = f"{prefix}/{path.name}"
        if path.name.startswith((".", "__pycache__")) or path.is_symlink():
            continue
        if path.is_dir():
            # A folder with code is a package of its own, and comes along if it is interned.
            if not any(path.glob("*.py")):
                yield from _in_folder(path, name)
        elif path.is_file() and not path.name.endswith(suffixes):
            if path.stat().st_size > LARGEST:
                warnings.warn(
                    f"{path} ({path.stat().st_size >> 20} MiB) is left out of the package; "
                    "save_binary takes it along",
                    UserWarning,
                    stacklevel=2,
                )
            else:
                yield name, path
