"""Replies as bytes, their arrays in shared memory.

What a worker collates lies in blocks of its arena from the start; what a collate function of the
user's puts elsewhere is copied there. The bytes hold only where each array is. The receiver's
arrays are views of the blocks and keep them alive.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import sys
from functools import partial
from typing import Any

import numpy as np

from rushlight import Tensor
from rushlight.multiprocessing.arena import Block, Data, allocate
from rushlight.utils.data.arrays import Array, block_array, is_text_or_object

ALIGNMENT = 64
INLINE = 512  # bytes: smaller arrays outside of blocks travel by value


class Packer:
    """Packs one reply: collate with :meth:`allocate`, then :meth:`pack`."""

    def __init__(self, expected: int = 0) -> None:
        self.expected = expected  # bytes of arrays
        self.blocks: list[Block] = []
        self._views: list[Array] = []
        self._used = 0
        self.nbytes = 0

    def allocate(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array in shared memory, uninitialised."""
        return self._place(shape, np.dtype(dtype))[1]

    def _place(self, shape: tuple[int, ...], dtype: Any) -> tuple[int, Array]:
        n = dtype.itemsize
        for size in shape:
            n *= size
        start = -(-self._used // ALIGNMENT) * ALIGNMENT
        if not self.blocks or start + n > self.blocks[-1].nbytes:
            self.blocks.append(allocate(max(n, self.expected, 1)))
            self._views.append(block_array(self.blocks[-1], np.uint8))
            start, self.expected = 0, 0
        self._used = start + n
        self.nbytes += n
        return start, np.ndarray(shape, dtype, self._views[-1], start)

    def _find(self, array: Array) -> tuple[int, int] | None:
        """The block an array lies in, and where."""
        address = array.__array_interface__["data"][0]
        for i, block in enumerate(self.blocks):
            offset = address - block.address
            if 0 <= offset < block.nbytes and min(array.strides, default=0) >= 0:
                return i, offset
        return None

    def pack(self, value: Any) -> tuple[bytes, list[Block]]:
        """The bytes of a value, and the blocks that its arrays lie in."""
        stream = io.BytesIO()
        pickler = _Pickler(stream, protocol=5)
        pickler.dispatch_table = _Table(self)
        pickler.dump(value)
        return stream.getvalue(), self.blocks

    def reduce_array(self, array: Array) -> Any:
        if is_text_or_object(array.dtype) or (array.nbytes < INLINE and not self._find(array)):
            return array.__reduce_ex__(2)
        place = self._find(array)
        strides: tuple[int, ...] | None = array.strides
        if place is None:
            start, copy = self._place(array.shape, array.dtype)
            copy[...] = array
            place, strides = (len(self.blocks) - 1, start), None
        elif array.flags.c_contiguous:
            strides = None
        dtype = array.dtype if array.dtype.hasobject or array.dtype.names else array.dtype.str
        return _array_at, (*place, array.shape, dtype, strides)

    def reduce_tensor(self, tensor: Tensor) -> Any:
        try:
            array = tensor.numpy()
        except TypeError:  # bfloat16, which NumPy lacks
            return tensor.__reduce_ex__(2)
        return Tensor, (array,)

    def reduce_torch(self, tensor: Any) -> Any:
        torch = sys.modules["torch"]
        plain = tensor.layout == torch.strided and tensor.device.type == "cpu"
        if not plain or tensor.is_quantized or tensor.is_nested or type(tensor) is not torch.Tensor:
            return tensor.__reduce_ex__(2)
        values = tensor.detach().resolve_conj().resolve_neg()
        dtype = str(values.dtype).removeprefix("torch.")
        if not hasattr(np, dtype) and dtype != "bool":  # bfloat16 and 8-bit floats
            carrier = {1: torch.uint8, 2: torch.int16}[values.element_size()]
            return _torch_tensor, (values.view(carrier).numpy(), dtype, tensor.requires_grad)
        return _torch_tensor, (values.numpy(), None, tensor.requires_grad)


class _Pickler(pickle.Pickler):
    dispatch_table: Any


class _Table(dict[type, Any]):
    """How to reduce each type: arrays our way, others as ever."""

    def __init__(self, packer: Packer) -> None:
        super().__init__(copyreg.dispatch_table)
        self[np.ndarray] = packer.reduce_array
        self[Tensor] = packer.reduce_tensor
        torch = sys.modules.get("torch")
        if torch is not None:
            self[torch.Tensor] = packer.reduce_torch


class _Unpickler(pickle.Unpickler):
    blocks: list[Block]

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name == "_array_at":
            # Not a method: the unpickler remembers what it gives, and a cycle would keep batches.
            return partial(_view, self.blocks)
        return super().find_class(module, name)


def _view(
    blocks: list[Block], block: int, offset: int, shape: Any, dtype: Any, strides: Any = None
) -> Array:
    buffer: Any = blocks[block]
    array: Array = np.ndarray(shape, dtype, buffer, offset, strides)
    return array


def _array_at(*place: Any) -> Array:
    raise AssertionError("only `unpack` reads packed arrays")


def _torch_tensor(array: Array, dtype: str | None, requires_grad: bool) -> Any:
    import torch

    tensor = torch.from_numpy(array)
    if dtype is not None:
        tensor = tensor.view(getattr(torch, dtype))
    return tensor.requires_grad_() if requires_grad else tensor


def unpack(data: Data, blocks: list[Block]) -> Any:
    """The value that was packed; its arrays are views of shared memory."""
    unpickler = _Unpickler(io.BytesIO(data))
    unpickler.blocks = blocks
    return unpickler.load()


def pack_by_value(value: Any) -> tuple[bytes, list[Any]]:
    """The bytes of a value and of its arrays, for where there is no shared memory."""
    stream, buffers = io.BytesIO(), list[Any]()
    pickler = _Pickler(stream, protocol=5, buffer_callback=buffers.append)
    pickler.dispatch_table = _Table(Packer())
    del pickler.dispatch_table[np.ndarray]
    pickler.dump(value)
    return stream.getvalue(), [np.frombuffer(b.raw(), np.uint8) for b in buffers]


def unpack_by_value(packed: tuple[bytes, list[Any]]) -> Any:
    """The value that was packed, with arrays of its own."""
    data, buffers = packed
    return pickle.loads(data, buffers=[bytearray(b) for b in buffers])
