"""The queue of bytes in shared memory."""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
import threading
import time
from typing import Any

import pytest

from rushlight.multiprocessing import _shm
from rushlight.multiprocessing.arena import ShmQueue


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
