"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Write = Callable[[Any], Any]


@contextmanager
def whole_file(f: Any) -> Iterator[Write]:
    """A function that writes bytes to the file at a path, or to an object with ``write``. The file
    takes the place of an older one when the block ends without an exception."""
    if not isinstance(f, (str, os.PathLike)):
        yield f.write
        return
    target = Path(os.path.realpath(os.fspath(f)))
    if target.exists() and not target.is_file():
        raise OSError(f"cannot write '{target}': it is not a regular file")
    name = f"{target}.tmp-{os.getpid()}-{secrets.token_hex(4)}"
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            yield file.write
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink()
        raise


@contextmanager
def whole_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside the target, of the same ending, that takes its place when the block ends
    without an exception."""
    real = Path(os.path.realpath(target))
    if real.exists() and not real.is_file():
        raise OSError(f"cannot write '{real}': it is not a regular file")
    path = real.with_name(f"{real.stem}.tmp-{os.getpid()}-{secrets.token_hex(4)}{real.suffix}")
    try:
        yield path
        if real.exists():
            path.chmod(real.stat().st_mode & 0o777)
        path.replace(real)
    finally:
        path.unlink(missing_ok=True)
