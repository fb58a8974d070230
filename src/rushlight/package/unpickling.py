"""Loads pickled objects of a package: classes from its modules, memory from its records."""

from __future__ import annotations

import importlib.util
import io
import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import rushlight

from .tensor_names import OUR_PREFIX, Storage, dtype_of_storage, find_tensor_name

if TYPE_CHECKING:
    from .package_importer import PackageImporter


def load_pickle(importer: PackageImporter, record: str, map_location: Any = None) -> Any:
    """The object in a record; memory that objects shared is shared again."""
    data = bytes(importer.zip_reader.get_record(record))
    return PackageUnpickler(importer, data, map_location).load()


class PackageUnpickler(pickle.Unpickler):
    """Python's unpickler, in the world of a package."""

    def __init__(self, importer: PackageImporter, data: bytes, map_location: Any) -> None:
        super().__init__(io.BytesIO(data))
        self._importer = importer
        self._map_location = map_location
        self._storages: dict[str, Any] = {}
        self._reductions: dict[int, Any] = {}
        self._has_torch = importlib.util.find_spec("torch") is not None

    def find_class(self, module: str, name: str) -> Any:
        """A class or function of the package or an external module."""
        # Both libraries' tensors are rebuilt by functions that look at the storage they get; where
        # all are ours, PyTorch is not imported for its names.
        if module == "torch._utils" or (
            module.partition(".")[0] == "torch"
            and (not self._has_torch or module in self._importer.metadata.for_pytorch)
        ):
            found = find_tensor_name(module, name)
            if found is not None:
                return found
            if not self._has_torch:
                raise ModuleNotFoundError(
                    f"the object needs {module}.{name}, and PyTorch is not installed", name="torch"
                )
        found = self._importer.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def persistent_load(self, pid: Any) -> Any:
        """A storage, or what a function of the package makes of the importer."""
        kind, *rest = pid if isinstance(pid, tuple) and pid else (None,)
        if kind == "storage" and len(rest) == 4:
            return self._storage(*rest)
        if kind == "reduce_package" and len(rest) == 3:
            number, function, arguments = rest
            if number not in self._reductions:
                self._reductions[number] = function(self._importer, *arguments)
            return self._reductions[number]
        if kind == "reduce_package" and len(rest) == 2:  # of PyTorch before 1.11
            function, arguments = rest
            return function(self._importer, *arguments)
        raise pickle.UnpicklingError(f"a persistent id of an unknown form: {pid!r}"[:200])

    def _storage(self, kind: Any, key: int | str, location: str, count: int) -> Any:
        key = str(key)  # PyTorch's are numbers
        ours = key.startswith(OUR_PREFIX) or not self._has_torch
        if key not in self._storages:
            memory = self._importer.zip_reader.get_storage_from_record(
                f".data/{key}.storage", copy=True
            )
            load = self._our_memory if ours else self._torch_memory
            self._storages[key] = load(memory, location)
        dtype = dtype_of_storage(kind.__name__)
        untyped = self._storages[key]
        if ours:
            return Storage(untyped, rushlight._C.dtype_from_name(dtype) if dtype else None)
        import torch

        return torch.storage.TypedStorage(
            wrap_storage=untyped, dtype=getattr(torch, dtype or "uint8"), _internal=True
        )

    def _our_memory(
        self, memory: rushlight.UntypedStorage, location: str
    ) -> rushlight.UntypedStorage:
        device = self._location(location)
        if device is not None and str(device).partition(":")[0] != "cpu":
            raise RuntimeError(f"tensors can be loaded to the cpu only, got {device!r}")
        return memory

    def _torch_memory(self, memory: rushlight.UntypedStorage, location: str) -> Any:
        import torch

        size = memory.nbytes()
        if size == 0:
            storage = torch.UntypedStorage(0)
        else:
            storage = torch.frombuffer(memory, dtype=torch.uint8).untyped_storage()
        if callable(self._map_location):
            moved = self._map_location(storage, location)
            return storage if moved is None else moved
        device = self._location(location) or location
        if str(device) == "meta":  # sizes without memory
            return torch.UntypedStorage(size, device="meta")
        return storage if str(device) == "cpu" else storage.to(device=torch.device(device))

    def _location(self, location: str) -> Any:
        """Where ``map_location`` sends memory; None if it does not say."""
        if isinstance(self._map_location, Mapping):
            return self._map_location.get(location)
        return None if callable(self._map_location) else self._map_location
