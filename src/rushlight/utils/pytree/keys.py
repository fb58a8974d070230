"""Paths into a tree: tuples of keys that can be printed and followed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.utils.pytree.typing import KeyEntry

__all__ = ["key_get", "keystr"]


def keystr(kp: Iterable[KeyEntry]) -> str:
    """A path as it would be written in Python: ``['layers'][0].weight``."""
    return "".join([str(k) for k in kp])


def key_get(obj: Any, kp: Iterable[KeyEntry]) -> Any:
    """What stands in `obj` under the path `kp`."""
    for k in kp:
        obj = k.get(obj)
    return obj
