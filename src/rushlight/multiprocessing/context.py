"""Contexts: `multiprocessing`'s, whose processes can share memory from the start."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from multiprocessing import context as _std
from typing import Any

from rushlight.multiprocessing import _shm, queues


def _prepare() -> None:
    """The manager runs before the first child, so that what a child sends outlives it."""
    with suppress(OSError):  # without one, arrays travel by value
        _shm.manager_address()


class Process(multiprocessing.Process):
    """`multiprocessing.Process`; arrays among the arguments travel by shared memory."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        _prepare()
        return multiprocessing.Process._Popen(process_obj)


class ForkProcess(_std.ForkProcess):
    """A process started by ``fork``."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        _prepare()
        return _std.ForkProcess._Popen(process_obj)


class SpawnProcess(_std.SpawnProcess):
    """A process started by ``spawn``."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        _prepare()
        return _std.SpawnProcess._Popen(process_obj)


class ForkServerProcess(_std.ForkServerProcess):
    """A process started by ``forkserver``."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        _prepare()
        return _std.ForkServerProcess._Popen(process_obj)


class _Queues:
    """The queues over shared memory."""

    def Queue(self, maxsize: int = 0) -> Any:  # noqa: N802
        """A queue for objects with arrays."""
        return queues.Queue(maxsize, ctx=self)

    def JoinableQueue(self, maxsize: int = 0) -> Any:  # noqa: N802
        """A queue with ``task_done`` and ``join``."""
        return queues.JoinableQueue(maxsize, ctx=self)


class ForkContext(_Queues, _std.ForkContext):
    """The context of ``fork``."""

    Process = ForkProcess


class SpawnContext(_Queues, _std.SpawnContext):
    """The context of ``spawn``."""

    Process = SpawnProcess


class ForkServerContext(_Queues, _std.ForkServerContext):
    """The context of ``forkserver``."""

    Process = ForkServerProcess


_CONTEXTS: dict[str, Any] = {
    "fork": ForkContext(),
    "spawn": SpawnContext(),
    "forkserver": ForkServerContext(),
}


class DefaultContext(_Queues, _std.BaseContext):
    """What the module's own functions use: the start method is the process's, as set through this
    module or through `multiprocessing`."""

    Process = Process

    def get_context(self, method: str | None = None) -> Any:
        """The context of a start method; of the current one without an argument."""
        found = _CONTEXTS.get(method or self.get_start_method())
        if found is None:
            raise ValueError(f"cannot find context for {method!r}")
        found._check_available()
        return found

    def get_start_method(self, allow_none: bool = False) -> Any:
        """``fork``, ``spawn`` or ``forkserver``; chosen now unless ``allow_none``."""
        return multiprocessing.get_start_method(allow_none)

    def set_start_method(self, method: str | None, force: bool = False) -> None:
        """Chooses how processes start, once."""
        multiprocessing.set_start_method(method, force)

    def get_all_start_methods(self) -> list[str]:
        """What there is here, the default first."""
        return multiprocessing.get_all_start_methods()


default = DefaultContext()

__all__ = ["DefaultContext", "ForkContext", "ForkServerContext", "Process", "SpawnContext"]
