"""The memory of tensors and arrays as records of a package, each piece of memory once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .tensor_names import (
    OUR_PREFIX,
    GlobalName,
    Storage,
    element_count,
    storage_class,
)

if TYPE_CHECKING:
    from .package_exporter import PackageExporter

#: The module that is written into packages with arrays: its source is array_module.py.
ARRAY_MODULE = "_rushlight_arrays"
LOAD_BUFFER = GlobalName(ARRAY_MODULE, "load_buffer")
LOAD_ARRAY = GlobalName(ARRAY_MODULE, "load_array")

# Most of what is pickled, and never memory.
_PLAIN = frozenset({str, int, float, bool, bytes, tuple, list, dict, type, type(None)})


class _Memory:
    """A NumPy array's memory, pickled as a call that reads it."""

    def __init__(self, key: str) -> None:
        self.key = key


class RecordStore:
    """Persistent identifiers for a pickler, and the records behind them."""

    def __init__(self, exporter: PackageExporter) -> None:
        self._exporter = exporter
        # By address and size; the owners are kept so that no address is used twice.
        self._storages: dict[tuple[str, int, int], str] = {}
        self._memory: dict[tuple[int, int], _Memory] = {}
        self._owners: list[Any] = []
        self._reductions: dict[int, tuple[Any, ...]] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """What stands for ``obj`` in a pickle, None for an object to pickle as it is."""
        if type(obj) in _PLAIN:
            return None
        if isinstance(obj, Storage):
            return self._our_storage(obj)
        if isinstance(obj, _Memory):
            return self._reduction(obj, lambda: (LOAD_BUFFER, (obj.key,)))
        if type(obj) is np.ndarray and not obj.dtype.hasobject:
            return self._reduction(obj, lambda: self._array(obj))
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(
            obj, (torch.UntypedStorage, torch.storage.TypedStorage)
        ):
            return self._torch_storage(obj, torch)
        reduce_package = getattr(obj, "__reduce_package__", None)
        if reduce_package is not None and not isinstance(obj, type):
            return self._reduction(obj, lambda: tuple(reduce_package(self._exporter)))
        return None

    def _reduction(self, obj: Any, make: Any) -> tuple[Any, ...]:
        found = self._reductions.get(id(obj))
        if found is None:
            self._owners.append(obj)
            found = ("reduce_package", len(self._reductions), *make())
            self._reductions[id(obj)] = found
        return found

    def _our_storage(self, storage: Storage) -> tuple[Any, ...]:
        untyped = storage.untyped
        key = self._add("rushlight", untyped.data_ptr(), _bytes_of(untyped), untyped)
        return "storage", storage_class(storage), key, "cpu", element_count(storage)

    def _torch_storage(self, obj: Any, torch: Any) -> tuple[Any, ...]:
        if isinstance(obj, torch.UntypedStorage):
            untyped, kind, count = obj, torch.UntypedStorage, obj.nbytes()
        else:
            untyped, count = obj._untyped_storage, obj._size()
            kind = getattr(torch, obj._pickle_storage_type())
        location = torch.serialization.location_tag(untyped)
        address = untyped.data_ptr()
        if untyped.device.type != "cpu":
            untyped = untyped.cpu()
        view = torch.tensor([], dtype=torch.uint8).set_(untyped).numpy()
        key = self._add(str(obj.device), address, _bytes_of(view), obj)
        return "storage", kind, key, location, count

    def _add(self, device: str, address: int, data: memoryview, owner: Any) -> str:
        place = (device, address, data.nbytes)
        key = self._storages.get(place)
        if key is None or data.nbytes == 0:
            prefix = OUR_PREFIX if device == "rushlight" else ""
            key = f"{prefix}{len(self._owners)}"
            self._owners.append(owner)
            self._storages[place] = key
            self._exporter.write_record(f".data/{key}.storage", data)
        return key

    def _array(self, array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
        self._exporter.add_array_module()
        owner = array
        while type(owner.base) is np.ndarray:
            owner = owner.base
        if not (owner.flags.c_contiguous or owner.flags.f_contiguous) or owner.dtype.hasobject:
            array = owner = np.ascontiguousarray(array)
        address = owner.__array_interface__["data"][0]
        memory = self._memory.get((address, owner.nbytes))
        if memory is None:
            memory = _Memory(f"a{len(self._owners)}")
            self._owners.append(owner)
            self._memory[address, owner.nbytes] = memory
            flat = owner.reshape(-1, order="A").view(np.uint8)
            self._exporter.write_record(f".data/{memory.key}.storage", _bytes_of(flat))
        offset = array.__array_interface__["data"][0] - address
        dtype: Any = array.dtype.str
        if np.dtype(dtype) != array.dtype:
            dtype = array.dtype  # a structure, or another library's type
        return LOAD_ARRAY, (memory, dtype, array.shape, array.strides, offset)


def _bytes_of(buffer: Any) -> memoryview:
    return memoryview(buffer)
