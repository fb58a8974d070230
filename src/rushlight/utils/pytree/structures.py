"""Named tuples and CPython's struct sequences (``time.struct_time`` and its like)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, NoReturn, TypeVar

__all__ = [
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "namedtuple_fields",
    "structseq",
    "structseq_fields",
]

_T_co = TypeVar("_T_co", covariant=True)

_BASETYPE = 1 << 10  # Py_TPFLAGS_BASETYPE: the class may be subclassed


def is_namedtuple_class(cls: type) -> bool:
    """Whether `cls` was made by ``collections.namedtuple`` or derives from such a class."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields := getattr(cls, "_fields", None), tuple)
        and all(type(field) is str for field in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Whether `obj` is an instance of a named tuple class."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object | type) -> bool:
    """Whether `obj` is a named tuple or a named tuple class."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def namedtuple_fields(obj: Any) -> tuple[str, ...]:
    """Names of the fields of a named tuple or its class; TypeError for anything else."""
    cls = obj if isinstance(obj, type) else type(obj)
    if not is_namedtuple_class(cls):
        raise TypeError(f"a namedtuple expected, got {obj!r}")
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    return fields


class structseq(tuple[_T_co, ...]):  # noqa: N801 - PyTorch's name
    """What struct sequences have in common, for annotations. It can't be subclassed or made."""

    __slots__: ClassVar[tuple[()]] = ()

    n_fields: Final[int]  # type: ignore[misc]
    n_sequence_fields: Final[int]  # type: ignore[misc]
    n_unnamed_fields: Final[int]  # type: ignore[misc]

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'structseq' is not an acceptable base type")

    def __new__(
        cls, sequence: Iterable[_T_co], dict: dict[str, Any] | None = None
    ) -> structseq[_T_co]:
        raise NotImplementedError("structseq only stands for the classes that CPython makes")


def is_structseq_class(cls: type) -> bool:
    """Whether `cls` is one of CPython's struct sequences."""
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(
            isinstance(getattr(cls, name, None), int)
            for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields")
        )
        and not cls.__flags__ & _BASETYPE
    )


def is_structseq_instance(obj: object) -> bool:
    """Whether `obj` is an instance of a struct sequence."""
    return is_structseq_class(type(obj))


def is_structseq(obj: object | type) -> bool:
    """Whether `obj` is a struct sequence or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def structseq_fields(obj: Any) -> tuple[str, ...]:
    """Names of the visible fields of a struct sequence or its class."""
    cls = obj if isinstance(obj, type) else type(obj)
    if not is_structseq_class(cls):
        raise TypeError(f"a struct sequence expected, got {obj!r}")
    names: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]
    return names
