"""Writing pickles that PyTorch reads, its ``weights_only`` reader included: protocol 2.

Equal objects give equal bytes: sets are written in a sorted order, storages are numbered in the
order in which they are met.
"""

from __future__ import annotations

import struct
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight import _C

from .constants import LAYOUTS, Device, TorchConstant
from .dtypes import StoredDType
from .stand_ins import StandIn, StandInType
from .tensor_pickling import TensorWriter
from .tensors import Parameter, QuantizedTensor, SparseTensor, StoredTensor, TypedStorage

_MAX_LONG1 = 255  # bytes


class Call:
    """A call in a pickle: a function by module and name, and its arguments."""

    __slots__ = ("args", "module", "name")

    def __init__(self, module: str, name: str, *args: Any) -> None:
        self.module = module
        self.name = name
        self.args = args


def integer(value: int) -> bytes:
    """The opcode of an integer."""
    if 0 <= value < 1 << 16:
        return b"K%c" % value if value < 1 << 8 else b"M" + value.to_bytes(2, "little")
    if -(1 << 31) <= value < 1 << 31:
        return b"J" + value.to_bytes(4, "little", signed=True)
    raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    if len(raw) <= _MAX_LONG1:
        return b"\x8a%c" % len(raw) + raw
    return b"\x8b" + len(raw).to_bytes(4, "little") + raw


def text(value: str) -> bytes:
    """The opcode of a string."""
    raw = value.encode("utf-8", "surrogatepass")
    return b"X" + len(raw).to_bytes(4, "little") + raw


class Pickler:
    """Writes one object. ``tensors`` decides how tensors and storages are named."""

    def __init__(self, tensors: TensorWriter) -> None:
        self._out: list[bytes] = [b"\x80\x02"]
        self._memo: dict[int, int] = {}
        self._names: dict[tuple[str, str] | str, int] = {}
        self._keep: list[Any] = []  # what the memo knows by its address must live
        self._count = 0
        self._tensors = tensors

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
        method = _METHODS.get(kind)
        if method is not None:
            return method(self, obj)
        if isinstance(obj, (_C.Tensor, StoredTensor)):
            return _tensor(self, obj)
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
        self._tensors.persistent(self, storage)


def _singleton(p: Pickler, obj: Any) -> None:
    p.name("builtins", repr(obj))


def _none(p: Pickler, obj: None) -> None:
    p.write(b"N")


def _bool(p: Pickler, obj: bool) -> None:
    p.write(b"\x88" if obj else b"\x89")


def _float(p: Pickler, obj: float) -> None:
    p.write(b"G" + struct.pack(">d", obj))


def _complex(p: Pickler, obj: complex) -> None:
    p.call(Call("builtins", "complex", obj.real, obj.imag))


def _bytes(p: Pickler, obj: bytes) -> None:
    p.call(Call("_codecs", "encode", obj.decode("latin1"), "latin1"))
    p.memoize(obj)


def _bytearray(p: Pickler, obj: bytearray) -> None:
    p.call(Call("builtins", "bytearray", bytes(obj)))
    p.memoize(obj)


def _tuple(p: Pickler, obj: tuple[Any, ...]) -> None:
    p.tuple_of(obj)
    # A list inside may hold the tuple itself, which then has been written.
    if id(obj) in p._memo:
        p.write(b"0")
        p._get(p._memo[id(obj)])
    elif obj:
        p.memoize(obj)


def _list(p: Pickler, obj: list[Any]) -> None:
    p.write(b"]")
    p.memoize(obj)
    p.appended(obj)


def _dict(p: Pickler, obj: dict[Any, Any]) -> None:
    p.write(b"}")
    p.memoize(obj)
    p.items(obj.items())


def _ordered_dict(p: Pickler, obj: OrderedDict[Any, Any]) -> None:
    p.call(Call("collections", "OrderedDict"))
    p.memoize(obj)
    p.items(obj.items())
    if vars(obj):
        p.save(dict(vars(obj)))
        p.write(b"b")


def _counter(p: Pickler, obj: Counter[Any]) -> None:
    p.call(Call("collections", "Counter", dict(obj)))
    p.memoize(obj)


def _sorted(items: Any) -> list[Any]:
    return sorted(items, key=lambda item: (type(item).__qualname__, repr(item)))


def _set(p: Pickler, obj: set[Any]) -> None:
    p.call(Call("builtins", "set", _sorted(obj)))
    p.memoize(obj)


def _frozenset(p: Pickler, obj: frozenset[Any]) -> None:
    p.call(Call("builtins", "frozenset", _sorted(obj)))
    p.memoize(obj)


def _dtype(p: Pickler, obj: Any) -> None:
    p.name("torch", obj.name)


def _constant(p: Pickler, obj: TorchConstant) -> None:
    if obj.name in LAYOUTS:
        p.call(Call("torch.serialization", "_get_layout", f"torch.{obj.name}"))
    else:
        p.name("torch", obj.name)


def _device(p: Pickler, obj: Device) -> None:
    index = () if obj.index is None else (obj.index,)
    p.call(Call("torch", "device", obj.type, *index))


def _tensor(p: Pickler, obj: Any) -> None:
    p._tensors.tensor(p, obj)
    p.memoize(obj)


def _storage(p: Pickler, obj: Any) -> None:
    p.persistent(obj)


def _stand_in(p: Pickler, obj: Any) -> None:
    raise TypeError(f"cannot save {obj!r}: it stands for an object that is not here")


_METHODS: dict[type, Callable[[Pickler, Any], None]] = {
    type(None): _none, type(...): _singleton, type(NotImplemented): _singleton, bool: _bool, float: _float, complex: _complex, bytes: _bytes,
    bytearray: _bytearray, tuple: _tuple, list: _list, dict: _dict, OrderedDict: _ordered_dict,
    Counter: _counter, set: _set, frozenset: _frozenset, _C.dtype: _dtype, StoredDType: _dtype,
    TorchConstant: _constant, Device: _device, Call: Pickler.call, _C.Tensor: _tensor,
    Parameter: _tensor, StoredTensor: _tensor, QuantizedTensor: _tensor, SparseTensor: _tensor,
    TypedStorage: _storage, _C.UntypedStorage: _storage, StandIn: _stand_in,
    StandInType: _stand_in,
}  # fmt: skip
