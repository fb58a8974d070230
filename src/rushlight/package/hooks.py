"""Functions to call at export, each with a handle that removes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any


class RemovableHandle:
    """Removes one hook: by ``remove()``, or when its ``with`` block ends."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks = hooks
        self.id = key

    def remove(self) -> None:
        """Removes the hook; once removed, does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


class Hooks:
    """Functions in order of registration."""

    def __init__(self) -> None:
        self._hooks: dict[int, Callable[..., Any]] = {}
        self._keys = itertools.count()

    def register(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Adds a function."""
        key = next(self._keys)
        self._hooks[key] = hook
        return RemovableHandle(self._hooks, key)

    def __call__(self, *args: Any) -> None:
        for hook in list(self._hooks.values()):
            hook(*args)
