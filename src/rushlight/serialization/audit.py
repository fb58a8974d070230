"""Which names a file would need that are not allowed."""

from __future__ import annotations

from typing import Any

from rushlight import _C

from .allowed import full_name, is_allowed
from .load import open_zip
from .source import open_source


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The functions and classes that the file names and that are not allowed, sorted. Nothing is
    loaded.

    Raises:
        ValueError: the file is none that ``save`` writes in the zip format.
        pickle.UnpicklingError: the pickle in it is not valid.

    >>> import io, rushlight
    >>> from rushlight.serialization import get_unsafe_globals_in_checkpoint
    >>> file = io.BytesIO()
    >>> rushlight.save([1, 2], file)
    >>> get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue()))
    []
    """
    from .errors import UnpicklingError

    source = open_source(f, None)
    if bytes(source.view[:4]) != b"PK\x03\x04":
        raise ValueError(f"{source.name}: expected a file of torch.save in the zip format")
    try:
        reader = open_zip(source)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    program = _C.PickleProgram(reader.get_record("data.pkl"))
    if program.error:
        raise UnpicklingError(f"{source.name}: {program.error}")
    names = {full_name(module, name) for module, name in program.globals}
    return sorted(name for name in names if not is_allowed(name))
