"""Queues: the interface of multiprocessing, and what it does not promise."""

from __future__ import annotations

import pickle
import queue as standard
import threading
from typing import Any

import numpy as np
import pytest

import rushlight
import rushlight.multiprocessing as mp
from rushlight.multiprocessing import _shm
from tests.multiprocessing import children

METHODS = ["fork", "spawn", "forkserver"]


def test_first_in_first_out() -> None:
    queue = mp.Queue()
    for i in range(1000):
        queue.put(i)
    assert queue.qsize() == 1000
    assert [queue.get() for _ in range(1000)] == list(range(1000))
    assert queue.empty()


def test_an_unbounded_queue_never_makes_put_wait() -> None:
    queue = mp.Queue()
    sent = [np.full(1000, i) for i in range(3000)]  # 24 MB, far more than the ring holds
    for array in sent:
        queue.put(array)
    assert [int(queue.get(timeout=60)[0]) for _ in sent] == list(range(3000))
    queue.close()
    queue.join_thread()


def test_a_bounded_queue_takes_so_many_of_any_size() -> None:
    queue = mp.Queue(maxsize=20)
    for i in range(20):
        queue.put("x" * 60_000 + str(i), timeout=0)
    assert queue.full()
    with pytest.raises(standard.Full):
        queue.put_nowait("more")
    with pytest.raises(standard.Full):
        queue.put("more", timeout=0.01)
    assert [queue.get()[60_000:] for _ in range(20)] == [str(i) for i in range(20)]


def test_a_message_that_found_no_room_holds_nothing() -> None:
    queue = mp.Queue(maxsize=1)
    queue.put(1)
    before = _shm.manager_stat()
    with pytest.raises(standard.Full):
        queue.put_nowait(np.ones(100_000))
    assert _shm.manager_stat() == before


def test_empty() -> None:
    queue = mp.Queue()
    with pytest.raises(standard.Empty):
        queue.get_nowait()
    with pytest.raises(standard.Empty):
        queue.get(timeout=0.01)


def test_closed() -> None:
    queue = mp.Queue()
    queue.put(1)
    with pytest.raises(AssertionError, match="not closed"):
        queue.join_thread()
    queue.close()
    queue.join_thread()
    with pytest.raises(ValueError, match="is closed"):
        queue.put(2)
    with pytest.raises(ValueError, match="is closed"):
        queue.get()


def test_what_cannot_be_pickled_raises_in_put() -> None:
    queue = mp.Queue()
    with pytest.raises((AttributeError, pickle.PicklingError)):
        queue.put(lambda: None)
    queue.put("next")
    assert queue.get() == "next"


def test_a_queue_through_a_queue() -> None:
    outer, inner = mp.Queue(), mp.Queue()
    outer.put(inner)
    outer.get().put("deep")
    assert inner.get() == "deep"


@pytest.mark.parametrize("method", METHODS)
def test_arrays_there_and_back(method: str) -> None:
    context = mp.get_context(method)
    requests, replies = context.Queue(), context.Queue()
    child = context.Process(target=children.echo, args=(requests, replies))
    child.start()
    small, large = np.arange(10.0), np.arange(100_000.0)
    tensor = rushlight.Tensor(np.ones((300, 300)))
    for message in [small, large, {"a": [small, (large, large[10:20])], "t": tensor}]:
        requests.put(message)
        received = replies.get(timeout=60)
        if isinstance(message, dict):
            assert np.array_equal(received["a"][1][0], large)
            received["a"][1][0][12] = -1
            assert received["a"][1][1][2] == -1
            assert received["t"].numpy().sum() == 90_000
        else:
            assert np.array_equal(received, message)
    requests.put(None)
    child.join()
    assert child.exitcode == 0


@pytest.mark.parametrize("method", METHODS)
def test_what_was_put_arrives_after_the_process_has_ended(method: str) -> None:
    context = mp.get_context(method)
    queue = context.Queue()
    child = context.Process(target=children.send_and_exit, args=(queue, 400, 500))
    child.start()
    received = [queue.get(timeout=60) for _ in range(400)]
    child.join()
    assert [int(a[0]) for a in received] == list(range(400))
    assert all(len(a) == 500 for a in received)


def test_several_threads() -> None:
    queue = mp.Queue()
    threads = [
        threading.Thread(target=lambda i=i: [queue.put((i, k)) for k in range(300)])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    received = [queue.get(timeout=60) for _ in range(1200)]
    for thread in threads:
        thread.join()
    for i in range(4):
        assert [k for j, k in received if j == i] == list(range(300))


def _work(queue: Any, results: Any) -> None:
    while (item := queue.get()) is not None:
        results.put(item * 2)
        queue.task_done()
    queue.task_done()


def test_joinable() -> None:
    context = mp.get_context("fork")
    queue, results = context.JoinableQueue(), context.Queue()
    child = context.Process(target=_work, args=(queue, results))
    child.start()
    for i in range(50):
        queue.put(i)
    queue.join()
    assert [results.get() for _ in range(50)] == [2 * i for i in range(50)]
    queue.put(None)
    queue.join()
    child.join()
    with pytest.raises(ValueError, match="too many times"):
        queue.task_done()
