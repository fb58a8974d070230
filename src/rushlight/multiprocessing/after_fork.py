"""What a forked child makes anew, whatever the parent's threads were doing during the fork."""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType
from typing import Protocol


class Renewable(Protocol):
    """Something with a state that makes no sense in a forked child."""

    def renew(self) -> None:
        """Called in the child."""


class ForkLock:
    """A reentrant lock that a forked child finds free.

    A lock that another thread of the parent holds during a fork would stay locked in the child for
    ever: the thread is not there to release it. So what the lock guards must be whole between any
    two statements.

    Example:
        >>> lock = ForkLock()
        >>> with lock:
        ...     pass
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        renew_in_children(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """A new lock, that nobody holds."""
        self._lock = threading.RLock()


_all: weakref.WeakSet[Renewable] = weakref.WeakSet()


def renew_in_children(obj: Renewable) -> None:
    """Calls ``obj.renew()`` in every child that is forked, by whomever, while the object lives."""
    _all.add(obj)


def _renew_all() -> None:
    for obj in list(_all):
        obj.renew()


os.register_at_fork(after_in_child=_renew_all)
