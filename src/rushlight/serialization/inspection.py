"""Looking into a file without loading it: no data is read and no code of the file is run."""

from __future__ import annotations

import os
import pickletools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rushlight import _C

from .allowed import full_name, is_allowed
from .errors import UnpicklingError
from .legacy import read_plain
from .load import load_source, open_zip
from .source import Source, open_source
from .stand_ins import StandIn, StandInType, StandInUnpickler
from .tar import members
from .tensors import Parameter, QuantizedTensor, SparseTensor, StoredTensor

# Opcodes that torch.save does not write; attacks on readers do.
_UNUSUAL = {
    "INST", "OBJ", "EXT1", "EXT2", "EXT4", "PERSID", "NEWOBJ_EX", "NEXT_BUFFER", "READONLY_BUFFER",
    "DUP", "POP_MARK",
}  # fmt: skip
_NAMES = {ord(op.code): op.name for op in pickletools.opcodes}
_MAX_OBJECTS = 1_000_000


@dataclass
class TensorInfo:
    """A tensor in a file: its place, dtype, sizes, and the bytes of its elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    kind: str = "tensor"


@dataclass
class Inspection:
    """What is in a file."""

    path: str
    format: str
    file_bytes: int
    tensors: list[TensorInfo] = field(default_factory=list)
    #: Names of functions and classes -> whether files may use them.
    globals: dict[str, bool] = field(default_factory=dict)
    #: Unusual opcodes -> how often they occur.
    opcodes: dict[str, int] = field(default_factory=dict)
    #: Other values, by their place: a short text.
    values: dict[str, str] = field(default_factory=dict)
    #: Why the file would not load at all; None when it would, given its names.
    error: str | None = None

    @property
    def unsafe_globals(self) -> list[str]:
        """Names that the file needs and that are not allowed."""
        return sorted(name for name, allowed in self.globals.items() if not allowed)


class _Look(StandInUnpickler):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._user = {}  # nothing of the program's own is called

    def find_global(self, module: str, name: str) -> Any:
        full = full_name(module, name)
        return self._defaults[full] if full in self._defaults else StandInType(full)


def inspect(path: Any) -> Inspection:
    """Looks into a ``.pt``, ``.safetensors``, ``.npz`` or ``.gguf`` file at a path, or an open
    ``.pt`` file.

    Raises:
        OSError: the file cannot be read.
        RuntimeError: the file is of no known format.

    >>> import pathlib, rushlight, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.pt"
    >>> rushlight.save({"epoch": 3}, path)
    >>> rushlight.serialization.inspect(path).values
    {'epoch': '3'}
    """
    source = open_source(path, None)
    result = Inspection(source.name, "", len(source.view))
    if _is_container(path):
        return _inspect_entries(result, path)
    try:
        _inspect_pickles(result, source)
    except (UnpicklingError, RuntimeError, ValueError) as error:
        result.error = str(error).removeprefix(f"{source.name}: ")
        if not result.format:
            raise RuntimeError(f"{source.name}: {result.error}") from error
    return result


def _is_container(path: Any) -> bool:
    at_path = isinstance(path, (str, os.PathLike))
    return at_path and Path(path).suffix in (".safetensors", ".npz", ".gguf")


def _inspect_entries(result: Inspection, path: Any) -> Inspection:
    from .entries import read_entries

    result.format = Path(path).suffix[1:]
    with read_entries(path) as entries:
        for entry in entries.tensors:
            result.tensors.append(
                TensorInfo(entry.name, entry.stored_as, entry.shape, entry.nbytes)
            )
        result.values = {name: _short(value) for name, value in entries.metadata.items()}
    return result


def _inspect_pickles(result: Inspection, source: Source) -> None:
    if bytes(source.view[:4]) == b"PK\x03\x04":
        result.format = "PyTorch (zip)"
        reader = open_zip(source)
        programs = [_C.PickleProgram(reader.get_record("data.pkl"))]
    elif bytes(source.view[257:262]) == b"ustar":
        result.format = "PyTorch 0.1 (tar)"
        start, size = members(source.view).get("pickle", (0, 0))
        programs = [_C.PickleProgram(source.view[: start + size], start)]
    else:
        _, at = read_plain(source.data, 0)
        result.format = "PyTorch before 1.6 (pickles)"
        for _ in range(2):
            _, at = read_plain(source.data, at)
        programs = [_C.PickleProgram(source.data, at)]
    for program in programs:
        for module, name in program.globals:
            full = full_name(module, name)
            result.globals[full] = is_allowed(full)
        for code, count in program.opcodes.items():
            if _NAMES.get(code, f"{code:#x}") in _UNUSUAL or code not in _NAMES:
                result.opcodes[_NAMES.get(code, f"{code:#x}")] = count
    _describe(result, load_source(source, "meta", _Look))


def _describe(result: Inspection, root: Any) -> None:
    seen: set[int] = set()
    pending = [("", root)]
    while pending and len(seen) < _MAX_OBJECTS:
        name, value = pending.pop()
        if isinstance(value, (StoredTensor, SparseTensor, Parameter)):
            result.tensors.append(_tensor_info(name, value))
            continue
        inside = list(_inside(name, value))
        if not inside:
            result.values[name or "(the object)"] = _short(value)
        elif id(value) not in seen:
            seen.add(id(value))
            pending.extend(reversed(inside))


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    dot = f"{name}." if name else ""
    if isinstance(value, StandIn):
        if "_parameters" in (value.state if isinstance(value.state, dict) else {}):
            for part in ("_parameters", "_buffers", "_modules"):
                yield from ((f"{dot}{k}", v) for k, v in value._part(part).items())
            return
        if value.args:
            yield f"{dot}(arguments)", value.args
        if value.state is not None:
            yield f"{dot}(state)", value.state
        if value.items:
            yield f"{dot}(items)", value.items
    elif isinstance(value, dict):
        yield from ((f"{dot}{_key(k)}", v) for k, v in value.items())
    elif isinstance(value, (list, tuple)) and any(not _is_plain(v) for v in value):
        yield from ((f"{name}[{i}]", v) for i, v in enumerate(value))


def _key(key: Any) -> str:
    return key if isinstance(key, str) else _short(key)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, bytes))


def _short(value: Any) -> str:
    text = repr(value) if not isinstance(value, (int, str)) else str(value)[:200]
    return text if len(text) <= 60 else f"{text[:57]}..."


def _tensor_info(name: str, value: Any) -> TensorInfo:
    kinds = {SparseTensor: "sparse", QuantizedTensor: "quantised", Parameter: "parameter"}
    count = 1
    for n in value.shape:
        count *= n
    if isinstance(value, SparseTensor):
        parts = (*value._indices, value.values())
        nbytes = sum(_tensor_info("", part).nbytes for part in parts)
    else:
        nbytes = count * value.dtype.itemsize
    shape = tuple(value.shape)
    return TensorInfo(name, value.dtype.name, shape, nbytes, kinds.get(type(value), "tensor"))
