"""Shared memory in blocks, and a queue of bytes: what everything else here is made of.

    block = allocate(1 << 20)              # a writable buffer in this process's arena
    array = np.frombuffer(block, np.float32)   # keeps the block alive
    queue = ShmQueue()                     # pickles to a reference: hand it to child processes

    queue.put(b"here", blocks=[block])     # in one process
    data, blocks = queue.receive()         # in another: the same memory

How long a block lives. Every process that has a `Block` for it (or an array over one) holds it; so
does a queue while a message with the block is inside, and a pickled reference until it is loaded,
**once**. When nobody is left its memory is used again. A process that is killed lets go of what it
held, whatever it was doing, through the manager process that `rushlight.multiprocessing` starts
with the first block and that ends with the last process. (Only a pickled reference that a killed
process had read out of a pipe and not yet loaded stays, until the manager ends.)

- One file descriptor serves a whole arena (256 MiB of addresses; pages exist once they are used),
  whatever the number of blocks; a receiver keeps none.
- `allocate` never hands out memory that the system cannot back: it raises `OSError` with numbers.
- `block.reference(counted=False)` makes a reference that may be adopted any number of times, as
  long as its maker keeps the block: for what is pickled once and sent to many.
- `give_up(*reference)` takes back a counted reference that was made and not sent.

Example:
    >>> block = allocate(8)
    >>> memoryview(block)[:2] = b"hi"
    >>> bytes(memoryview(adopt(*block.reference()))[:2])
    b'hi'
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rushlight.multiprocessing import _shm, strategy
from rushlight.multiprocessing._shm import Block, find, give_up

_shm.set_manager_program(str(Path(_shm.__file__).parent / "rushlight-shm-manager"))

_CAPACITY = 1 << 20
_SMALL = 200  # bytes of a message that lies elsewhere, about
# Flags of messages: the data lies in the last block; some blocks are of another manager.
_BESIDE, _FOREIGN = 1, 2

Data = bytes | bytearray | memoryview


def allocate(nbytes: int) -> Block:
    """A block of shared memory: uninitialised, aligned to 256 bytes (to pages from 64 KiB on).

    It is a memory file or a file in ``/dev/shm``, as `get_sharing_strategy` says; when that kind
    has no room the other is tried. Raises ``OSError`` with numbers if there is no room at all.
    """
    return _shm.allocate(nbytes, named=strategy.get_sharing_strategy() == "file_system")


def adopt(manager: str, segment: int, entry: int, generation: int, counted: bool) -> Block:
    """The block that was sent here, from the parts of ``block.reference()``.

    Raises ``OSError`` if it is gone, or if a counted reference was adopted before.
    """
    return _shm.adopt(manager, segment, entry, generation, counted)


class ShmQueue:
    """A queue of byte messages in shared memory, for any number of senders and receivers.

    ``capacity`` is in bytes. Larger messages travel in a block of their own. Any process may be
    killed at any moment without harm to the others: what it had not finished putting is not there,
    what it had not finished getting still is.

    The queue pickles to a reference, for the arguments of a process.

    Example:
        >>> queue = ShmQueue()
        >>> queue.put(b"batch 0")
        True
        >>> queue.get()
        b'batch 0'
        >>> queue.get(timeout=0) is None
        True
    """

    def __init__(self, capacity: int = _CAPACITY, max_messages: int = 0) -> None:
        self._ring = _shm.Ring.create(
            capacity, max_messages, strategy.get_sharing_strategy() == "file_system"
        )
        self._large = self._ring.most_bytes // 4

    def put(self, data: Data, timeout: float | None = None, blocks: Sequence[Block] = ()) -> bool:
        """Sends a message, with blocks; False if there was no room for ``timeout`` seconds (None:
        waits).

        Raises ``ValueError`` if the queue is closed.
        """
        if memoryview(data).nbytes <= self._large:
            return self._send(data, timeout, blocks)
        return self._put_beside(data, timeout, blocks)

    def put_somewhere(
        self, data: Data, timeout: float | None = None, blocks: Sequence[Block] = ()
    ) -> bool:
        """`put` for which the ring's bytes are never the limit: a message that does not fit in at
        once goes in a block of its own, so only ``max_messages`` (and some thousands) count."""
        size = memoryview(data).nbytes
        if size <= self._large and self._send(data, 0, blocks):
            return True
        if size <= _SMALL:
            return self._send(data, timeout, blocks)
        return self._put_beside(data, timeout, blocks)

    def wait_for_room(self, timeout: float | None = None) -> bool:
        """Whether there is room for a message within ``timeout`` seconds (None: waits)."""
        return self._ring.wait_for_room(timeout)

    def _put_beside(self, data: Data, timeout: float | None, blocks: Sequence[Block]) -> bool:
        if timeout == 0 and not self._ring.wait_for_room(0):
            return False
        block = allocate(memoryview(data).nbytes)
        memoryview(block)[:] = memoryview(data).cast("B")
        return self._send(b"", timeout, [*blocks, block], _BESIDE)

    def _send(
        self, data: Data, timeout: float | None, blocks: Sequence[Block], flags: int = 0
    ) -> bool:
        ring = self._ring
        if not blocks:
            return ring.put(data, timeout)
        if all(map(ring.takes, blocks)):
            return ring.put(data, timeout, list(blocks), flags)
        mine = [block for block in blocks if ring.takes(block)]
        others = [None if ring.takes(block) else block.reference() for block in blocks]
        sent = False
        try:
            message = pickle.dumps((bytes(data), others))
            sent = ring.put(message, timeout, mine, flags | _FOREIGN)
        finally:
            if not sent:
                for reference in filter(None, others):
                    give_up(*reference)
        return sent

    def get(self, timeout: float | None = None) -> bytes | None:
        """The next message's data; None if there was none for ``timeout`` seconds (None: waits).

        Raises ``ValueError`` if the queue is closed and empty.
        """
        message = self.receive(timeout)
        return None if message is None else bytes(message[0])

    def receive(self, timeout: float | None = None) -> tuple[Data, list[Block]] | None:
        """The next message's data and blocks; None if there was none in time.

        Raises ``OSError`` if a block can't be mapped; where descriptors or memory have run out the
        message stays inside.
        """
        message = self._ring.get(timeout)
        if message is None:
            return None
        data: Data
        data, blocks, flags = message
        if flags & _FOREIGN:
            data, references = pickle.loads(data)
            rest = iter(blocks)
            blocks = [next(rest) if r is None else adopt(*r) for r in references]
        if flags & _BESIDE:
            data = memoryview(blocks.pop())
        return data, blocks

    def qsize(self) -> int:
        """Messages inside."""
        return len(self._ring)

    def empty(self) -> bool:
        """Whether there is nothing to get."""
        return self._ring.empty()

    def close(self) -> None:
        """No more messages: senders and, once it is empty, receivers get ``ValueError``."""
        self._ring.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _open_queue, (self._ring.block,)


def _open_queue(block: Block) -> ShmQueue:
    queue = ShmQueue.__new__(ShmQueue)
    queue._ring = _shm.Ring(block)
    queue._large = queue._ring.most_bytes // 4
    return queue


__all__ = ["Block", "ShmQueue", "adopt", "allocate", "find", "give_up"]
