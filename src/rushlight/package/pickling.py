"""Pickles objects into a package: names come from the importer, memory goes into records."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import rushlight

from .importer import Importer, ObjMismatchError, ObjNotFoundError
from .tensor_names import GlobalName, reduce_tensor

if TYPE_CHECKING:
    from .records import RecordStore

_STRING_NEW = 4  # the first protocol that takes names from the stack


# The pickler in Python: the one in C writes no names but its own.
_Pickler: Any = pickle._Pickler


class PackagePickler(_Pickler):  # type: ignore[misc]
    """Python's pickler, with the importer to find names and records for tensors and arrays.

    Attributes:
        stand_ins: modules that are named for PyTorch's importer only.
        modules: modules that loading needs.
    """

    dispatch: ClassVar[dict[type, Any]] = dict(_Pickler.dispatch)

    def __init__(self, importer: Importer, records: RecordStore, protocol: int) -> None:
        self._buffer = io.BytesIO()
        super().__init__(self._buffer, protocol)
        self._importer = importer
        # What a pickle holds instead of memory, or of objects that know about packages.
        self.persistent_id = records.persistent_id
        self.stand_ins: set[str] = set()
        self.modules: set[str] = set()

    def dumps(self, obj: Any) -> bytes:
        """The pickle of ``obj``; ``pickle.PicklingError`` if it is not found by its name."""
        self.dump(obj)
        return self._buffer.getvalue()

    def save_tensor(self, obj: rushlight.Tensor) -> None:
        """Writes one of our tensors as a call that PyTorch understands."""
        self.save_reduce(*reduce_tensor(obj), obj=obj)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a class or function as its name in the importer's world."""
        try:
            module, name = self._importer.get_name(obj, name)
        except (ObjNotFoundError, ObjMismatchError) as error:
            raise pickle.PicklingError(f"cannot pickle {obj!r}: {error}") from None
        self.modules.add(module)
        parent, dot, last = name.rpartition(".")
        if dot and self.proto < _STRING_NEW:
            owner = self._importer.import_module(module)
            for part in parent.split("."):
                owner = getattr(owner, part)
            self.save_reduce(getattr, (owner, last), obj=obj)
        else:
            self._write_name(module, name)
            self.memoize(obj)

    def save_stand_in(self, obj: GlobalName) -> None:
        """Writes a name that need not mean anything here."""
        self.stand_ins.add(obj.__module__)
        self._write_name(obj.__module__, obj.__name__)
        self.memoize(obj)

    def _write_name(self, module: str, name: str) -> None:
        if self.proto >= _STRING_NEW:
            self.save(module)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())

    dispatch[GlobalName] = save_stand_in
    dispatch[rushlight.Tensor] = save_tensor
    dispatch[type(lambda: None)] = save_global
