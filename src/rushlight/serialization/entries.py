"""Files of named tensors, one tensor at a time: what conversion and inspection work with."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rushlight import _C

from .dtypes import AnyDType
from .source import Source, open_source
from .tensors import QuantizedTensor, SparseTensor, StoredTensor, TypedStorage

FORMATS = (".pt", ".pth", ".safetensors", ".npz")


@dataclass
class Entry:
    """A named tensor of a file. ``read()`` gives its elements, contiguous."""

    name: str
    dtype: AnyDType
    shape: tuple[int, ...]
    read: Callable[[], Any]
    stored_dtype: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        count = self.dtype.itemsize
        for n in self.shape:
            count *= n
        return count

    @property
    def stored_as(self) -> str:
        """The type of the elements in the file."""
        return self.stored_dtype or self.dtype.name


@dataclass
class Entries:
    """The tensors of an open file and what stands beside them."""

    source: Source
    tensors: list[Entry]
    metadata: dict[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def forget(self) -> None:
        """Gives back the memory of the parts of the file that were read."""
        if isinstance(self.source.data, mmap.mmap):
            self.source.data.madvise(mmap.MADV_DONTNEED)


@contextmanager
def read_entries(path: str | Path) -> Iterator[Entries]:
    """Opens a file of named tensors; ``.pt``, ``.safetensors``, ``.npz`` or ``.gguf`` by its
    contents and, for archives, its name. Errors are those of the formats."""
    source = open_source(path, None)
    start = bytes(source.view[:4])
    if start == b"GGUF":
        from .gguf import gguf_entries

        yield gguf_entries(source)
    elif Path(path).suffix == ".npz":
        from .npz import npz_entries

        with npz_entries(source) as entries:
            yield entries
    elif Path(path).suffix == ".safetensors":
        from .safetensors import safetensors_entries

        yield safetensors_entries(source)
    else:
        yield _pt_entries(source)


def _pt_entries(source: Source) -> Entries:
    from .load import load_source
    from .unpickler import Unpickler

    root = load_source(source, None, Unpickler)
    entries = Entries(source, [])
    if not isinstance(root, dict):
        root = {"": root}
    pending = [(str(name), value) for name, value in reversed(root.items())]
    names: set[str] = set()
    while pending:
        name, value = pending.pop()
        if isinstance(value, dict):
            pending.extend((f"{name}.{k}", v) for k, v in reversed(value.items()))
        elif isinstance(value, (_C.Tensor, StoredTensor)) and not (
            isinstance(value, (QuantizedTensor, SparseTensor))
        ):
            if name in names:
                raise RuntimeError(f"{source.name}: two tensors would be named '{name}'")
            names.add(name)
            entries.tensors.append(_entry(name, value))
        else:
            entries.left_out.append(name)
    return entries


def _entry(name: str, tensor: Any) -> Entry:
    def read() -> Any:
        import numpy as np

        storage = TypedStorage(tensor.untyped_storage(), tensor.dtype)
        view = StoredTensor(
            storage, tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride()
        )
        return np.ascontiguousarray(view.raw()).reshape(-1).view(np.uint8).data

    return Entry(name, tensor.dtype, tuple(tensor.shape), read)
