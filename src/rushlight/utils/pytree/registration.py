"""Registering types as containers, with everything serialisation needs to know about them."""

from __future__ import annotations

import dataclasses
import inspect
import threading
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree.structures import is_namedtuple_class, is_structseq_class
from rushlight.utils.pytree.typing import (
    Context,
    FlattenFn,
    FlattenWithKeysFn,
    FromDumpableContextFn,
    ToDumpableContextFn,
    UnflattenFn,
)

T = TypeVar("T")
C = TypeVar("C", bound=type[Any])

NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
STANDARD_DICT_TYPES: frozenset[Any] = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES: frozenset[Any] = frozenset(
    {tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque, MappingProxyType, type(None)}
)


class Serialization(NamedTuple):
    """How structures with nodes of one type become text."""

    cls: Any
    name: str
    to_dumpable_context: ToDumpableContextFn | None
    from_dumpable_context: FromDumpableContextFn | None


# Guards the two tables below. Nothing of the user's runs while it is held.
_lock = threading.Lock()
_by_type: dict[Any, Serialization] = {}
_by_name: dict[str, Serialization] = {}
_constants: set[type] = set()


def serialization_of(cls: Any) -> Serialization | None:
    """What is known about writing nodes of type `cls`."""
    with _lock:
        return _by_type.get(cls)


def serialization_named(name: str) -> Serialization | None:
    """What is known about the type that is written as `name`."""
    with _lock:
        return _by_name.get(name)


def _remember(entry: Serialization) -> None:
    with _lock:
        previous = _by_type.get(entry.cls)
        if previous is not None and _by_name.get(previous.name) is previous:
            del _by_name[previous.name]
        _by_type[entry.cls] = entry
        if entry.name != NO_SERIALIZED_TYPE_NAME_FOUND:
            _by_name[entry.name] = entry


def _entry(
    cls: Any,
    name: str | None,
    to_dumpable: ToDumpableContextFn | None,
    from_dumpable: FromDumpableContextFn | None,
) -> Serialization:
    if (to_dumpable is None) != (from_dumpable is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or "
            "registered."
        )
    return Serialization(cls, name or NO_SERIALIZED_TYPE_NAME_FOUND, to_dumpable, from_dumpable)


def register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: ToDumpableContextFn | None = None,
    from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: FlattenWithKeysFn | None = None,
    namespace: str = "",
) -> None:
    """Makes `cls` a container.

    Args:
        cls: the class itself; subclasses are registered on their own.
        flatten_fn: ``obj -> (children, context)``.
        unflatten_fn: ``(children, context) -> obj``, the inverse.
        serialized_type_name: name of the type in ``treespec_dumps``, unique.
        to_dumpable_context: context to something JSON can hold, where the context isn't.
        from_dumpable_context: the inverse.
        flatten_with_keys_fn: ``obj -> ([(key, child), ...], context)``, names the children in
            paths. Without it children have positions: ``[<flat index 0>]``.
        namespace: register only for calls with the same ``namespace=``.

    Raises:
        ValueError: `cls` is a container already.
    """
    entry = _entry(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)
    added = _pytree_c.register_node(
        cls, flatten_fn, unflatten_fn, flatten_with_keys_fn, None, namespace, False
    )
    if not added:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _remember(entry)


def register_pytree_node_class(cls: C) -> C:
    """Class decorator: the class has ``tree_flatten()`` and the class method
    ``tree_unflatten(context, children)``, as in JAX."""
    register_pytree_node(
        cls,
        lambda obj: obj.tree_flatten(),
        lambda children, context: cls.tree_unflatten(context, tuple(children)),
    )
    return cls


def unregister_pytree_node(cls: type[Any], *, namespace: str = "") -> None:
    """Makes instances of `cls` leaves again; structures made before keep working."""
    if not _pytree_c.unregister_node(cls, namespace):
        raise ValueError(f"{cls} is not registered as pytree node.")
    with _lock:
        _constants.discard(cls)
        entry = _by_type.pop(cls, None)
        if entry is not None and _by_name.get(entry.name) is entry:
            del _by_name[entry.name]


def is_registered(cls: type[Any], *, namespace: str = "") -> bool:
    """Whether `cls` is registered in exactly this namespace, or built in (namespace '')."""
    return _pytree_c.is_registered(cls, namespace)


