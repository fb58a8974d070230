"""Nested tensors: the list of their parts, which share memory."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from rushlight import _C

from .errors import require
from .tensors import StoredTensor, TypedStorage, make_tensor


class CompilerNote:
    """What PyTorch's compiler notes on the parts of a jagged tensor; nothing here reads it."""

    def finish(self, state: Any) -> CompilerNote:
        """The note itself."""
        return self


def rebuild_nested_tensor(buffer: Any, nested: Any, strides: Any, offsets: Any) -> list[Any]:
    """``torch._utils._rebuild_nested_tensor``, of the layout ``strided``."""
    require(
        isinstance(buffer, _C.Tensor) and buffer.ndim == 1 and buffer.is_contiguous(),
        "a nested tensor is not valid",
    )
    tables = [_numbers(t) for t in (nested, strides, offsets)]
    storage = TypedStorage(buffer.untyped_storage(), buffer.dtype)
    start = buffer.storage_offset()
    rows = zip(*tables, strict=True)
    return [
        make_tensor(storage, buffer.dtype, start + offset, tuple(size), tuple(stride))
        for size, stride, offset in rows
    ]


def rebuild_jagged(parts: Any) -> list[Any]:
    """``torch.nested._internal.nested_tensor._rebuild_njt``: parts of one tensor along one of its
    dimensions, which begin at ``offsets`` and have ``lengths`` (default: up to the next)."""
    require(
        type(parts) is dict and {"values", "offsets"} <= set(parts), "a nested tensor is not valid"
    )
    values, ragged = parts["values"], parts.get("_ragged_idx", 1)
    require(
        isinstance(values, (_C.Tensor, StoredTensor))
        and type(ragged) is int
        and 1 <= ragged <= values.ndim,
        "a nested tensor is not valid",
    )
    offsets = _numbers(parts["offsets"])
    if parts.get("lengths") is None:
        lengths = [end - start for start, end in pairwise(offsets)]
    else:
        lengths = _numbers(parts["lengths"])
    size, stride = list(values.shape), tuple(values.stride())
    axis = ragged - 1
    pieces = []
    for start, length in zip(offsets, lengths, strict=False):
        require(
            start >= 0 and length >= 0 and start + length <= size[axis],
            "the parts of a nested tensor lie outside of it",
        )
        shape = (*size[:axis], length, *size[axis + 1 :])
        pieces.append(_part(values, values.storage_offset() + start * stride[axis], shape, stride))
    return pieces


def _part(values: Any, offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    if isinstance(values, StoredTensor):
        return StoredTensor(values._storage, values.dtype, offset, shape, stride)
    storage = TypedStorage(values.untyped_storage(), values.dtype)
    return make_tensor(storage, values.dtype, offset, shape, stride)


def _numbers(table: Any) -> list[Any]:
    # Of a tensor whose strides are 0, the list could be of any length.
    require(isinstance(table, _C.Tensor) and table.ndim > 0 and table.is_contiguous(),
            "the sizes of a nested tensor are no table of numbers")  # fmt: skip
    numbers: list[Any] = table.tolist()
    return numbers
