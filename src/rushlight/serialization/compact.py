"""Leaving out what no tensor uses (``save(..., compact=True)``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rushlight import _C

from .tensors import StoredTensor, TypedStorage, bytes_of, contiguous_stride


@dataclass(frozen=True)
class Placement:
    """What is written of a storage: bytes from ``start``, or a contiguous ``copy`` of the only
    view there is."""

    start: int
    nbytes: int
    copy: _C.UntypedStorage | None = None
    stride: tuple[int, ...] | None = None

    def moved(
        self, itemsize: int, offset: int, stride: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]]:
        """Offset and strides of a view in what is written."""
        if self.stride is not None:
            return 0, self.stride
        offset -= self.start // itemsize
        inside = 0 <= offset * itemsize <= self.nbytes  # a view without elements need not be
        return offset if inside else 0, stride

    def contents(self, storage: _C.UntypedStorage) -> Any:
        """The bytes that are written."""
        if self.copy is not None:
            return bytes_of(self.copy)
        return bytes_of(storage)[self.start : self.start + self.nbytes]


def place(storage: _C.UntypedStorage, views: list[tuple[Any, ...]]) -> Placement | None:
    """What to write of a storage; None for all of it."""
    if () in views:
        return None  # saved as a storage of its own
    spans = [_span(*view) for view in views if 0 not in view[2]] or [(0, 0)]
    start = min(first for first, _ in spans)
    end = max(last for _, last in spans)
    start -= start % max(dtype.itemsize for dtype, *_ in views)
    if len(set(views)) == 1:
        dtype, offset, size, stride = views[0]
        count = 1
        for n in size:
            count *= n
        if count * dtype.itemsize < end - start:
            return _copied(storage, dtype, offset, size, stride, count)
    if end - start == storage.nbytes():
        return None
    return Placement(start, end - start)


def _span(
    dtype: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...]
) -> tuple[int, int]:
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    return offset * dtype.itemsize, (last + 1) * dtype.itemsize


def _copied(
    storage: _C.UntypedStorage,
    dtype: Any,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    count: int,
) -> Placement:
    import numpy as np

    raw = StoredTensor(TypedStorage(storage, dtype), dtype, offset, size, stride).raw()
    copy = _C.UntypedStorage(np.ascontiguousarray(raw).reshape(-1).view(np.uint8).data)
    return Placement(0, count * dtype.itemsize, copy, contiguous_stride(size))
