"""Writing programs as archives that ``torch.export.load`` opens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

from rushlight import _C

from .exported_program import ExportedProgram

DEFAULT_PICKLE_PROTOCOL = 2


def save(
    ep: ExportedProgram | Mapping[str, ExportedProgram],
    f: str | os.PathLike[str] | IO[bytes],
    *,
    extra_files: Mapping[str, str | bytes] | None = None,
    opset_version: Mapping[str, int] | None = None,
    pickle_protocol: int = DEFAULT_PICKLE_PROTOCOL,
) -> None:
    """Saves a program as a ``.pt2`` archive, which :func:`load` and ``torch.export.load`` open.

    Args:
        ep: the program, or several by name (PyTorch opens the one called ``"model"``).
        f: a path, where the file appears whole or not at all, or an object with ``write``.
        extra_files: further contents of the archive, by name.
        opset_version: versions of operator sets to write in place of the program's.
        pickle_protocol: as in PyTorch; nothing here is pickled again, so it changes nothing.

    Equal programs give equal files. A program that :func:`load` opened is written as its file had
    it, in-place operators, symbols and sample inputs included.

    Raises:
        TypeError: `ep` is no :class:`ExportedProgram`.
        NotImplementedError: the program has operators that this version lacks.
        OSError: the file can't be written.

    Example:
        >>> import rushlight
        >>> ep = rushlight.export.load("examples/digits/digits.pt2")
        >>> rushlight.export.save(ep, "/tmp/digits.pt2", extra_files={"labels.txt": "0 1 2"})
    """
    programs = {"model": ep} if isinstance(ep, ExportedProgram) else ep
    if not isinstance(programs, Mapping) or not programs:
        raise TypeError(f"save(): expected an ExportedProgram, got {type(ep).__name__}")
    for name, program in programs.items():
        if not isinstance(name, str) or not isinstance(program, ExportedProgram):
            raise TypeError(
                f"save(): expected programs by name, got {type(program).__name__} as {name!r}"
            )
    if not isinstance(pickle_protocol, int):
        raise TypeError(f"save(): pickle_protocol: expected an int, got {pickle_protocol!r}")
    target: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f
    _C.save_programs(
        target,
        {name: program._program for name, program in programs.items()},
        {name: _contents(name, text) for name, text in (extra_files or {}).items()},
        dict(opset_version or {}),
    )


def _contents(name: str, contents: str | bytes) -> bytes:
    if isinstance(contents, str):
        return contents.encode()
    if isinstance(contents, bytes):
        return contents
    raise TypeError(f"save(): extra_files[{name!r}]: expected str, got {type(contents).__name__}")
