"""Python objects in shared memory.

A list of Python objects is copied into every worker that reads it, forked or not: reading an object
writes its reference count, and that copies its page. Here objects lie pickled in shared memory,
once for all processes, and are made when they are read.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

from rushlight.multiprocessing.arena import Block, adopt, allocate
from rushlight.utils.data.arrays import Array, block_array

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
PIECE = 1 << 24  # bytes of a block, unless one object is larger
_SHIFT = 40  # an object's place: number of the block, and 40 bits of offset


class SharedList(Sequence[T], Generic[T]):
    """A list that cannot be changed, its objects pickled in shared memory.

    Args:
        items: objects that can be pickled. Each read makes a new object.

    A process that receives the list reads the same memory; the process that made it must keep it
    as long as others use it (a :class:`DataLoader` keeps its dataset).

    Example::

        records = SharedList({"path": p, "label": 0} for p in paths)
    """

    def __init__(self, items: Iterable[T]) -> None:
        store = _Store()
        for item in items:
            store.add(item)
        self._set(store.finish(), store.index())

    def _set(self, pieces: list[Block], index: Block) -> None:
        self._pieces, self._index = pieces, index
        self._views = [memoryview(piece) for piece in pieces]
        self._places: Array = block_array(index, np.int64).reshape(-1, 2)

    def __len__(self) -> int:
        return max(0, len(self._places) - 1)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        n = len(self)
        position = index.__index__()
        if not -n <= position < n:
            raise IndexError(f"SharedList: index {position} with {n} items")
        place, size = self._places[position % n].tolist()
        start = place & ((1 << _SHIFT) - 1)
        item: T = pickle.loads(self._views[place >> _SHIFT][start : start + size])
        return item

    def __iter__(self) -> Iterator[T]:
        for i in range(len(self)):
            yield self[i]

    def __repr__(self) -> str:
        return f"SharedList({len(self)} items, {self.nbytes} bytes)"

    @property
    def nbytes(self) -> int:
        """Bytes of shared memory."""
        return sum(piece.nbytes for piece in self._pieces) + self._index.nbytes

    def __reduce__(self) -> Any:
        return _open_list, (
            [piece.reference(counted=False) for piece in self._pieces],
            self._index.reference(counted=False),
        )


class _Store:
    """Pickled objects, written into blocks as they come."""

    def __init__(self) -> None:
        self.pieces: list[Block] = []
        self.waiting = bytearray()
        self.places: list[Array] = []
        self.recent: list[tuple[int, int]] = []

    def add(self, item: Any) -> None:
        data = pickle.dumps(item, protocol=5)
        if self.waiting and len(self.waiting) + len(data) > PIECE:
            self._write()
        self.recent.append((len(self.pieces) << _SHIFT | len(self.waiting), len(data)))
        self.waiting += data

    def _write(self) -> None:
        block = allocate(max(1, len(self.waiting)))
        memoryview(block)[: len(self.waiting)] = self.waiting
        self.pieces.append(block)
        self.waiting = bytearray()
        self.places.append(np.array(self.recent, np.int64).reshape(-1, 2))
        self.recent = []

    def finish(self) -> list[Block]:
        self._write()
        return self.pieces

    def index(self) -> Block:
        """Places and sizes of all objects, and a last row that says nothing."""
        table = np.concatenate([*self.places, np.zeros((1, 2), np.int64)])
        return _block_of(table)


def _block_of(table: Array) -> Block:
    block = allocate(table.nbytes)
    block_array(block, table.dtype)[:] = table.ravel()
    return block


def _open_list(pieces: list[Any], index: Any) -> SharedList[Any]:
    shared: SharedList[Any] = SharedList.__new__(SharedList)
    shared._set([adopt(*piece) for piece in pieces], adopt(*index))
    return shared


class SharedDict(Mapping[K, V], Generic[K, V]):
    """A dictionary that cannot be changed, keys and values pickled in shared memory.

    Args:
        items: a mapping, or pairs. Keys are strings, bytes, numbers, None, or tuples of these.

    See :class:`SharedList` for how long it lives.
    """

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:
        pairs = items.items() if isinstance(items, Mapping) else items
        hashes: list[int] = []

        def stored() -> Iterator[tuple[K, V]]:
            for key, value in pairs:
                hashes.append(stable_hash(key))
                yield key, value

        self._items: SharedList[tuple[K, V]] = SharedList(stored())
        slots = 1 << max(3, (2 * len(hashes)).bit_length())
        table = np.full((slots, 2), -1, np.int64)  # hash, position in the list
        for position, number in enumerate(hashes):
            slot = number % slots
            while table[slot, 1] >= 0:
                if table[slot, 0] == number and self._key(table[slot, 1]) == self._key(position):
                    break  # the later of equal keys counts
                slot = (slot + 1) % slots
            table[slot] = number, position
        self._set(self._items, _block_of(table))
        self._length = int(np.count_nonzero(table[:, 1] >= 0))

    def _set(self, items: SharedList[tuple[K, V]], block: Block) -> None:
        self._items, self._block = items, block
        self._table: Array = block_array(block, np.int64).reshape(-1, 2)

    def _key(self, position: Any) -> K:
        return self._items[int(position)][0]

    def __getitem__(self, key: K) -> V:
        number = stable_hash(key)
        slot = number % len(self._table)
        while self._table[slot, 1] >= 0:
            if self._table[slot, 0] == number:
                found, value = self._items[int(self._table[slot, 1])]
                if found == key:
                    return value
            slot = (slot + 1) % len(self._table)
        raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        for position in sorted(self._table[self._table[:, 1] >= 0, 1].tolist()):
            yield self._key(position)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"SharedDict({len(self)} items, {self._items.nbytes + self._block.nbytes} bytes)"

    def __reduce__(self) -> Any:
        return _open_dict, (self._items, self._block.reference(counted=False), self._length)


def _open_dict(items: SharedList[Any], block: Any, length: int) -> SharedDict[Any, Any]:
    shared: SharedDict[Any, Any] = SharedDict.__new__(SharedDict)
    shared._set(items, adopt(*block))
    shared._length = length
    return shared


def stable_hash(key: Any) -> int:
    """A hash that is the same in every process: Python's own differ for strings.

    Raises:
        TypeError: a key of another type than those of :class:`SharedDict`.
    """
    if isinstance(key, int | float | complex):
        return hash(key) & (2**62 - 1)
    if isinstance(key, str):
        data = b"s" + key.encode("utf-8", "surrogatepass")
    elif isinstance(key, bytes):
        data = b"b" + key
    elif isinstance(key, tuple):
        data = b"t" + b"".join(stable_hash(k).to_bytes(8, "little") for k in key)
    elif key is None:
        data = b"n"
    else:
        raise TypeError(f"SharedDict: keys of type {type(key).__name__} are not supported")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") & (2**62 - 1)
