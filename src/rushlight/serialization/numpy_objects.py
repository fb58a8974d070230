"""NumPy's arrays, scalars and dtypes from their pickles, without NumPy's own ``__setstate__``."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from .errors import require

_SIMPLE = re.compile(
    r"[?]|b1|[iufc](1|2|4|8|16|32)|[SUVa](\d{1,9})|[mM]8|O8?|[bhilqpBHILQPefdgFDG]"
)
_MAX_FIELDS = 1000


class DTypeStub:
    """What ``numpy.dtype(...)`` makes until its state arrives."""

    def __init__(self, code: str) -> None:
        require(_SIMPLE.fullmatch(code) is not None, f"no NumPy type: {code[:40]!r}")
        self.code = "O" if code.startswith("O") else code

    def finish(self, state: Any = None) -> np.dtype[Any]:
        """The dtype, from the state that NumPy pickles with it."""
        if state is None:
            return np.dtype(self.code)
        require(type(state) is tuple and len(state) >= 5, "the state of a NumPy type is not valid")
        order, subtype, names, fields = state[1:5]
        require(order in ("<", ">", "|", "="), "the byte order of a NumPy type is none")
        if names is None:
            if subtype is not None:
                return _array_type(subtype)
            if len(state) >= 9 and state[8] not in (None, {}) and self.code in ("m8", "M8"):
                return self._dated(order, state[8])
            ordered: np.dtype[Any] = np.dtype(self.code).newbyteorder(order)
            return ordered
        require(
            type(names) is tuple
            and len(names) <= _MAX_FIELDS
            and type(fields) is dict
            and set(names) == set(fields)
            and type(state[5]) is int,
            "the fields of a NumPy type are not valid",
        )
        parts = [fields[name] for name in names]
        require(
            all(type(p) is tuple and len(p) >= 2 and type(p[1]) is int for p in parts),
            "the fields of a NumPy type are not valid",
        )
        spec = {
            "names": list(names),
            "formats": [finished_dtype(p[0]) for p in parts],
            "offsets": [p[1] for p in parts],
            "itemsize": state[5],
        }
        return np.dtype(spec)  # type: ignore[call-overload, no-any-return]

    def _dated(self, order: str, metadata: Any) -> np.dtype[Any]:
        try:
            unit, count = metadata[1][0], metadata[1][1]
            unit = unit.decode("ascii") if isinstance(unit, bytes) else unit
            require(type(count) is int and unit in _UNITS, "")
        except Exception:
            require(False, "the unit of a NumPy date is not valid")
        bare = unit == "generic"
        return np.dtype(f"{order}{self.code}" + ("" if bare else f"[{count}{unit}]"))


def _array_type(subtype: Any) -> np.dtype[Any]:
    """A field's type that is an array, from its element type and sizes."""
    require(type(subtype) is tuple and len(subtype) == 2, "a NumPy type of arrays is not valid")
    base, shape = finished_dtype(subtype[0]), subtype[1]
    shape = (shape,) if type(shape) is int else shape
    require(
        type(shape) is tuple
        and len(shape) <= 32
        and all(type(n) is int and n >= 0 for n in shape)
        and max(base.itemsize, 1) * math.prod(shape) < 1 << 31,
        "the sizes of a NumPy type of arrays are not valid",
    )
    return np.dtype((base, shape))


_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic")


class ArrayStub:
    """What ``_reconstruct(ndarray, (0,), b'b')`` makes until its state arrives."""

    def finish(self, state: Any) -> np.ndarray[Any, Any]:
        """The array; its contents must be as long as its sizes and type say."""
        require(type(state) is tuple and len(state) in (4, 5), "the state of an array is not valid")
        shape, dtype, fortran, contents = state[-4:]
        return array_of(shape, finished_dtype(dtype), "F" if fortran else "C", contents)


def array_of(shape: Any, dtype: np.dtype[Any], order: str, contents: Any) -> np.ndarray[Any, Any]:
    """An array from its parts, copied."""
    require(
        type(shape) is tuple and len(shape) <= 32 and all(type(n) is int and n >= 0 for n in shape),
        "the sizes of an array are not valid",
    )
    count = math.prod(shape)
    if dtype.hasobject:
        require(dtype == np.dtype("O"), "arrays with fields of objects are not supported")
        require(type(contents) is list and len(contents) == count, "an array of objects lacks some")
        flat = np.empty(count, object)
        for i, item in enumerate(contents):
            flat[i] = item
        return flat.reshape(shape, order=order)  # type: ignore[call-overload, no-any-return]
    if type(contents) is str:
        contents = contents.encode("latin1")
    require(type(contents) in (bytes, bytearray), "the contents of an array are no bytes")
    require(
        len(contents) == count * dtype.itemsize,
        f"an array of {count} elements of {dtype.itemsize} bytes has {len(contents)} bytes",
    )
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    flat = np.frombuffer(bytearray(contents), dtype)
    return flat.reshape(shape, order=order)  # type: ignore[call-overload, no-any-return]


def make_dtype(code: Any, *flags: Any) -> DTypeStub:
    """``numpy.dtype``, as pickles call it."""
    if isinstance(code, bytes):
        code = code.decode("latin1")
    if isinstance(code, type) and issubclass(code, np.generic):
        code = np.dtype(code).str[1:]
    require(type(code) is str, "a NumPy type is made of something else than its code")
    return DTypeStub(code)


def finished_dtype(value: Any) -> np.dtype[Any]:
    """The dtype behind a stub or a dtype."""
    if isinstance(value, DTypeStub):
        return value.finish()
    require(isinstance(value, np.dtype), "the type of an array is none")
    dtype: np.dtype[Any] = value
    return dtype


def reconstruct(kind: Any, shape: Any, code: Any) -> ArrayStub:
    """``numpy.core.multiarray._reconstruct``."""
    require(kind is np.ndarray, "an array of a class of its own")
    return ArrayStub()


def make_scalar(dtype: Any, contents: Any) -> Any:
    """``numpy.core.multiarray.scalar``."""
    kind = finished_dtype(dtype)
    require(not kind.hasobject, "a NumPy scalar of an object")
    return array_of((), kind, "C", contents)[()]


def frombuffer(contents: Any, dtype: Any, shape: Any, order: Any) -> np.ndarray[Any, Any]:
    """``numpy.core.numeric._frombuffer``, of protocol 5."""
    require(order in ("C", "F"), "the order of an array is none")
    return array_of(shape, finished_dtype(dtype), order, bytes(contents))
