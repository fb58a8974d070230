"""``rushlight.nn``: so far `rushlight.nn.functional`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "functional":
        return import_module("rushlight.nn.functional")
    raise AttributeError(f"module 'rushlight.nn' has no attribute '{name}'")
