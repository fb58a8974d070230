"""`spawn`: several processes that run one function, and one error for all of them."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing.connection
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.multiprocessing.context import default

log = logging.getLogger(__name__)

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
#: Letters of a traceback that fit into a pipe nobody reads yet.
_LAST_WORDS = 15_000


class ProcessException(Exception):  # noqa: N818 - PyTorch's name
    """A process that `spawn` started failed."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """It raised an exception; the message ends with its traceback."""


class ProcessExitedException(ProcessException):
    """It ended by a signal (``signal_name``) or with an exit code other than 0."""

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.msg,
            self.error_index,
            self.error_pid,
            self.exit_code,
            self.signal_name,
        )


def _run(fn: Callable[..., Any], i: int, args: tuple[Any, ...], errors: Any) -> None:
    # Should the parent be killed, its children end too.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent ends us
    except Exception:
        errors.send(traceback.format_exc()[-_LAST_WORDS:])
        errors.close()
        sys.exit(1)


class ProcessContext:
    """Running processes; `join` waits for them."""

    def __init__(self, processes: Sequence[Any], error_pipes: Sequence[Any]) -> None:
        self.processes = list(processes)
        self._errors = list(error_pipes)
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Process numbers, by rank."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until a process fails or, for ``timeout`` seconds, until one more has ended.

        True if all have ended well. When one fails the others get ``grace_period`` seconds to end,
        then SIGTERM, then after as long again (30 s by default) SIGKILL.

        Raises:
            ProcessRaisedException: one raised; the message has its rank and traceback.
            ProcessExitedException: one ended by a signal or with another exit code than 0.
        """
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(list(self.sentinels), timeout)
        for sentinel in ready:
            rank = self.sentinels.pop(sentinel)
            process = self.processes[rank]
            process.join()
            if process.exitcode != 0:
                self._stop(grace_period)
                raise self._error(rank)
        return not self.sentinels

    def _join_all(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _stop(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._join_all(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._join_all(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Process %s ignores SIGTERM: killing it", process.pid)
                process.kill()
            process.join()

    def _error(self, rank: int) -> ProcessException:
        process = self.processes[rank]
        try:
            text = self._errors[rank].recv() if self._errors[rank].poll() else None
        except EOFError:
            text = None
        if text is not None:
            message = f"\n\n-- Process {rank} terminated with the following error:\n{text}"
            return ProcessRaisedException(message, rank, process.pid)
        code = process.exitcode
        if code >= 0:
            message = f"process {rank} terminated with exit code {code}"
            return ProcessExitedException(message, rank, process.pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        message = f"process {rank} terminated with signal {name}"
        return ProcessExitedException(message, rank, process.pid, code, name)


class SpawnContext(ProcessContext):
    """The former name of `ProcessContext`."""

    def __init__(self, processes: Sequence[Any], error_pipes: Sequence[Any]) -> None:
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_pipes)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts ``nprocs`` processes that call ``fn(rank, *args)``.

    With ``join`` waits for all and returns None, else returns a `ProcessContext`.
    """
    context = default.get_context(start_method)
    processes, errors = [], []
    try:
        for rank in range(nprocs):
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(fn, rank, args, sender), daemon=daemon)
            process.start()
            sender.close()
            processes.append(process)
            errors.append(receiver)
    except BaseException:
        for process in processes:
            process.kill()
            process.join()
        raise
    running = ProcessContext(processes, errors)
    if not join:
        return running
    while not running.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` with fresh interpreters; ``fn`` must be importable.

    Example:
        >>> spawn(print, args=("of 2",), nprocs=2)  # doctest: +SKIP
        0 of 2
        1 of 2
    """
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use rushlight.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, "spawn")
