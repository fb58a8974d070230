"""What belongs to a device: the closures of the current step."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_contexts: dict[str, DeviceContext] = {}
_lock = threading.Lock()


class DeviceContext:
    """The state of one device; get it from :func:`get_device_context`."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.async_closure_handler: Callable[[list[Callable[[], Any]]], None] | None = None
        self._closures: dict[bool, list[Callable[[], Any]]] = {True: [], False: []}

    def add_closure(self, closure: Callable[[], Any], run_async: bool) -> None:
        """Keeps a closure for the end of the step."""
        with _lock:
            self._closures[bool(run_async)].append(closure)

    def take_closures(self) -> tuple[list[Callable[[], Any]], list[Callable[[], Any]]]:
        """The asynchronous and the other closures, which are then forgotten."""
        with _lock:
            taken = self._closures[True], self._closures[False]
            self._closures = {True: [], False: []}
        return taken


def get_device_context(device: str | None = None) -> DeviceContext:
    """The context of `device`, by default the CPU's; made when it is first asked for."""
    name = "cpu" if device is None else str(device)
    with _lock:
        if name not in _contexts:
            _contexts[name] = DeviceContext(name)
        return _contexts[name]
