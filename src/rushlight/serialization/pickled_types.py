"""How the pickler writes objects of each type."""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight import _C

from .constants import LAYOUTS, Device, TorchConstant
from .dtypes import StoredDType
from .opcodes import Call
from .stand_ins import StandIn, StandInType
from .tensors import Parameter, QuantizedTensor, SparseTensor, StoredTensor, TypedStorage

if TYPE_CHECKING:
    from .pickler import Pickler


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
    if p.is_known(obj):
        p.write(b"0")
        p.save(obj)
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


def write_tensor(p: Pickler, obj: Any) -> None:
    p.tensors.tensor(p, obj)
    p.memoize(obj)


def _storage(p: Pickler, obj: Any) -> None:
    p.persistent(obj)


def _call(p: Pickler, obj: Call) -> None:
    p.call(obj)


def _stand_in(p: Pickler, obj: Any) -> None:
    raise TypeError(f"cannot save {obj!r}: it stands for an object that is not here")


#: Type -> how its objects are written.
METHODS: dict[type, Callable[[Pickler, Any], None]] = {
    type(None): _none, type(...): _singleton, type(NotImplemented): _singleton, bool: _bool,
    float: _float, complex: _complex, bytes: _bytes,
    bytearray: _bytearray, tuple: _tuple, list: _list, dict: _dict, OrderedDict: _ordered_dict,
    Counter: _counter, set: _set, frozenset: _frozenset, _C.dtype: _dtype, StoredDType: _dtype,
    TorchConstant: _constant, Device: _device, Call: _call, _C.Tensor: write_tensor,
    Parameter: write_tensor, StoredTensor: write_tensor, QuantizedTensor: write_tensor,
    SparseTensor: write_tensor, TypedStorage: _storage, _C.UntypedStorage: _storage,
    StandIn: _stand_in, StandInType: _stand_in,
}  # fmt: skip
