"""Messages with arrays: what `multiprocessing` pickles here, and how it is loaded again.

A message is pickled once; arrays leave a mark in the stream, and their memory is noted. Then it is
decided how the memory travels (`rushlight.multiprocessing.pieces`), and the message becomes the
stream, the pieces of memory, and where in them every array lies. Queues take blocks along with a
message (`pack`, `unpack`); pipes only bytes, so there the message is an envelope with references.
"""

from __future__ import annotations

import io
import marshal
import pickle
from collections.abc import Iterator
from functools import partial
from multiprocessing import connection, queues, reduction
from typing import Any

from rushlight.multiprocessing import arena, arrays, cuda
from rushlight.multiprocessing._shm import Block
from rushlight.multiprocessing.arena import Data
from rushlight.multiprocessing.memory import Memory, Reference, receive
from rushlight.multiprocessing.pieces import INLINE_BYTES, Pieces, Place, View

_ForkingPickler = reduction.ForkingPickler
_MARK = pickle.PickleBuffer(bytearray())


class ArrayPickler(_ForkingPickler):
    """`multiprocessing`'s pickler, by which arrays travel in shared memory.

    What supports pickling out of band (protocol 5: pandas, Arrow, subclasses of NumPy's array)
    travels so too, from 32 KiB on.
    """

    def __init__(self, file: Any, protocol: int | None = None) -> None:
        self._file = file
        self.stream = io.BytesIO()
        self.views: list[View] = []
        # Not a method: a pickler in a cycle would keep what it pickled until the next collection.
        super().__init__(self.stream, 5, True, partial(_out_of_band, self.views))

    def reducer_override(self, obj: Any) -> Any:
        """The arrays we know; everything else goes its usual way."""
        module = type(obj).__module__.partition(".")[0]
        if module not in arrays.LIBRARIES:
            return NotImplemented
        reduced = arrays.reduce(obj, _MARK)
        if reduced is None:
            return cuda.reduce_cuda_array(obj) if cuda.is_cuda_array(obj) else NotImplemented
        view, function, arguments = reduced
        self.views.append(view)
        return function, arguments

    def dump(self, obj: Any) -> None:
        """Writes the message."""
        super().dump(obj)
        if not self.views:
            self._file.write(self.stream.getbuffer())
            return
        pieces = Pieces(self.views)
        # Counted last: a process killed while it copies leaves nothing in flight.
        sent = [p.reference() if isinstance(p, Block) else p for p in pieces.pieces]
        try:
            envelope = _Envelope(self.stream.getvalue(), sent, pieces.places)
            self._file.write(pickle.dumps(envelope, 5))
        except BaseException:
            for piece in sent:
                if isinstance(piece, tuple):
                    arena.give_up(*piece)
            raise

    @classmethod
    def dumps(cls, obj: Any, protocol: int | None = None) -> memoryview:
        """The message."""
        buffer = io.BytesIO()
        cls(buffer, protocol).dump(obj)
        return buffer.getbuffer()


def _out_of_band(views: list[View], buffer: pickle.PickleBuffer) -> bool:
    """Whether a buffer stays in the stream; else it is noted."""
    if buffer is _MARK:
        return False
    with memoryview(buffer) as view:
        if view.nbytes < INLINE_BYTES or not view.contiguous:
            return True
    views.append(arrays.view_of_buffer(buffer))
    return False


class _Envelope:
    def __init__(
        self, stream: bytes, pieces: list[Reference | bytearray], places: list[Place | None]
    ) -> None:
        self._parts = (stream, pieces, places)

    def __reduce__(self) -> tuple[Any, ...]:
        return load, self._parts


def load(stream: bytes, pieces: list[Reference | bytearray], places: list[Place]) -> Any:
    """The object in an envelope."""
    memories = [receive(p) if isinstance(p, tuple) else Memory(p) for p in pieces]
    return pickle.loads(stream, buffers=_views(memories, places))


def pack(obj: Any) -> tuple[Data, list[Block]]:
    """A message for a queue: data, and the blocks that belong to it."""
    pickler = ArrayPickler(None)
    pickle.Pickler.dump(pickler, obj)
    if not pickler.views:
        return pickler.stream.getbuffer(), []
    pieces = Pieces(pickler.views)
    blocks = [piece for piece in pieces.pieces if isinstance(piece, Block)]
    sent = [None if isinstance(piece, Block) else piece for piece in pieces.pieces]
    return marshal.dumps((pickler.stream.getbuffer(), sent, pieces.places)), blocks


def unpack(data: Data, blocks: list[Block]) -> Any:
    """The object in a message."""
    if data[0] == pickle.PROTO[0]:  # without arrays
        return pickle.loads(data)
    stream, pieces, places = marshal.loads(data)
    rest = iter(blocks)
    memories = [receive(next(rest)) if p is None else Memory(bytearray(p)) for p in pieces]
    return pickle.loads(stream, buffers=_views(memories, places))


def _views(memories: list[Memory], places: list[Place]) -> Iterator[Any]:
    for piece, offset, layout in places:
        memory = memories[piece]
        if isinstance(layout, int):
            yield memoryview(memory.buffer)[offset : offset + layout]
        else:
            yield arrays.Received(memory, offset, layout)


def init_reductions() -> None:
    """Makes every queue, pipe, pool and manager of this process send arrays by shared memory.

    Importing `rushlight.multiprocessing` does it, as importing `torch.multiprocessing` does for
    PyTorch's tensors: connections take their pickler from the module, so it is one per process.
    """
    for module, name in (
        (reduction, "ForkingPickler"),
        (connection, "_ForkingPickler"),
        (queues, "_ForkingPickler"),
    ):
        setattr(module, name, ArrayPickler)
