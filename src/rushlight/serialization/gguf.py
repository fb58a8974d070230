"""GGUF files, versions 1 to 3: typed metadata, then tensors, many of them in quantised blocks.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import struct
from typing import Any

from .entries import Entries, Entry
from .gguf_blocks import BLOCKS, dequantize
from .source import Source, open_source
from .tensors import stored_dtype

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_TEXT, _ARRAY = 8, 9
_PLAIN = {
    0: "float32", 1: "float16", 24: "int8", 25: "int16", 26: "int32", 27: "int64", 28: "float64",
    30: "bfloat16",
}  # fmt: skip
_MAX_COUNT = 1 << 24
_MAX_NESTING = 4


class _Reader:
    def __init__(self, source: Source) -> None:
        self.view = source.view
        self.name = source.name
        self.at = 0

    def check(self, condition: bool, message: str) -> None:
        if not condition:
            raise RuntimeError(f"{self.name}: byte {self.at}: no valid GGUF file: {message}")

    def take(self, size: int) -> memoryview:
        self.check(0 <= size <= len(self.view) - self.at, "it is cut short")
        self.at += size
        return self.view[self.at - size : self.at]

    def number(self, format_: str) -> Any:
        return struct.unpack(format_, self.take(struct.calcsize(format_)))[0]

    def count(self, wide: bool) -> int:
        count: int = self.number("<Q" if wide else "<I")
        self.check(count <= _MAX_COUNT, f"{count} items")
        return count

    def text(self, wide: bool) -> str:
        return bytes(self.take(self.number("<Q" if wide else "<I"))).decode("utf-8", "replace")

    def value(self, kind: int, wide: bool, depth: int = 0) -> Any:
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _TEXT:
            return self.text(wide)
        self.check(kind == _ARRAY and depth < _MAX_NESTING, f"a value of type {kind}")
        inner, count = self.number("<I"), self.count(wide)
        return [self.value(inner, wide, depth + 1) for _ in range(count)]


def load_gguf(f: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors of a GGUF file by name, quantised ones as float32, and its metadata.

    RuntimeError for a file that is not valid or has a block type that is not supported.
    """
    import numpy as np

    from rushlight import _C

    from .tensors import TypedStorage, contiguous_stride, make_tensor

    source = open_source(f, None)
    entries = gguf_entries(source)
    tensors: dict[str, Any] = {}
    for entry in entries.tensors:
        data = np.frombuffer(entry.read(), np.uint8).copy()
        storage = TypedStorage(_C.UntypedStorage(data.data), entry.dtype)
        stride = contiguous_stride(entry.shape)
        tensors[entry.name] = make_tensor(storage, entry.dtype, 0, entry.shape, stride)
    return tensors, entries.metadata


def gguf_entries(source: Source) -> Entries:
    """The entries of an open file."""
    reader = _Reader(source)
    reader.check(bytes(reader.take(4)) == b"GGUF", "its magic number is another")
    version = reader.number("<I")
    if version & 0xFFFF == 0:
        reader.check(False, "big-endian files are not supported")
    reader.check(1 <= version <= 3, f"version {version}; 1 to 3 are supported")
    wide = version > 1
    tensor_count, pair_count = reader.count(wide), reader.count(wide)
    metadata: dict[str, Any] = {}
    for _ in range(pair_count):
        key = reader.text(wide)
        reader.check(key not in metadata, f"the key '{key}' occurs twice")
        metadata[key] = reader.value(reader.number("<I"), wide)
    infos = [_tensor_info(reader, wide) for _ in range(tensor_count)]
    names = {name for name, *_ in infos}
    reader.check(len(names) == len(infos), "two tensors have one name")
    alignment = metadata.get("general.alignment", 32)
    reader.check(
        type(alignment) is int and 0 < alignment <= 1 << 20, f"the alignment {alignment!r:.20}"
    )
    start = -(-reader.at // alignment) * alignment
    tensors = [_entry(reader, start, *info) for info in infos]
    return Entries(source, tensors, metadata)


def _tensor_info(reader: _Reader, wide: bool) -> tuple[str, tuple[int, ...], int, int]:
    name = reader.text(wide)
    rank = reader.number("<I")
    reader.check(rank <= 8, f"'{name}' has {rank} dimensions")
    sizes = [reader.number("<Q" if wide else "<I") for _ in range(rank)]
    reader.check(math.prod(sizes) < 2**48, f"sizes of '{name}'")
    # The fastest dimension comes first.
    return name, tuple(reversed(sizes)), reader.number("<I"), reader.number("<Q")


def _entry(
    reader: _Reader, start: int, name: str, shape: tuple[int, ...], kind: int, offset: int
) -> Entry:
    count = math.prod(shape)
    if kind in _PLAIN:
        dtype = stored_dtype(_PLAIN[kind])
        size, stored = count * dtype.itemsize, ""
    else:
        block = BLOCKS.get(kind)
        if block is None:
            raise RuntimeError(
                f"{reader.name}: '{name}' has blocks of type {kind}, which are not supported"
            )
        row = shape[-1] if shape else 1
        reader.check(row % block.elements == 0, f"'{name}' has incomplete blocks")
        dtype = stored_dtype("float32")
        size, stored = count // block.elements * block.nbytes, block.name
    at = start + offset
    reader.check(at + size <= len(reader.view), f"'{name}' exceeds the file")

    def read() -> Any:
        data = reader.view[at : at + size]
        return data if kind in _PLAIN else dequantize(kind, data)

    return Entry(name, dtype, shape, read, stored)
