"""Who sees what when: memory shared with others, writes, views, threads, forks."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import rushlight as rl
from rushlight import _C


@pytest.fixture(autouse=True)
def _default_dtype() -> Iterator[None]:
    yield
    rl.set_default_dtype(rl.float32)


def test_numpy_memory_is_read_and_written_at_the_call() -> None:
    array = np.arange(5, dtype=np.float32)
    x = rl.from_numpy(array)
    y = x + 1
    array[0] = 100
    assert y.tolist() == [1, 2, 3, 4, 5]
    x.add_(1)
    assert array.tolist() == [101, 2, 3, 4, 5]


def test_a_held_array_sees_writes_and_may_write() -> None:
    x = rl.zeros(3) + 1
    array = x.numpy()
    y = x * 2
    array[:] = 7
    x.mul_(3)
    assert array.tolist() == [21, 21, 21]
    assert y.tolist() == [2, 2, 2]
    del array
    before = _C.lazy_counters()["RecordedCalls"]
    z = x + 1
    assert _C.lazy_counters()["RecordedCalls"] == before + 1
    assert z.tolist() == [22, 22, 22]


def test_an_array_taken_while_a_read_is_recorded() -> None:
    x = rl.ones(3).clone()
    x.tolist()
    y = x + 1
    x.numpy()[:] = 50
    assert y.tolist() == [2, 2, 2]


def test_writes_keep_the_address() -> None:
    x = rl.arange(6.0)
    x.tolist()
    address = x.data_ptr()
    x[2:4] = 0
    x.mul_(2)
    assert x.tolist() == [0, 2, 0, 0, 8, 10]
    assert x.data_ptr() == address


def test_default_dtype_is_that_of_the_call() -> None:
    x = rl.zeros(2) + 1
    rl.set_default_dtype(rl.float64)
    assert x.dtype == rl.float32
    assert x.tolist() == [1, 1]
    assert rl.zeros(2).dtype == rl.float64


def test_another_thread_uses_what_this_one_recorded() -> None:
    x = rl.ones(4) * 3
    seen: list[float] = []

    def use() -> None:
        x.add_(1)
        seen.append((x * 2).sum().item())

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert seen == [32]
    assert x.tolist() == [4] * 4


def test_a_write_waits_for_another_threads_reads() -> None:
    x = rl.ones(4)
    x.tolist()
    made = threading.Event()
    written = threading.Event()
    got: list[list[float]] = []

    def read_later() -> None:
        y = x + 1
        made.set()
        assert written.wait(10)
        got.append(y.tolist())

    thread = threading.Thread(target=read_later)
    thread.start()
    assert made.wait(10)
    x.mul_(10)
    x.tolist()
    written.set()
    thread.join()
    assert got == [[2] * 4]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_takes_what_was_recorded_along() -> None:
    x = rl.ones(4) * 3
    child = os.fork()
    if child == 0:
        os._exit(0 if x.tolist() == [3] * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert x.tolist() == [3] * 4


def test_an_error_in_the_data_costs_only_what_needs_it() -> None:
    x = rl.arange(3.0)
    lost = x[rl.tensor([5])] + 1
    kept = x * 2 + 1
    assert kept.tolist() == [1, 3, 5]
    with pytest.raises(IndexError, match=r"(?s)out of bounds.*test_memory\.py:\d+"):
        lost.tolist()
    with pytest.raises(IndexError, match="out of bounds"):
        (lost + 1).tolist()
