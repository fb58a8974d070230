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
