"""The safetensors format: a JSON header of names, types, sizes and places, then the data.

https://huggingface.co/docs/safetensors: 8 bytes of length, the header, the tensors without gaps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from .atomic import Write, whole_file
from .dtypes import BY_NAME, AnyDType
from .entries import Entries, Entry, _entry
from .source import Source, open_source
from .tensors import TypedStorage, contiguous_stride, make_tensor

_DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16", "I32": "int32",
    "U32": "uint32", "I64": "int64", "U64": "uint64", "F16": "float16", "BF16": "bfloat16",
    "F32": "float32", "F64": "float64", "C64": "complex64", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F8_E8M0": "float8_e8m0fnu", "F4": "float4_e2m1fn_x2",
}  # fmt: skip
_CODES = {name: code for code, name in _DTYPES.items()}
_MAX_HEADER = 100_000_000  # bytes, the format's own limit


class _Tensor:
    def __init__(self, name: str, dtype: AnyDType, shape: tuple[int, ...], start: int) -> None:
        self.name, self.dtype, self.shape, self.start = name, dtype, shape, start
        self.nbytes = math.prod(shape) * dtype.itemsize


def load_file(f: Any, mmap: bool | None = None) -> dict[str, Any]:
    """The tensors of a ``.safetensors`` file by name. ``f`` and ``mmap`` are as for ``load``.

    RuntimeError for a file that is not valid.

    >>> import numpy as np, pathlib, rushlight, tempfile
    >>> from rushlight.serialization import safetensors
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> safetensors.save_file({"w": rushlight.from_numpy(np.arange(3))}, path)
    >>> safetensors.load_file(path)["w"].tolist()
    [0, 1, 2]
    """
    source = open_source(f, mmap)
    tensors, _ = _read_header(source)
    return {t.name: _make(source, t) for t in tensors}


def load_metadata(f: Any) -> dict[str, str]:
    """The texts beside the tensors."""
    return _read_header(open_source(f, None))[1]


def save_file(
    tensors: Mapping[str, Any], f: Any, metadata: Mapping[str, str] | None = None
) -> None:
    """Writes tensors by name, and texts beside them. The file appears whole or stays as it was.

    ValueError for a dtype that the format does not have.
    """
    entries = [_entry(name, tensor) for name, tensor in tensors.items()]
    with whole_file(f) as write:
        write_entries(entries, write, metadata)


def write_entries(
    entries: Iterable[Entry], write: Write, metadata: Mapping[str, Any] | None = None
) -> None:
    """Writes entries, one at a time."""
    # Wide types first: everything stays aligned without gaps, as the library does it.
    ordered = sorted(entries, key=lambda e: (-e.dtype.itemsize, e.name))
    header: dict[str, Any] = {}
    if metadata:
        header["__metadata__"] = {str(k): str(v) for k, v in metadata.items()}
    at = 0
    for entry in ordered:
        if entry.dtype.name not in _CODES:
            raise ValueError(f"'{entry.name}': safetensors has no type {entry.dtype.name}")
        if entry.name == "__metadata__" or entry.name in header:
            raise ValueError(f"two entries of the file would be named '{entry.name}'")
        header[entry.name] = {
            "dtype": _CODES[entry.dtype.name],
            "shape": _shape_in_file(entry),
            "data_offsets": [at, at + entry.nbytes],
        }
        at += entry.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    write(len(text).to_bytes(8, "little"))
    write(text)
    for entry in ordered:
        write(entry.read())


def _shape_in_file(entry: Entry) -> list[int]:
    """The format counts the elements of F4, PyTorch its bytes of two."""
    if entry.dtype.name != "float4_e2m1fn_x2":
        return list(entry.shape)
    if not entry.shape:
        raise ValueError(f"'{entry.name}': safetensors has no float4_e2m1fn_x2 without dimensions")
    return [*entry.shape[:-1], entry.shape[-1] * 2]


def safetensors_entries(source: Source) -> Entries:
    """The entries of an open file."""
    tensors, metadata = _read_header(source)

    def entry(t: _Tensor) -> Entry:
        return Entry(t.name, t.dtype, t.shape, lambda: source.view[t.start : t.start + t.nbytes])

    return Entries(source, [entry(t) for t in tensors], metadata)


def _make(source: Source, tensor: _Tensor) -> Any:
    from .legacy import take_storage

    alignment = min(tensor.dtype.itemsize, 8)
    taken = take_storage(source, tensor.start, tensor.nbytes, alignment)
    storage = TypedStorage(taken, tensor.dtype)
    return make_tensor(storage, tensor.dtype, 0, tensor.shape, contiguous_stride(tensor.shape))


def _read_header(source: Source) -> tuple[list[_Tensor], dict[str, str]]:
    view = source.view

    def check(condition: bool, message: str) -> None:
        if not condition:
            raise RuntimeError(f"{source.name}: no valid safetensors file: {message}")

    check(len(view) >= 8, "shorter than its first number")
    size = int.from_bytes(view[:8], "little")
    check(size <= min(_MAX_HEADER, len(view) - 8), f"a header of {size} bytes")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        check(len(found) == len(pairs), "a name occurs twice")
        return found

    try:
        # As text: of bytes, json would also take other encodings.
        header = json.loads(str(view[8 : 8 + size], "utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise RuntimeError(f"{source.name}: no valid safetensors file: {error}") from error
    check(type(header) is dict, "the header is no object")
    metadata = header.pop("__metadata__", {})
    check(
        type(metadata) is dict and all(type(v) is str for v in metadata.values()),
        "the metadata are no texts",
    )
    start = 8 + size
    tensors = [_parse(name, value, start, check) for name, value in header.items()]
    tensors.sort(key=lambda t: (t.start, t.nbytes))
    at = start
    for tensor in tensors:
        check(tensor.start == at, f"'{tensor.name}' does not begin where the last tensor ends")
        at += tensor.nbytes
    check(at == len(view), f"{len(view) - at} bytes behind the last tensor")
    return tensors, metadata


def _parse(name: str, value: Any, start: int, check: Any) -> _Tensor:
    check(type(value) is dict and set(value) == {"dtype", "shape", "data_offsets"}, f"'{name}'")
    dtype = BY_NAME.get(_DTYPES.get(str(value["dtype"]), ""))
    check(dtype is not None, f"'{name}' is of the unknown type {value['dtype']!r:.20}")
    shape, offsets = value["shape"], value["data_offsets"]
    numbers = all(
        type(part) is list and all(type(n) is int and 0 <= n < 2**63 for n in part)
        for part in (shape, offsets)
    )
    check(numbers and len(offsets) == 2 and len(shape) <= 64, f"sizes or places of '{name}'")
    assert dtype is not None
    if dtype.name == "float4_e2m1fn_x2":
        check(bool(shape) and shape[-1] % 2 == 0, f"an odd number of elements in '{name}'")
        shape = [*shape[:-1], shape[-1] // 2]
    tensor = _Tensor(name, dtype, tuple(shape), start + offsets[0])
    check(offsets[1] - offsets[0] == tensor.nbytes, f"'{name}' has another size than it says")
    return tensor


__all__ = ["load_file", "load_metadata", "save_file"]
