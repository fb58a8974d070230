"""Blocks of shared memory: who holds them, for how long, and what a killed process leaves."""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.multiprocessing import _shm, set_sharing_strategy
from rushlight.multiprocessing.arena import ShmQueue, adopt, allocate, give_up

METHODS = ["fork", "spawn", "forkserver"]


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@pytest.fixture(params=["file_descriptor", "file_system"])
def strategy(request: pytest.FixtureRequest) -> Iterator[str]:
    set_sharing_strategy(request.param)
    yield request.param
    set_sharing_strategy("file_descriptor")


def blocks() -> int:
    return _shm.manager_stat()["blocks"]


def test_a_block_lives_as_long_as_somebody_holds_it(strategy: str) -> None:
    before = blocks()
    block = allocate(1000)
    again = pickle.loads(pickle.dumps(block))
    memoryview(block)[:4] = b"here"
    assert bytes(memoryview(again)[:4]) == b"here"
    assert blocks() == before + 1
    del block
    assert blocks() == before + 1
    del again
    assert blocks() == before


def test_a_reference_in_flight_keeps_the_block() -> None:
    before = blocks()
    block = allocate(100)
    memoryview(block)[:4] = b"sent"
    message = pickle.dumps(block)
    del block
    others = [allocate(100) for _ in range(20)]
    for other in others:
        memoryview(other)[:] = bytes(100)
    assert bytes(memoryview(pickle.loads(message))[:4]) == b"sent"
    del others, other
    assert blocks() == before


def test_a_counted_reference_is_adopted_once() -> None:
    block = allocate(10)
    message = pickle.dumps(block)
    pickle.loads(message)
    with pytest.raises(OSError, match="received once"):
        pickle.loads(message)
    uncounted = block.reference(counted=False)
    for _ in range(3):
        assert adopt(*uncounted).address == block.address


def test_a_reference_given_up_is_gone() -> None:
    before = blocks()
    block = allocate(10)
    reference = block.reference()
    del block
    assert blocks() == before + 1
    give_up(*reference)
    assert blocks() == before
    with pytest.raises(OSError, match="gone"):
        adopt(*reference)


def test_an_old_reference_never_reaches_a_new_block() -> None:
    block = allocate(64)
    old = block.reference(counted=False)
    del block
    new = allocate(64)
    with pytest.raises(OSError, match="gone"):
        adopt(*old)
    assert new.nbytes == 64


@pytest.mark.parametrize(
    "bad", [("no such manager", 1, 0, 1, True), ("", 1, 0, 1, True), ("x" * 300, 1, 0, 1, True)]
)
def test_references_to_nowhere(bad: Any) -> None:
    with pytest.raises(OSError, match="manager"):
        adopt(*bad)


def test_bad_entries_and_segments() -> None:
    block = allocate(10)
    manager, segment, entry, generation, _ = block.reference(counted=False)
    with pytest.raises(OSError, match="not a reference"):
        adopt(manager, segment, 1 << 31, generation, False)
    with pytest.raises(OSError, match="gone"):
        adopt(manager, segment + 1000, entry, generation, False)
    with pytest.raises(OSError, match="gone"):
        adopt(manager, segment, entry, generation + 1, True)


def test_more_than_there_is_says_how_much_there_is() -> None:
    with pytest.raises(OSError, match=r"cannot reserve 17592186044416 bytes .* \d+ bytes are left"):
        allocate(1 << 44)
    with pytest.raises(OSError, match="cannot reserve"):
        allocate(1 << 60)


def test_memory_is_used_again() -> None:
    addresses = set()
    for _ in range(50):
        addresses.add(allocate(1 << 20).address)
    assert len(addresses) == 1


def test_numpy_arrays_keep_the_block() -> None:
    before = blocks()
    array = np.frombuffer(allocate(400), np.float32)
    part = array[10:20]
    del array
    assert blocks() == before + 1
    del part
    assert blocks() == before


def _echo(requests: ShmQueue, replies: ShmQueue) -> None:
    while (message := requests.get()) != b"end":
        assert message is not None
        block = pickle.loads(message)
        memoryview(block)[0] += 1
        replies.put(pickle.dumps(block))


@pytest.mark.parametrize("method", METHODS)
def test_other_processes_see_the_same_memory(method: str, strategy: str) -> None:
    before = blocks()
    requests, replies = ShmQueue(), ShmQueue()
    child: Any = mp.get_context(method).Process(target=_echo, args=(requests, replies))
    child.start()
    block = allocate(1 << 20)
    memoryview(block)[0] = 0
    for i in range(5):
        requests.put(pickle.dumps(block))
        reply = replies.get(timeout=60)
        assert reply is not None
        again = pickle.loads(reply)
        assert memoryview(block)[0] == i + 1
        assert again.address == block.address
    requests.put(b"end")
    child.join()
    assert child.exitcode == 0
    del block, again, requests, replies, child
    wait_until(lambda: blocks() == before)


def _hold(queue: ShmQueue, ready: ShmQueue) -> None:
    message = queue.get()
    assert message is not None
    held = [pickle.loads(message), allocate(5000)]
    ready.put(b"ready")
    time.sleep(60)
    held.clear()


@pytest.mark.parametrize("method", METHODS)
def test_a_killed_process_lets_go(method: str) -> None:
    queue, ready = ShmQueue(), ShmQueue()
    before = blocks()
    child: Any = mp.get_context(method).Process(target=_hold, args=(queue, ready))
    child.start()
    block = allocate(100)
    queue.put(pickle.dumps(block))
    assert ready.get(timeout=60) == b"ready"
    del block
    assert blocks() == before + 2
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    wait_until(lambda: blocks() == before)


def _leave_behind(queue: ShmQueue) -> None:
    block = allocate(1 << 20)
    memoryview(block)[:4] = b"left"
    queue.put(pickle.dumps(block))


@pytest.mark.parametrize("method", METHODS)
def test_what_was_sent_outlives_its_sender(method: str, strategy: str) -> None:
    queue = ShmQueue()
    child: Any = mp.get_context(method).Process(target=_leave_behind, args=(queue,))
    child.start()
    child.join()
    message = queue.get(timeout=0)
    assert message is not None
    assert bytes(memoryview(pickle.loads(message))[:4]) == b"left"


def test_a_forked_child_holds_what_its_parent_held() -> None:
    block = allocate(100)
    memoryview(block)[:5] = b"child"
    queue, go = ShmQueue(), ShmQueue()
    pid = os.fork()
    if pid == 0:
        go.get()
        queue.put(bytes(memoryview(block)[:5]))
        os._exit(0)
    del block
    for other in [allocate(100) for _ in range(5)]:
        memoryview(other)[:] = bytes(100)
    go.put(b"")
    assert queue.get(timeout=60) == b"child"
    os.waitpid(pid, 0)


def test_idle_memory_goes_back() -> None:
    blocks = [allocate(1 << 20) for _ in range(20)]
    assert _shm.usage()["idle_bytes"] < 20 << 20
    del blocks
    assert _shm.usage()["idle_bytes"] >= 20 << 20
    _shm.trim()
    assert _shm.usage()["idle_bytes"] < 1 << 20
