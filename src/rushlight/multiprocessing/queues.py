"""`Queue` and `JoinableQueue` over a ring in shared memory.

The interface is that of `multiprocessing`. What differs: `put` pickles at once, so an object that
cannot be pickled raises there and later changes to it do not matter; a process killed while it
puts or gets takes no lock with it; a queue may be sent through another queue.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from multiprocessing import util
from queue import Empty, Full
from typing import Any

from rushlight.multiprocessing._shm import Block
from rushlight.multiprocessing.after_fork import renew_in_children
from rushlight.multiprocessing.arena import Data, ShmQueue
from rushlight.multiprocessing.pickling import pack, unpack

_SMALLEST, _LARGEST = 256 * 1024, 8 * 1024 * 1024  # bytes of the ring
_REFERENCE_BYTES = 256  # room for a message that lies elsewhere


class Queue:
    """A first-in, first-out queue for any number of processes.

    ``maxsize`` > 0 is the number of objects it holds before `put` waits. Arrays inside objects
    travel by shared memory.

    Example:
        >>> queue = Queue()
        >>> queue.put({"loss": 0.5})
        >>> queue.get()
        {'loss': 0.5}
    """

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        self._ctx = ctx
        self._maxsize = max(maxsize, 0)
        capacity = min(max(self._maxsize * _REFERENCE_BYTES, _SMALLEST), _LARGEST)
        self._set(ShmQueue(capacity, self._maxsize))

    def _set(self, ring: ShmQueue) -> None:
        self._ring = ring
        self._closed = False
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Nothing waits to be sent. A forked child has neither the feeder nor what it had to
        send."""
        self._backlog: deque[tuple[Data, list[Block]]] = deque()
        self._change = threading.Condition()
        self._feeder: threading.Thread | None = None
        self._flush: Any = None
        self._wait_at_exit = True

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Adds an object; `queue.Full` if there is no room in time. ValueError if closed."""
        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")
        if self._maxsize:
            self._put_bounded(obj, timeout if block else 0)
            return
        data, blocks = pack(obj)
        # What this thread put before is inside if nothing is left here.
        if not self._backlog and self._ring.put_somewhere(data, 0, blocks):
            return
        with self._change:
            self._backlog.append((data, blocks))
            if self._feeder is None:
                self._start_feeder()
            self._change.notify()

    def _put_bounded(self, obj: Any, timeout: float | None) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        # Pickled when there is room: copies that nobody asked for yet would fill memory.
        if not self._ring.wait_for_room(timeout):
            raise Full
        data, blocks = pack(obj)
        if self._ring.put_somewhere(data, 0, blocks):
            return
        left = None if end is None else max(0.0, end - time.monotonic())
        if not self._ring.put_somewhere(data, left, blocks):
            raise Full

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Removes and returns an object; `queue.Empty` if there is none in time."""
        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")
        message = self._ring.receive(timeout if block else 0)
        if message is None:
            raise Empty
        return unpack(*message)

    def put_nowait(self, obj: Any) -> None:
        """`put` that does not wait."""
        self.put(obj, False)

    def get_nowait(self) -> Any:
        """`get` that does not wait."""
        return self.get(False)

    def qsize(self) -> int:
        """Objects inside."""
        return self._ring.qsize() + len(self._backlog)

    def empty(self) -> bool:
        """Whether there is nothing to get now."""
        return self._ring.empty()

    def full(self) -> bool:
        """Whether `put` would wait."""
        return bool(self._maxsize) and self._ring.qsize() >= self._maxsize

    def close(self) -> None:
        """This process puts and gets no more; others may. What was put still arrives."""
        self._closed = True
        with self._change:
            self._change.notify()

    def join_thread(self) -> None:
        """Waits until what was put has left this process; after `close`."""
        if not self._closed:
            raise AssertionError(f"Queue {self!r} not closed")
        if self._feeder is not None and self._wait_at_exit:
            self._feeder.join()

    def cancel_join_thread(self) -> None:
        """Lets the process exit although something has not left; it is lost then."""
        self._wait_at_exit = False
        if self._flush is not None:
            self._flush.cancel()

    def _start_feeder(self) -> None:
        self._feeder = threading.Thread(
            target=_feed, args=(self._backlog, self._change, self._ring, weakref.ref(self)),
            name="QueueFeederThread", daemon=True,
        )  # fmt: skip
        self._feeder.start()
        if self._wait_at_exit:
            self._flush = util.Finalize(
                self, _flush, [self._backlog, self._change], exitpriority=-5
            )

    def __getstate__(self) -> Any:
        return self._ring, self._maxsize

    def __setstate__(self, state: Any) -> None:
        ring, self._maxsize = state
        self._ctx = None
        self._set(ring)

    def __class_getitem__(cls, item: Any) -> Any:
        return cls


def _feed(
    backlog: deque[Any], change: threading.Condition, ring: ShmQueue, queue: weakref.ref[Queue]
) -> None:
    """Sends what did not fit at once."""
    while True:
        with change:
            while not backlog:
                owner = queue()
                if owner is None or owner._closed:
                    return
                del owner
                change.wait(1)
            data, blocks = backlog[0]
        ring.put_somewhere(data, None, blocks)
        del data, blocks
        with change:
            backlog.popleft()
            change.notify_all()


def _flush(backlog: deque[Any], change: threading.Condition) -> None:
    with change:
        while backlog:
            change.wait(1)


class JoinableQueue(Queue):
    """A `Queue` that counts what has been put and not yet been reported as done."""

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        super().__init__(maxsize, ctx=ctx)
        self._unfinished = ctx.Semaphore(0)
        self._done = ctx.Condition()

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Adds an object that `task_done` has to be called for."""
        self._unfinished.release()  # counted before anybody can report it
        try:
            super().put(obj, block, timeout)
        except BaseException:
            self._unfinished.acquire(False)
            raise

    def task_done(self) -> None:
        """One object is done; ValueError if called more often than objects were put."""
        with self._done:
            if not self._unfinished.acquire(False):
                raise ValueError("task_done() called too many times")
            if self._unfinished._semlock._is_zero():
                self._done.notify_all()

    def join(self) -> None:
        """Waits until every object is done."""
        with self._done:
            if not self._unfinished._semlock._is_zero():
                self._done.wait()

    def __getstate__(self) -> Any:
        return super().__getstate__(), self._unfinished, self._done

    def __setstate__(self, state: Any) -> None:
        base, self._unfinished, self._done = state
        super().__setstate__(base)


__all__ = ["Empty", "Full", "JoinableQueue", "Queue"]
