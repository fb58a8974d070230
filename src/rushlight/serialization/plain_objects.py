"""Constructors of harmless standard objects, with their arguments checked: a file must not make us
work or allocate more than it is long."""

from __future__ import annotations

import codecs
from argparse import Namespace
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from .errors import require

_SEQUENCES = (list, tuple, set, frozenset, dict, OrderedDict)
_ENCODINGS = ("latin1", "latin-1", "iso-8859-1", "ascii", "utf-8", "utf8")
_FACTORIES = (list, dict, set, int, float, str, tuple, bool, OrderedDict)
_MAX_TEXT = 4300  # digits that Python converts


def _items(items: Any) -> Any:
    require(type(items) in _SEQUENCES, f"a collection is made of a {type(items).__name__}")
    return items


def make_ordered_dict(items: Any = ()) -> OrderedDict[Any, Any]:
    """``collections.OrderedDict``."""
    return OrderedDict(_items(items)) if items else OrderedDict()


def make_list(items: Any = ()) -> list[Any]:
    """``list``."""
    return list(_items(items))


def make_tuple(items: Any = ()) -> tuple[Any, ...]:
    """``tuple`` and ``torch.Size``."""
    return tuple(_items(items))


def make_dict(items: Any = ()) -> dict[Any, Any]:
    """``dict``."""
    return dict(_items(items))


def make_set(items: Any = ()) -> set[Any]:
    """``set``."""
    return set(_items(items))


def make_frozenset(items: Any = ()) -> frozenset[Any]:
    """``frozenset``."""
    return frozenset(_items(items))


def make_counter(items: Any = ()) -> Counter[Any]:
    """``collections.Counter``."""
    return Counter(_items(items))


def make_deque(items: Any = (), maxlen: Any = None) -> deque[Any]:
    """``collections.deque``."""
    return deque(_items(items), maxlen)


def make_defaultdict(factory: Any = None, items: Any = ()) -> defaultdict[Any, Any]:
    """``collections.defaultdict`` of a standard type."""
    require(factory is None or factory in _FACTORIES, "a defaultdict of something else than a type")
    return defaultdict(factory, _items(items))


def make_bytearray(data: Any = b"", encoding: Any = None) -> bytearray:
    """``bytearray`` of bytes, or of text as protocol 2 has it."""
    if isinstance(data, str):
        data = encode(data, encoding)
    require(type(data) in (bytes, list), "a bytearray is made of something else than bytes")
    return bytearray(data)


def make_bytes(data: Any = b"", encoding: Any = None) -> bytes:
    """``bytes``."""
    return bytes(make_bytearray(data, encoding))


def encode(text: Any, encoding: Any = "utf-8") -> bytes:
    """``_codecs.encode``, with which protocol 2 writes bytes."""
    require(type(text) is str and encoding in _ENCODINGS, "an encoding that is not for text")
    encoded: bytes = codecs.encode(text, encoding)
    return encoded


def make_int(value: Any = 0) -> int:
    """``int``."""
    require(
        type(value) in (int, float, bool) or (type(value) is str and len(value) <= _MAX_TEXT),
        "an int is made of something else than a number",
    )
    return int(value)


def make_float(value: Any = 0.0) -> float:
    """``float``."""
    require(type(value) in (int, float, bool, str), "a float is made of something else")
    return float(value)


def make_bool(value: Any = False) -> bool:
    """``bool``."""
    return bool(value)


def make_str(value: Any = "", encoding: Any = "utf-8") -> str:
    """``str``."""
    if type(value) is bytes and encoding in _ENCODINGS:
        return value.decode(encoding)
    require(type(value) is str, "a str is made of something else")
    text: str = value
    return text


def make_complex(real: Any = 0.0, imaginary: Any = 0.0) -> complex:
    """``complex``."""
    require(
        type(real) in (int, float) and type(imaginary) in (int, float),
        "a complex number is made of something else than two numbers",
    )
    return complex(real, imaginary)


def make_range(*bounds: Any) -> range:
    """``range``."""
    require(all(type(b) is int for b in bounds), "a range of something else than integers")
    return range(*bounds)


def make_path(*parts: Any) -> Path:
    """``pathlib``'s paths of this system."""
    require(all(type(p) is str for p in parts), "a path is made of something else than text")
    return Path(*parts)


def make_posix_path(*parts: Any) -> PurePosixPath:
    """Paths of POSIX systems on others."""
    require(all(type(p) is str for p in parts), "a path is made of something else than text")
    return PurePosixPath(*parts)


def make_windows_path(*parts: Any) -> PureWindowsPath:
    """Paths of Windows on other systems."""
    require(all(type(p) is str for p in parts), "a path is made of something else than text")
    return PureWindowsPath(*parts)


def make_fraction(*parts: Any) -> Fraction:
    """``fractions.Fraction``: text without an exponent, or two integers."""
    text = len(parts) == 1 and type(parts[0]) is str and len(parts[0]) <= _MAX_TEXT
    require(
        (text and "e" not in parts[0].lower()) or all(type(p) is int for p in parts),
        "a fraction is made of something else than two integers",
    )
    return Fraction(*parts)


def make_decimal(text: Any) -> Decimal:
    """``decimal.Decimal``."""
    require(type(text) is str and len(text) <= _MAX_TEXT, "a decimal is made of something else")
    return Decimal(text)


def make_uuid(text: Any) -> UUID:
    """``uuid.UUID``."""
    require(type(text) is str, "a UUID is made of something else than text")
    return UUID(text)


#: Types that files may construct -> how.
CHECKED: dict[type, Callable[..., Any]] = {
    OrderedDict: make_ordered_dict, list: make_list, tuple: make_tuple, dict: make_dict,
    set: make_set, frozenset: make_frozenset, Counter: make_counter, deque: make_deque,
    defaultdict: make_defaultdict, bytearray: make_bytearray, bytes: make_bytes, int: make_int,
    float: make_float, bool: make_bool, str: make_str, complex: make_complex, range: make_range,
    slice: slice, type(Path()): make_path, PurePosixPath: make_posix_path,
    PureWindowsPath: make_windows_path, Fraction: make_fraction, Decimal: make_decimal,
    UUID: make_uuid, date: date, datetime: datetime, time: time, timedelta: timedelta,
    timezone: timezone,
}  # fmt: skip

#: Types that are made empty and filled with attributes.
NAMESPACES = (Namespace, SimpleNamespace, UUID)
