"""The settings of the recorder: each is an object with ``get``, ``set`` and a context manager.

    with rushlight.lazy.config.recording(False):
        ...  # operators run at the call

Each takes its first value from an environment variable, ``RUSHLIGHT_LAZY_`` and its name in
capitals. ``get_force_fallback``, ``set_force_fallback`` and ``set_reuse_ir`` are PyTorch's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from rushlight import _C

T = TypeVar("T", int, bool)


class Flag(Generic[T]):
    """One setting. ``default`` is what :meth:`reset` goes back to."""

    def __init__(
        self,
        name: str,
        default: T,
        least: int,
        doc: str,
        read: Callable[[], T],
        write: Callable[[T], object],
    ) -> None:
        self.name = name
        self.least = least
        self._read: Callable[[], T] = read
        self._write: Callable[[T], object] = write
        self.__doc__ = doc
        self.default: T = default
        text = os.environ.get(self.environment)
        if text is not None:
            self.default = self._parse(text)
            self.set(self.default)

    @property
    def environment(self) -> str:
        """The name of its environment variable."""
        return f"RUSHLIGHT_LAZY_{self.name.upper()}"

    def get(self) -> T:
        """The value now."""
        return self._read()

    def set(self, value: T) -> None:
        """Sets it.

        Raises:
            TypeError, ValueError: `value` is of another type, or too small.
        """
        wanted = type(self.default)
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            raise TypeError(f"{self.name}: expected {wanted.__name__}, got {type(value).__name__}")
        if wanted is int and value < self.least:
            raise ValueError(f"{self.name}: expected {self.least} or more, got {value}")
        self._write(value)

    def reset(self) -> None:
        """Back to the default: the environment's, if it has one."""
        self.set(self.default)

    @contextmanager
    def __call__(self, value: T) -> Iterator[None]:
        """Sets it for a ``with`` block."""
        before = self.get()
        self.set(value)
        try:
            yield
        finally:
            self.set(before)

    def _parse(self, text: str) -> T:
        if isinstance(self.default, bool):
            if text.lower() in ("1", "true", "on", "0", "false", "off"):
                return text.lower() in ("1", "true", "on")
            raise ValueError(f"{self.environment}: expected 0 or 1, got {text!r}")
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"{self.environment}: expected a number, got {text!r}") from None

    def __repr__(self) -> str:
        return f"<flag {self.name}={self.get()}>"


def _limit(name: str, engine_name: str, least: int, doc: str) -> Flag[int]:
    return Flag(
        name,
        _C.lazy_limit(engine_name),
        least,
        doc,
        lambda: _C.lazy_limit(engine_name),
        lambda value: _C.lazy_set_limit(engine_name, value),
    )


recording: Flag[bool] = Flag(
    "recording",
    True,
    0,
    "Record operators (default) or run them at the call. Holds for the calling thread.",
    _C.lazy_is_recording,
    _C.lazy_set_recording,
)
max_trace_calls = _limit(
    "max_trace_calls", "trace_calls", 1, "Operators recorded before they run by themselves."
)
max_trace_bytes = _limit(
    "max_trace_bytes",
    "trace_bytes",
    1,
    "Bytes of the results recorded before the operators run by themselves.",
)
max_programs = _limit(
    "max_programs", "programs", 1, "Compiled programs remembered; the least recently used goes."
)
max_history = _limit("max_history", "history", 1, "Compilations that explain() remembers.")
recompilation_warning = _limit(
    "recompilation_warning",
    "recompilations",
    0,
    "Recompilations for one line, among those remembered, until a UserWarning; 0: never.",
)

_async_closures = [100]
max_async_closures: Flag[int] = Flag(
    "max_async_closures",
    100,
    1,
    "Asynchronous step closures that may wait.",
    lambda: _async_closures[0],
    lambda value: _async_closures.__setitem__(0, value),
)

FLAGS: tuple[Flag[int] | Flag[bool], ...] = (
    recording,
    max_trace_calls,
    max_trace_bytes,
    max_programs,
    max_history,
    recompilation_warning,
    max_async_closures,
)


def reset() -> None:
    """Sets all flags back to their defaults."""
    for flag in FLAGS:
        flag.reset()


def get_force_fallback() -> str:
    """``"all"`` when every operator runs at the call, else ``""``."""
    return "" if recording.get() else "all"


def set_force_fallback(configval: str) -> None:
    """``"all"`` has every operator run at the call, ``""`` records again.

    Raises:
        ValueError: another text; single operators can't be chosen.
    """
    if configval not in ("", "all"):
        raise ValueError(f"set_force_fallback(): expected '' or 'all', got {configval!r}")
    recording.set(configval == "")


def set_reuse_ir(val: bool) -> None:
    """Changes nothing: a trace seen before is always reused."""
    if not isinstance(val, bool):
        raise TypeError(f"set_reuse_ir(): expected bool, got {type(val).__name__}")
