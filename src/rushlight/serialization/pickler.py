"""Writing pickles that PyTorch reads, its ``weights_only`` reader included: protocol 2.

Equal objects give equal bytes: sets are written in a sorted order, storages are numbered in the
order in which they are met.
"""

from __future__ import annotations

import sys
from typing import Any

from rushlight import _C

from .opcodes import Call, integer, text
from .pickled_types import METHODS, write_tensor
from .tensor_pickling import TensorWriter
from .tensors import StoredTensor


class Pickler:
    """Writes one object. ``tensors`` decides how tensors and storages are named."""

    def __init__(self, tensors: TensorWriter) -> None:
        self._out: list[bytes] = [b"\x80\x02"]
        self._memo: dict[int, int] = {}
        self._names: dict[tuple[str, str] | str, int] = {}
        self._keep: list[Any] = []  # what the memo knows by its address must live
        self._count = 0
        self.tensors = tensors

    def dump(self, obj: Any) -> bytes:
        """The pickle."""
        self.save(obj)
        self._out.append(b".")
        return b"".join(self._out)

    def write(self, code: bytes) -> None:
        """Adds opcodes."""
        self._out.append(code)

    def _put(self) -> int:
        index = self._count
        self._count += 1
        self._out.append(b"q%c" % index if index < 1 << 8 else b"r" + index.to_bytes(4, "little"))
        return index

    def _get(self, index: int) -> None:
        self._out.append(b"h%c" % index if index < 1 << 8 else b"j" + index.to_bytes(4, "little"))

    def memoize(self, obj: Any) -> None:
        """Remembers the object that was just written."""
        self._memo[id(obj)] = self._put()
        self._keep.append(obj)

    def is_known(self, obj: Any) -> bool:
        """Whether the object was written and remembered."""
        return id(obj) in self._memo

    def name(self, module: str, name: str) -> None:
        """A function or class by its name."""
        known = self._names.get((module, name))
        if known is not None:
            return self._get(known)
        self._out.append(f"c{module}\n{name}\n".encode())
        self._names[module, name] = self._put()
        return None

    def word(self, value: str) -> None:
        """A string that recurs."""
        known = self._names.get(value)
        if known is not None:
            return self._get(known)
        self._out.append(text(value))
        self._names[value] = self._put()
        return None

    def save(self, obj: Any) -> None:
        """Any object."""
        kind = type(obj)
        if kind is str:
            return self._out.append(text(obj))
        if kind is int:
            return self._out.append(integer(obj))
        known = self._memo.get(id(obj))
        if known is not None:
            return self._get(known)
        method = METHODS.get(kind)
        if method is not None:
            return method(self, obj)
        if isinstance(obj, (_C.Tensor, StoredTensor)):
            return write_tensor(self, obj)
        if isinstance(obj, type) or (callable(obj) and hasattr(obj, "__qualname__")):
            return self._global_object(obj)
        return self._reduced(obj)

    def call(self, call: Call) -> None:
        """A function and its arguments."""
        self.name(call.module, call.name)
        self.tuple_of(call.args)
        self._out.append(b"R")

    def tuple_of(self, items: tuple[Any, ...]) -> None:
        """A tuple that nothing else refers to."""
        n = len(items)
        if 0 < n <= 3:
            for item in items:
                self.save(item)
            self._out.append((b"\x85", b"\x86", b"\x87")[n - 1])
        elif n == 0:
            self._out.append(b")")
        else:
            self._out.append(b"(")
            for item in items:
                self.save(item)
            self._out.append(b"t")

    def items(self, pairs: Any) -> None:
        """Items of the dictionary that was just written."""
        pairs = list(pairs)
        if not pairs:
            return
        self._out.append(b"(")
        for key, value in pairs:
            self.save(key)
            self.save(value)
        self._out.append(b"u")

    def appended(self, values: Any) -> None:
        """Items of the list that was just written."""
        values = list(values)
        if not values:
            return
        self._out.append(b"(")
        for value in values:
            self.save(value)
        self._out.append(b"e")

    def _global_object(self, obj: Any) -> None:
        module = getattr(obj, "__module__", None)
        name = obj.__qualname__
        found: Any = sys.modules.get(str(module))
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not obj or "." in name:
            raise TypeError(f"cannot save {obj!r}: it is not found as {module}.{name}")
        self.name(str(module), name)

    def _reduced(self, obj: Any) -> None:
        reduced = obj.__reduce_ex__(2)
        if isinstance(reduced, str):
            return self.name(obj.__module__, reduced)
        function, args, state, appended, pairs, *_ = (*reduced, None, None, None, None)[:6]
        if getattr(function, "__name__", "") == "__newobj__":
            self._global_object(args[0])
            self.tuple_of(args[1:])
            self._out.append(b"\x81")
        else:
            self._global_object(function)
            self.tuple_of(args)
            self._out.append(b"R")
        self.memoize(obj)
        if appended is not None:
            self.appended(appended)
        if pairs is not None:
            self.items(pairs)
        if state is not None:
            self.save(state)
            self._out.append(b"b")
        return None

    def persistent(self, storage: Any) -> None:
        """The identifier of a storage."""
        self.tensors.persistent(self, storage)
