"""What has been said about each operator so far; the engine learns of it once there is a kernel."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rushlight import _C
from rushlight.library._fake import quiet

Function = Callable[..., Any]


@dataclass
class Definition:
    """One operator: its schema, and the functions that people registered for it."""

    schema: str
    kernel: Function | None = None
    fake: Function | None = None
    autograd: tuple[Function, Function | None] | None = None

    def publish(self) -> None:
        """Tells the engine; programs loaded before keep what they had."""
        for function in (self.kernel, self.fake):
            if function is not None and not callable(function):
                raise TypeError(
                    f"{self.schema}: expected a function, got {type(function).__name__}"
                )
        if self.kernel is not None:
            _C.define_op(self.schema, self.kernel, None if self.fake is None else quiet(self.fake))


_lock = threading.RLock()
_definitions: dict[str, Definition] = {}  # by the name in the table: mylib.halve.default


def table_name(qualname: str) -> str:
    """``mylib::halve`` as the op table writes it, ``mylib.halve.default``."""
    namespace, found, name = qualname.partition("::")
    if not found or not namespace or not name:
        raise ValueError(f"expected a name of the form 'namespace::name', got {qualname!r}")
    return f"{namespace}.{name}" if "." in name else f"{namespace}.{name}.default"


def add(schema: str, kernel: Function | None = None, *, replace: bool = False) -> str:
    """Notes a schema; the operator's name in the table."""
    name = _C.check_schema(schema)
    with _lock:
        if name in _definitions and not replace:
            raise RuntimeError(
                f"operator {name} is defined twice; the first time as {_definitions[name].schema}"
            )
        definition = Definition(schema, kernel)
        definition.publish()
        _definitions[name] = definition
    return name


def change(name: str, **changes: Any) -> None:
    """Notes functions for an operator that has a schema. What the engine refuses is not noted."""
    with _lock:
        definition = find(name)
        changed = Definition(**{**vars(definition), **changes})
        changed.publish()
        _definitions[name] = changed


def find(name: str) -> Definition:
    with _lock:
        if name not in _definitions:
            known = ", ".join(sorted(_definitions)) or "none"
            raise RuntimeError(f"operator {name} has no schema yet; defined are: {known}")
        return _definitions[name]


def remove(name: str) -> None:
    with _lock:
        if _definitions.pop(name, None) is not None:
            _C.undefine_op(name)


def load(path: str | os.PathLike[str]) -> None:
    """Loads a shared library whose C++ code defines operators (``rushlight/library.h``).

    Raises:
        OSError: the file is missing or is no shared library for this machine.
        ValueError: it defines no operator, or a schema breaks the grammar.
        RuntimeError: it defines an operator of rushlight's own table.
    """
    _C.load_library(os.fspath(path))
