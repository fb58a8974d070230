"""Errors of workers, as the loader's caller sees them."""

from __future__ import annotations

import pickle
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SHOWN_KEYS = 20


class RemoteTraceback(Exception):  # noqa: N818 - it is what went before an error
    """The cause of an error that came from a worker: the worker's traceback and where it was."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


@dataclass
class Failure:
    """An exception on its way from a worker."""

    error: bytes | None  # pickled, if it can be rebuilt
    type_name: str
    message: str
    traceback: str
    where: str

    def rebuild(self) -> BaseException:
        """The exception, its cause the worker's traceback."""
        report = f"Caught {self.type_name} in {self.where}.\nOriginal {self.traceback.rstrip()}"
        error: BaseException
        try:
            if self.error is None:
                raise TypeError
            error = pickle.loads(self.error)
        except Exception:
            error = RuntimeError(f"{self.type_name} in {self.where}: {self.message}")
        error.__cause__ = RemoteTraceback(report)
        if hasattr(error, "add_note"):
            error.add_note(f"in {self.where}")
        return error


def capture(error: BaseException, where: str) -> Failure:
    """An exception made ready to travel."""
    if isinstance(error, StopIteration):  # would end the caller's loop without a word
        error = _instead_of(error)
    pickled: bytes | None
    try:
        pickled = pickle.dumps(error)
        # SystemExit and the like were meant for the worker, not for the caller.
        if type(pickle.loads(pickled)) is not type(error) or not isinstance(error, Exception):
            pickled = None
    except Exception:
        pickled = None
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Failure(pickled, type(error).__name__, str(error), text, where)


def _instead_of(error: StopIteration) -> RuntimeError:
    replacement = RuntimeError("the dataset raised StopIteration")
    replacement.__cause__ = error
    return replacement.with_traceback(error.__traceback__)


def keys_text(keys: Any) -> str:
    """Sample keys for a message, the first of them if there are many."""
    if not isinstance(keys, list | tuple):
        return repr(keys)
    shown = ", ".join(repr(k) for k in keys[:SHOWN_KEYS])
    return f"[{shown}{', ...' if len(keys) > SHOWN_KEYS else ''}]"


def death_message(worker: int, pid: int | None, code: int | str | None, keys: Any) -> str:
    """What to say about a worker that is gone. ``code``: its exit code, or why it is gone."""
    how = code if isinstance(code, str) else f"ended with exit code {code}"
    hint = ""
    if isinstance(code, int) and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        how = f"was killed by {name}"
        if name == "SIGKILL":
            hint = (
                " The system kills processes so when memory runs out (see dmesg): use fewer "
                "workers, a smaller prefetch_factor or smaller batches."
            )
        if name == "SIGBUS":
            hint = " A file that it had mapped got shorter, or shared memory ran out."
    return (
        f"DataLoader worker{f' (pid {pid})' if pid else ''} exited unexpectedly: "
        f"worker {worker} {how}, in flight: {keys}.{hint}"
    )


def pickling_error(value: Any, name: str, error: BaseException) -> BaseException:
    """The error of pickling ``value``, with the path to the part that cannot be pickled."""
    path = unpicklable_path(value, name)
    return type(error)(f"{path} cannot be pickled: {error}") if _plain(error) else error


def _plain(error: BaseException) -> bool:
    return isinstance(error, TypeError | AttributeError | pickle.PicklingError | ValueError)


def unpicklable_path(
    value: Any, name: str, dumps: Callable[[Any], Any] = pickle.dumps, depth: int = 8
) -> str:
    """The way from a value to the part of it that cannot be pickled: ``dataset.files['a']``."""
    for child, child_name in _children(value, name) if depth else ():
        try:
            dumps(child)
        except Exception:
            return unpicklable_path(child, child_name, dumps, depth - 1)
    return f"{name} ({type(value).__name__})"


def _children(value: Any, name: str) -> list[tuple[Any, str]]:
    if isinstance(value, dict):
        return [(v, f"{name}[{k!r}]") for k, v in value.items()]
    if isinstance(value, list | tuple):
        return [(v, f"{name}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return []
    return [(v, f"{name}.{k}") for k, v in vars(value).items()]
