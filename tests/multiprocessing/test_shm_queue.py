"""The queue of bytes in shared memory."""

from __future__ import annotations

import gc
import multiprocessing as mp
import os
import signal
import threading
import time
from typing import Any

import pytest

from rushlight.multiprocessing import _shm
from rushlight.multiprocessing.arena import ShmQueue, allocate


def test_order_sizes_and_wrapping() -> None:
    queue = ShmQueue(capacity=4096)
    sent = [os.urandom(n % 700) for n in range(0, 20000, 37)]
    received = []
    for message in sent:
        while not queue.put(message, timeout=0):
            received.append(queue.get(timeout=0))
    while not queue.empty():
        received.append(queue.get(timeout=0))
    assert received == sent


def test_large_messages_go_beside_the_ring() -> None:
    before = _shm.manager_stat()["blocks"]
    queue = ShmQueue(capacity=4096)
    large = os.urandom(100_000)
    for _ in range(10):
        assert queue.put(large, timeout=0)
    assert queue.qsize() == 10
    for _ in range(10):
        assert queue.get(timeout=0) == large
    del queue
    assert _shm.manager_stat()["blocks"] == before


def test_timeouts() -> None:
    queue = ShmQueue(capacity=4096, max_messages=2)
    start = time.monotonic()
    assert queue.get(timeout=0.05) is None
    assert queue.put(b"1")
    assert queue.put(b"2")
    assert not queue.put(b"3", timeout=0.05)
    assert 0.09 < time.monotonic() - start < 10
    assert (queue.get(), queue.get()) == (b"1", b"2")


def test_closing_wakes_everybody() -> None:
    queue = ShmQueue(capacity=4096, max_messages=1)
    errors = []

    def wait() -> None:
        try:
            queue.get()
        except ValueError as error:
            errors.append(error)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    queue.close()
    for thread in threads:
        thread.join(20)
    assert len(errors) == 3
    with pytest.raises(ValueError, match="closed"):
        queue.put(b"")


def test_what_is_in_a_closed_queue_can_be_read() -> None:
    queue = ShmQueue()
    queue.put(b"last")
    queue.close()
    assert queue.get() == b"last"
    with pytest.raises(ValueError, match="closed"):
        queue.get()


def test_an_interrupt_reaches_a_waiting_get() -> None:
    queue = ShmQueue()
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        queue.get(timeout=60)
    timer.join()


def _send(queue: ShmQueue, sender: int, count: int) -> None:
    for i in range(count):
        queue.put(b"%d %d" % (sender, i))


def test_many_senders() -> None:
    queue = ShmQueue(capacity=4096)
    context = mp.get_context("fork")
    senders = [context.Process(target=_send, args=(queue, i, 500)) for i in range(3)]
    for sender in senders:
        sender.start()
    received = [queue.get(timeout=60) for _ in range(1500)]
    for sender in senders:
        sender.join()
    for i in range(3):
        mine = [m for m in received if m is not None and m.startswith(b"%d " % i)]
        assert mine == [b"%d %d" % (i, k) for k in range(500)]


def _send_for_ever(queue: ShmQueue, sender: int) -> None:
    i = 0
    while True:
        queue.put(b"%d %d " % (sender, i) + bytes(i % 97))
        i += 1


def test_a_killed_sender_harms_nobody() -> None:
    queue = ShmQueue(capacity=8192)
    context = mp.get_context("fork")
    steady: Any = context.Process(target=_send_for_ever, args=(queue, 0), daemon=True)
    steady.start()
    following = 0
    for round_ in range(1, 9):
        victim: Any = context.Process(target=_send_for_ever, args=(queue, round_), daemon=True)
        victim.start()
        expected = 0
        for step in range(200 + 37 * round_):
            message = queue.get(timeout=60)
            assert message is not None
            sender, number, tail = message.split(b" ", 2)
            if int(sender) == 0:
                assert int(number) == following
                assert tail == bytes(following % 97)
                following += 1
            elif int(sender) == round_:
                assert int(number) == expected
                expected += 1
            if step == 100 + round_:
                os.kill(victim.pid, signal.SIGKILL)
        victim.join()
    steady.kill()
    steady.join()


def blocks() -> int:
    gc.collect()
    return _shm.manager_stat()["blocks"]


def receive(queue: ShmQueue) -> Any:
    message = queue.receive(timeout=0)
    assert message is not None
    return message


def test_blocks_travel_with_their_message() -> None:
    before = blocks()
    queue = ShmQueue()
    block = allocate(1000)
    memoryview(block)[:4] = b"here"
    queue.put(b"data", blocks=[block, allocate(10)])
    del block
    assert blocks() == before + 3
    data, received = receive(queue)
    assert data == b"data"
    assert [b.nbytes for b in received] == [1000, 10]
    assert bytes(memoryview(received[0])[:4]) == b"here"
    del received
    assert blocks() == before + 1
    del queue
    assert blocks() == before


def test_a_block_in_several_messages_stays_for_the_last_one() -> None:
    before = blocks()
    queue, other = ShmQueue(capacity=4096), ShmQueue(capacity=4096)
    block = allocate(100)
    memoryview(block)[:4] = b"kept"
    for target in (queue, other, queue, queue):
        target.put(b"", blocks=[block])
    del block
    for target in (queue, queue, other, queue):
        _, (received,) = receive(target)
        del _
        assert bytes(memoryview(received)[:4]) == b"kept"
        del received
        for spoiler in [allocate(100) for _ in range(3)]:
            memoryview(spoiler)[:] = bytes(100)
        del spoiler
    assert blocks() == before + 2


def test_a_queue_that_nobody_has_keeps_nothing() -> None:
    before = blocks()
    queue, inner = ShmQueue(), ShmQueue()
    inner.put(b"inside", blocks=[allocate(100)])
    queue.put(b"", blocks=[inner._ring.block, allocate(5)])
    del inner
    assert blocks() == before + 4
    del queue
    assert blocks() == before


def test_more_queues_than_have_a_bit_in_blocks() -> None:
    before = blocks()
    queues = [ShmQueue(capacity=1024) for _ in range(200)]
    for i, queue in enumerate(queues):
        queue.put(b"", blocks=[allocate(100 + i)])
    for i, queue in enumerate(queues):
        assert receive(queue)[1][0].nbytes == 100 + i
    del queue
    queues.clear()
    assert blocks() == before


def _take_all(queue: ShmQueue, ready: ShmQueue) -> None:
    while True:
        message = queue.receive()
        assert message is not None
        ready.put(b"")


def test_killed_receivers_leave_nothing_in_flight() -> None:
    before, in_flight = blocks(), _shm.manager_stat()["in_flight"]
    context = mp.get_context("fork")
    queue, ready = ShmQueue(capacity=4096), ShmQueue()
    for round_ in range(20):
        victim: Any = context.Process(target=_take_all, args=(queue, ready), daemon=True)
        victim.start()
        for _ in range(3 + round_):
            queue.put(b"", blocks=[allocate(5000)])
        ready.get(timeout=60)
        victim.kill()
        victim.join()
    while queue.receive(timeout=0) is not None:
        pass
    end = time.monotonic() + 20
    while blocks() != before + 2:
        assert time.monotonic() < end, _shm.manager_stat()
        time.sleep(0.01)
    assert _shm.manager_stat()["in_flight"] == in_flight
