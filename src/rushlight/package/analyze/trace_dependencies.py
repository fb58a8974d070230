"""The modules that a call really uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any


def trace_dependencies(
    callable: Callable[..., Any], inputs: Iterable[tuple[Any, ...]]
) -> list[str]:
    """Calls ``callable`` with each tuple of arguments; gives the names of the modules whose Python
    functions ran, sorted. Only functions that run in this thread are seen.

    Args:
        callable: what to call.
        inputs: the arguments of each call.
    """
    modules: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_globals.get("__name__")
        if event == "call" and isinstance(name, str):
            modules.add(name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for arguments in inputs:
            callable(*arguments)
    finally:
        sys.setprofile(before)
    modules.discard(__name__)
    return sorted(modules)
