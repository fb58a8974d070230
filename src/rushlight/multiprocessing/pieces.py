"""Where the bytes of a message's arrays travel: which pieces of memory, and how each goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rushlight.multiprocessing import arena
from rushlight.multiprocessing._shm import Block, copy_into, inline_views

#: Messages with fewer bytes of arrays travel by value: copying them is cheaper than sharing.
INLINE_BYTES = 32 * 1024
#: Pieces from here on have a block of their own; smaller ones of a message share one.
_OWN_BLOCK = 64 * 1024
_ALIGNMENT = 64

#: A view as it travels: its piece, the offset of its first element there, and its strides in bytes
#: (None: those it was pickled with), or a number of plain bytes.
Place = tuple[int, int, "tuple[int, ...] | int | None"]


@dataclass(slots=True)
class View:
    """Strided elements in this process's memory."""

    address: int  # of the first element
    low: int  # of the first byte
    high: int  # after the last byte
    owner: Any  # keeps the memory
    compact: Any = None  # () -> a contiguous copy as a View, and its strides; None: not strided
    nbytes: int | None = None  # of plain bytes


class Pieces:
    """The memory of the views of one message: blocks and bytes, and every view's place there."""

    def __init__(self, views: list[View]) -> None:
        self.places: list[Place | None] = [None] * len(views)
        self.pieces: list[Block | bytearray] = []
        self._blocks: dict[int, int] = {}  # address of a block in the arena → its piece
        small = inline_views(views, INLINE_BYTES, _ALIGNMENT)
        if small is not None:
            memory, self.places[:] = small
            self.pieces.append(memory)
            return
        rest = [i for i, view in enumerate(views) if not self._in_arena(i, view)]
        if rest:
            self._copy(views, _merge(views, rest))

    def _in_arena(self, i: int, view: View) -> bool:
        block = arena.find(view.low) if view.high > view.low else None
        if block is None or view.high > block.address + block.nbytes:
            return False
        piece = self._blocks.get(block.address)
        if piece is None:
            if not block.alive():  # its manager is gone: copy
                return False
            self.pieces.append(block)
            piece = self._blocks[block.address] = len(self.pieces) - 1
        self.places[i] = (piece, view.address - block.address, view.nbytes)
        return True

    def _copy(self, views: list[View], spans: list[_Span]) -> None:
        total = sum(span.room for span in spans)
        if total <= INLINE_BYTES:
            self._inline(views, spans)
            return
        large = [span for span in spans if span.room >= _OWN_BLOCK]
        small = [span for span in spans if span.room < _OWN_BLOCK]
        for group in [[span] for span in large] + ([small] if small else []):
            try:
                block = arena.allocate(sum(span.room for span in group))
                self._place(views, group, block)
                self.pieces.append(block)
            except OSError:  # no descriptors, no room, no manager: by value
                self._inline(views, group)

    def _inline(self, views: list[View], spans: list[_Span]) -> None:
        if not spans:
            return
        memory = bytearray(sum(span.room for span in spans))
        self._place(views, spans, memory)
        self.pieces.append(memory)

    def _place(self, views: list[View], spans: list[_Span], target: Any) -> None:
        at, piece = 0, len(self.pieces)
        for span in spans:
            start = at + span.low % _ALIGNMENT  # as aligned there as here
            copy_into(target, start, span.low, span.high - span.low)
            for i in span.views:
                offset = start + span.address_of(views[i]) - span.low
                self.places[i] = (piece, offset, span.strides or views[i].nbytes)
            at += span.room


@dataclass
class _Span:
    low: int
    high: int
    views: list[int]
    strides: tuple[int, ...] | None = None
    copy: View | None = None

    @property
    def room(self) -> int:
        """Bytes that it takes, aligned."""
        length = self.low % _ALIGNMENT + self.high - self.low
        return (length + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT

    def address_of(self, view: View) -> int:
        return view.address if self.copy is None else self.copy.address


def _merge(views: list[View], chosen: list[int]) -> list[_Span]:
    """Views that overlap stay views of one piece."""
    spans: list[_Span] = []
    for i in sorted(chosen, key=lambda i: views[i].low):
        view = views[i]
        if spans and view.low < spans[-1].high:
            spans[-1].high = max(spans[-1].high, view.high)
            spans[-1].views.append(i)
        else:
            spans.append(_Span(view.low, view.high, [i]))
    for span in spans:
        # A view of few elements far apart, which nobody shares, travels closed up.
        view = views[span.views[0]]
        if len(span.views) == 1 and view.compact is not None:
            copy, span.strides = view.compact()
            span.copy, span.low, span.high = copy, copy.low, copy.high
    return spans
