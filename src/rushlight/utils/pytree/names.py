"""How types are written in serialised structures: one table by type, one by written name."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from types import MappingProxyType
from typing import Any, NamedTuple

from rushlight.utils.pytree.structures import is_namedtuple_class, is_structseq_class
from rushlight.utils.pytree.typing import FromDumpableContextFn, ToDumpableContextFn

__all__ = ["NO_SERIALIZED_TYPE_NAME_FOUND", "register_namedtuple", "register_structseq"]

NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"


class Serialization(NamedTuple):
    """How structures with nodes of one type become text."""

    cls: Any
    name: str
    to_dumpable_context: ToDumpableContextFn | None
    from_dumpable_context: FromDumpableContextFn | None
    constant: bool = False  # instances are structure

    @property
    def typ(self) -> Any:
        """`cls` under PyTorch's name for it."""
        return self.cls

    @property
    def serialized_type_name(self) -> str:
        """`name` under PyTorch's name for it."""
        return self.name

    @property
    def is_named(self) -> bool:
        """Whether structures with this type can be written."""
        return self.name != NO_SERIALIZED_TYPE_NAME_FOUND


# No lock: a dictionary operation is atomic, and while a lock is held a finalizer or a metaclass's
# __hash__ (user code) could run. Which of two registrations of a class wins is decided before.
_by_type: dict[Any, Serialization] = {}
_by_name: dict[str, Serialization] = {}


def serialization_of(cls: Any) -> Serialization | None:
    """What is known about writing nodes of type `cls`."""
    return _by_type.get(cls)


def serialization_named(name: str) -> Serialization | None:
    """What is known about the type that is written as `name`."""
    return _by_name.get(name)


def known_types() -> list[Serialization]:
    """What is known about all types, in the order they became known."""
    return list(_by_type.values())


def remember(entry: Serialization) -> None:
    """Puts an entry in both tables, in place of what was known about its type."""
    previous = _by_type.get(entry.cls)
    _by_type[entry.cls] = entry
    if previous is not None and previous.name != entry.name:
        _drop_name(previous)
    if entry.is_named:
        _by_name[entry.name] = entry


def forget(cls: Any) -> None:
    """Takes a type out of both tables."""
    entry = _by_type.pop(cls, None)
    if entry is not None:
        _drop_name(entry)


def _drop_name(entry: Serialization) -> None:
    if _by_name.get(entry.name) is entry:
        _by_name.pop(entry.name, None)


def make_entry(
    cls: Any,
    name: str | None,
    to_dumpable: ToDumpableContextFn | None = None,
    from_dumpable: FromDumpableContextFn | None = None,
) -> Serialization:
    """An entry; ValueError when only one of the two functions is given."""
    if (to_dumpable is None) != (from_dumpable is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or "
            "registered."
        )
    return Serialization(cls, name or NO_SERIALIZED_TYPE_NAME_FOUND, to_dumpable, from_dumpable)


def register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    """Gives a named tuple class a name for ``treespec_dumps``. All of them are containers
    without being registered; a structure is written with the name of its class."""
    if not is_namedtuple_class(cls):
        raise TypeError(f"a namedtuple class expected, got {cls!r}")
    remember(make_entry(cls, serialized_type_name))


def register_structseq(cls: type[Any], *, serialized_type_name: str) -> None:
    """Gives a struct sequence (``time.struct_time``) a name for ``treespec_dumps``. All of them
    are containers without being registered."""
    if not is_structseq_class(cls):
        raise TypeError(f"a struct sequence expected, got {cls!r}")
    remember(make_entry(cls, serialized_type_name))


for _cls, _name in (
    (tuple, "builtins.tuple"),
    (list, "builtins.list"),
    (dict, "builtins.dict"),
    (namedtuple, "collections.namedtuple"),
    (OrderedDict, "collections.OrderedDict"),
    (defaultdict, "collections.defaultdict"),
    (deque, "collections.deque"),
    (MappingProxyType, "types.MappingProxyType"),
    (type(None), "builtins.NoneType"),
):
    remember(make_entry(_cls, _name))
