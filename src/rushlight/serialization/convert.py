"""From one file format to another, one tensor at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rushlight import _C

from .atomic import whole_path
from .entries import FORMATS, Entries, Entry, read_entries
from .tensors import StoredTensor, TypedStorage, contiguous_stride

Progress = Callable[[Entry], Any]


class _LazyStorage(_C.UntypedStorage):
    """Stands for the bytes of an entry while the pickle is written."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(0)
        self.entry = entry

    def nbytes(self) -> int:
        return self.entry.nbytes

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


class _LazyTensor(StoredTensor):
    """An entry as a contiguous tensor."""

    def __init__(self, entry: Entry) -> None:
        storage = TypedStorage(_LazyStorage(entry), entry.dtype)
        super().__init__(storage, entry.dtype, 0, entry.shape, contiguous_stride(entry.shape))


def convert(
    source: str | Path,
    target: str | Path,
    *,
    upcast: bool = False,
    progress: Progress | None = None,
) -> list[str]:
    """Writes the named tensors of a file (``.pt``, ``.safetensors``, ``.npz`` or ``.gguf``) to
    another, whose format is that of its name (all but ``.gguf``).

    One tensor is in memory at a time. The result is read again and compared before it takes its
    place; until then an older file stays. Tensors that share memory in a ``.pt`` file are written
    each on its own; nested dictionaries become dotted names. Gives the names of what is no tensor
    and was left out.

    Args:
        upcast: for ``.npz``: bfloat16, float8 and complex32, which NumPy does not have, become
            float32 (complex64); an error otherwise.
        progress: called with each entry that is done, once for writing and once for checking.

    Raises:
        OSError, RuntimeError, pickle.UnpicklingError: the source cannot be read.
        ValueError: the target's format is not known or has no type for a tensor.
    """
    suffix = Path(target).suffix
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"{os.fspath(target)}: expected a name that ends in one of {known}")
    step = progress or (lambda entry: None)
    with read_entries(source) as entries:
        if not entries.tensors:
            raise ValueError(f"{os.fspath(source)}: no tensors by name in the file")
        digests: dict[str, bytes] = {}
        with whole_path(target) as path:
            with path.open("wb") as file:
                _write(entries, file, suffix, upcast, digests, step)
            _check(entries, path, digests, step)
        return entries.left_out


def _write(
    entries: Entries,
    file: Any,
    suffix: str,
    upcast: bool,
    digests: dict[str, bytes],
    step: Progress,
) -> None:
    # What was read is forgotten before the next tensor, so that only one is in memory.
    def watched(entry: Entry) -> Entry:
        def read() -> Any:
            entries.forget()
            data = entry.read()
            digests[entry.name] = _digest(data)
            step(entry)
            return data

        return Entry(entry.name, entry.dtype, entry.shape, read)

    tensors = [watched(entry) for entry in entries.tensors]
    if suffix == ".safetensors":
        from .safetensors import write_entries

        write_entries(tensors, file.write, {k: str(v) for k, v in entries.metadata.items()})
    elif suffix == ".npz":
        from .npz import upcast_entry
        from .npz import write_entries as write_npz

        if upcast:
            tensors = [watched(upcast_entry(entry)) for entry in entries.tensors]
        write_npz(tensors, file)
    else:
        _write_pt(tensors, file)


def _digest(data: Any) -> bytes:
    return hashlib.blake2b(data).digest()


def _write_pt(entries: list[Entry], file: Any) -> None:
    from .save import pickle_object

    pickled, tensors, _ = pickle_object({e.name: _LazyTensor(e) for e in entries})
    writer = _C.PyTorchFileWriter(file)
    writer.write_record("data.pkl", pickled)
    writer.write_record(".format_version", "1")
    writer.write_record(".storage_alignment", "64")
    writer.write_record("byteorder", "little")
    for storage, key in tensors.keys.items():
        assert isinstance(storage, _LazyStorage)
        writer.write_record(f"data/{key}", storage.entry.read())
    writer.write_end_of_file()


def _check(entries: Entries, path: Path, digests: dict[str, bytes], step: Progress) -> None:
    with read_entries(path) as written:
        by_name = {entry.name: entry for entry in written.tensors}
        if len(by_name) != len(entries.tensors):
            raise RuntimeError(f"{path}: {len(by_name)} tensors, expected {len(entries.tensors)}")
        for entry in entries.tensors:
            found = by_name.get(entry.name)
            if (
                found is None
                or found.shape != entry.shape
                or _digest(found.read()) != digests[entry.name]
            ):
                raise RuntimeError(f"{path}: '{entry.name}' is not what was written")
            written.forget()
            step(entry)
