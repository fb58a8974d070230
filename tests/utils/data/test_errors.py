"""What goes wrong in workers, and what the caller gets to know."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rushlight.utils.data import DataLoader
from rushlight.utils.data.errors import RemoteTraceback
from tests.utils.data.datasets import Squares, Trouble, plain


@pytest.fixture(autouse=True)
def _no_workers_of_tests_before() -> None:
    gc.collect()  # pytest keeps exceptions, whose frames hold iterators and so workers
    assert multiprocessing.active_children() == []


def load(what: str, kind: str = "process", **more: Any) -> list[Any]:
    return list(DataLoader(Trouble(10, what), 2, num_workers=2, worker_type=kind, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_exceptions_keep_their_type(kind: str) -> None:
    with pytest.raises(ZeroDivisionError, match="sample five") as caught:
        load("raise", kind)
    cause = caught.value.__cause__
    assert isinstance(cause, RemoteTraceback)
    assert f"Caught ZeroDivisionError in DataLoader worker {kind} 0" in str(cause)
    assert "samples [4, 5]" in str(cause)
    assert "in __getitem__" in str(cause)
    assert 'raise ZeroDivisionError("sample five")' in str(cause)


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_an_exit_in_a_worker_says_where(kind: str) -> None:
    with pytest.raises(
        RuntimeError, match=r"SystemExit in DataLoader worker .*\[4, 5\]: 3"
    ) as caught:
        load("sys.exit", kind)
    assert "sys.exit(3)" in str(caught.value.__cause__)


def test_a_child_that_the_dataset_forked_may_exit() -> None:
    assert len(load("fork and exit")) == 5


def test_exceptions_without_workers_are_plain() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(DataLoader(Trouble(10, "raise"), 2))
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_exceptions_that_cannot_be_rebuilt(kind: str) -> None:
    with pytest.raises(RuntimeError, match=r"OddError in DataLoader worker .*: 1 and 2") as caught:
        load("odd", kind)
    assert "Original Traceback" in str(caught.value.__cause__)


@pytest.mark.parametrize("n", [0, 2])
def test_stop_iteration_does_not_end_the_loop_silently(n: int) -> None:
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        list(DataLoader(Trouble(10, "stop"), 2, num_workers=n))


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_loading_goes_on_after_an_exception(kind: str) -> None:
    iterator = iter(DataLoader(Trouble(10, "raise"), 2, num_workers=2, worker_type=kind))  # type: ignore[arg-type]
    got = []
    for _ in range(5):
        try:
            got.append(plain(next(iterator)[0]))
        except ZeroDivisionError:
            got.append("error")
    assert got == [[0, 1], [2, 3], "error", [6, 7], [8, 9]]
    assert next(iterator, None) is None


def test_killed_worker() -> None:
    start = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        load("kill")
    assert time.monotonic() - start < 5
    message = str(caught.value)
    assert "was killed by SIGKILL" in message
    assert "worker 0" in message
    assert "4, 5" in message
    assert "memory runs out" in message
    assert multiprocessing.active_children() == []


def test_worker_that_exits() -> None:
    with pytest.raises(RuntimeError, match="exit code 3"):
        load("exit")


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_hung_worker_shows_its_stack(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rushlight.utils.data.process_pool.GRACE", 0.2)
    monkeypatch.setattr("rushlight.utils.data.thread_pool.GRACE", 0.2)
    monkeypatch.setattr(time, "sleep", lambda s: _sleep(min(s, 3)))  # a thread cannot be killed
    with pytest.raises(RuntimeError, match=r"timed out after 0.5 seconds") as caught:
        load("hang", kind, timeout=0.5)
    assert "wait_for_ever" in str(caught.value)
    assert "samples [4, 5" in str(caught.value)
    assert multiprocessing.active_children() == []


_sleep = time.sleep


def test_batches_that_cannot_be_pickled() -> None:
    with pytest.raises(Exception, match=r"batch\[1\]\['handle'\]\[0\] .* cannot be pickled"):
        load("unpicklable", collate_fn=list)


def test_collate_errors_name_the_place() -> None:
    with pytest.raises(TypeError, match=r"\['b'\]: NoneType"):
        list(DataLoader(Trouble(10, "none"), 1, num_workers=1))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_datasets_that_cannot_be_pickled(method: str) -> None:
    dataset = Squares(4)
    dataset.options = {"lock": [threading.Lock()]}  # type: ignore[attr-defined]
    loader = DataLoader(dataset, num_workers=1, multiprocessing_context=method)
    with pytest.raises(TypeError, match=r"dataset\.options\['lock'\]\[0\] \(lock\) cannot be"):
        iter(loader)


def fail(worker: int) -> None:
    raise OSError("no such disk")


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_errors_of_worker_init_fn(kind: str) -> None:
    with pytest.raises(OSError, match="no such disk") as caught:
        list(DataLoader(Squares(4), num_workers=1, worker_type=kind, worker_init_fn=fail))  # type: ignore[arg-type]
    assert "starting" in str(caught.value.__cause__)


SLOW = """
import os, sys, time
from rushlight.utils.data import DataLoader

class Slow:
    def __len__(self): return 1000
    def __getitem__(self, i):
        time.sleep(0.02)
        return i

loader = DataLoader(Slow(), 2, num_workers=2)
for batch in loader:
    import multiprocessing
    print(*[p.pid for p in multiprocessing.active_children()], flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_child_outlives_the_program(number: signal.Signals) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0 if sys.version_info >= (3, 11) else None,  # type: ignore[call-overload]
    )
    assert child.stdout is not None
    pids = [int(p) for p in child.stdout.readline().split()]
    assert len(pids) == 2
    child.send_signal(number)
    _, error = child.communicate(timeout=20)
    assert child.returncode != 0
    if number == signal.SIGINT:
        assert error.count("KeyboardInterrupt") == 1, error
    deadline = time.monotonic() + 8
    while any(alive(p) for p in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_leaving_early_leaves_nothing() -> None:
    list(DataLoader(Squares(4), num_workers=1))  # starts what stays for the whole process
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(4):
        for _batch in DataLoader(Squares(1000), 1, num_workers=2):
            break
    assert multiprocessing.active_children() == []
    assert len([*Path("/proc/self/fd").iterdir()]) <= before + 1