def _field_names(
    cls: type[Any], field_names: list[str] | None, drop_field_names: list[str]
) -> list[str]:
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(
                "field_names must be specified with a list of all fields used to initialize "
                f"{cls}, as it is not a dataclass."
            )
        return list(field_names)
    declared = [f.name for f in dataclasses.fields(cls) if f.init]
    declared = [name for name in declared if name not in drop_field_names]
    if field_names is None:
        return declared
    missing = set(declared) - set(field_names)
    unexpected = set(field_names) - set(declared)
    if missing or unexpected:
        message = "field_names does not include all dataclass fields.\n"
        if missing:
            message += (
                f"Missing fields in `field_names`: {missing}. If you want to include these fields "
                "in the pytree, please add them to `field_names`, otherwise please add them to "
                "`drop_field_names`.\n"
            )
        if unexpected:
            message += (
                f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, "
                "or add them to `drop_field_names`.\n"
            )
        raise ValueError(message)
    return list(field_names)


def _positional_init(cls: type[Any], names: list[str]) -> Any:
    """The ``__init__`` of `cls` if it takes exactly these fields first, by position."""
    try:
        parameters = list(inspect.signature(cls).parameters.values())[: len(names)]
    except (TypeError, ValueError):
        return None
    by_position = all(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
    return cls.__init__ if by_position and [p.name for p in parameters] == names else None


def register_dataclass(
    cls: type[Any],
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
    namespace: str = "",
) -> None:
    """Makes a dataclass a container of its fields.

    Fields that hold None are not children: they are part of the structure. Works for any class
    whose instances are made by ``cls(field=...)`` when `field_names` lists the fields.

    Args:
        cls: the class.
        field_names: the fields that are children; all ``init`` fields of a dataclass by default.
        drop_field_names: fields left out; they get their defaults when a tree is rebuilt.
        serialized_type_name: name of the type in ``treespec_dumps``.
        namespace: register only for calls with the same ``namespace=``.
    """
    names = _field_names(cls, field_names, drop_field_names or [])
    if len(set(names)) != len(names):
        raise ValueError(f"field_names of {cls}: a name occurs twice in {names}")
    _add_or_warn(cls, _positional_init(cls, names), None, None, tuple(names), namespace=namespace)
    _remember(_entry(cls, serialized_type_name, None, None))


def _add_or_warn(
    cls: type[Any],
    flatten: FlattenFn | None,
    unflatten: UnflattenFn | None,
    keys: FlattenWithKeysFn | None,
    fields: tuple[str, ...] | None,
    *,
    namespace: str = "",
) -> None:
    if _pytree_c.register_node(cls, flatten, unflatten, keys, fields, namespace, False):
        return
    warnings.warn(
        f"{cls} is already registered as pytree node. Overwriting the previous registration.",
        stacklevel=3,
    )
    _pytree_c.register_node(cls, flatten, unflatten, keys, fields, namespace, True)


@dataclasses.dataclass(frozen=True)
class ConstantNode(Generic[T]):
    """The context of a constant: the constant itself."""

    __slots__ = ("value",)

    value: T


_pytree_c.set_constant_node(ConstantNode)


def _constant_flatten(obj: Any) -> tuple[list[Any], Context]:
    return [], ConstantNode(obj)


def _constant_unflatten(_: Iterable[Any], context: ConstantNode[Any]) -> Any:
    return context.value


def register_constant(cls: type[Any]) -> None:
    """Makes instances of `cls` containers without children: the instance is part of the structure.

    Structures with equal constants are equal, so the class needs its own ``__eq__`` and
    ``__hash__``; TypeError if it has neither.
    """
    for method in ("__eq__", "__hash__"):
        own = getattr(cls, method)
        if own is None or (method == "__eq__" and own is object.__eq__):
            raise TypeError(
                f"register_constant(cls) expects `cls` to have a non-default `{method}` "
                "implementation."
            )
    _add_or_warn(cls, _constant_flatten, _constant_unflatten, _constant_flatten, None)
    with _lock:
        _constants.add(cls)
    _remember(_entry(cls, None, None, None))


def is_constant_class(cls: type[Any]) -> bool:
    """Whether `cls` was registered by `register_constant`."""
    with _lock:
        return isinstance(cls, type) and cls in _constants


def register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    """Gives a named tuple class a name for ``treespec_dumps``. All of them are containers
    without being registered; a structure is written with the name of its class."""
    if not is_namedtuple_class(cls):
        raise TypeError(f"a namedtuple class expected, got {cls!r}")
    _remember(Serialization(cls, serialized_type_name, None, None))


def register_structseq(cls: type[Any], *, serialized_type_name: str) -> None:
    """Gives a struct sequence (``time.struct_time``) a name for ``treespec_dumps``. All of them
    are containers without being registered."""
    if not is_structseq_class(cls):
        raise TypeError(f"a struct sequence expected, got {cls!r}")
    _remember(Serialization(cls, serialized_type_name, None, None))


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
    _remember(Serialization(_cls, _name, None, None))
