"""The names that files may use, and what stands for them.

``find`` is the only way from a name in a file to a Python object. What it returns is safe to call
with any arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

#: Modules from which nothing is taken, whatever a program allows.
BLOCKED_MODULES = frozenset({"sys", "os", "posix", "nt", "subprocess"})

_lock = threading.Lock()
_added: list[dict[str, Any]] = [{}]  # its item is replaced, never changed, under the lock
_defaults: dict[str, Any] = {}  # made on first use, under the lock


def full_name(module: str, name: str) -> str:
    """The name in today's Python of what a file calls ``module.name``."""
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

    module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
    return f"{module}.{name}"


def defaults() -> dict[str, Any]:
    """Name -> what stands for it, without what programs have added."""
    if not _defaults:
        from .allowed_defaults import make_defaults

        made = make_defaults()
        with _lock:
            _defaults.update(made)
    return _defaults


def user_allowed() -> dict[str, Any]:
    """Name -> what a program has allowed."""
    return _added[0]


def is_allowed(full: str) -> bool:
    """Whether files may use the name."""
    return full.partition(".")[0] not in BLOCKED_MODULES and (
        full in defaults() or full in _added[0]
    )


def _named(item: Any) -> tuple[str, Any]:
    if isinstance(item, tuple):
        if len(item) != 2:
            raise ValueError(
                "expected a tuple of a function or class and its full name, got one of length "
                f"{len(item)}"
            )
        if type(item[1]) is not str:
            raise TypeError(f"expected the full name to be a str, got {type(item[1]).__name__}")
        return item[1], item[0]
    if not hasattr(item, "__module__") or not hasattr(item, "__qualname__"):
        raise TypeError(f"expected a function or class, got {type(item).__name__}")
    return f"{item.__module__}.{item.__qualname__}", item


def add_safe_globals(safe_globals: Iterable[Callable[..., Any] | tuple[Any, str]]) -> None:
    """Lets files use functions and classes: each item is one, or a pair of it and the full name by
    which files know it. A file can then call it with any arguments.

    Raises:
        TypeError, ValueError: an item is neither.

    >>> from rushlight.serialization import add_safe_globals, clear_safe_globals
    >>> import collections
    >>> Point = collections.namedtuple("Point", "x y")
    >>> add_safe_globals([(Point, "shapes.Point")])
    >>> clear_safe_globals()
    """
    added = dict(_named(item) for item in safe_globals)
    with _lock:
        _added[0] = {**_added[0], **added}


def get_safe_globals() -> list[Callable[..., Any] | tuple[Any, str]]:
    """What was added, each as it was given."""
    return [
        value if _plain_name(value) == name else (value, name) for name, value in _added[0].items()
    ]


def _plain_name(item: Any) -> str:
    return f"{getattr(item, '__module__', '')}.{getattr(item, '__qualname__', '')}"


def clear_safe_globals() -> None:
    """Takes back everything that was added."""
    with _lock:
        _added[0] = {}


class safe_globals:  # noqa: N801 (PyTorch's name)
    """``with safe_globals([...]):`` is ``add_safe_globals`` for the length of a block."""

    def __init__(self, safe_globals: Iterable[Callable[..., Any] | tuple[Any, str]]) -> None:
        self._items = dict(_named(item) for item in safe_globals)

    def __enter__(self) -> None:
        with _lock:
            now = _added[0]
            self._before = {name: now[name] for name in self._items if name in now}
            _added[0] = {**now, **self._items}

    def __exit__(self, *_: object) -> None:
        with _lock:
            rest = {n: value for n, value in _added[0].items() if n not in self._items}
            _added[0] = {**rest, **self._before}


__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "safe_globals"]
