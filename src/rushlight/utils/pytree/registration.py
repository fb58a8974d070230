"""Registering types as containers."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from types import MappingProxyType
from typing import Any, TypeVar

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree.names import forget, make_entry, remember
from rushlight.utils.pytree.typing import (
    FlattenFn,
    FlattenWithKeysFn,
    FromDumpableContextFn,
    ToDumpableContextFn,
    UnflattenFn,
)

__all__ = [
    "BUILTIN_TYPES",
    "STANDARD_DICT_TYPES",
    "is_registered",
    "register_pytree_node",
    "register_pytree_node_class",
    "unregister_pytree_node",
]

C = TypeVar("C", bound=type[Any])

STANDARD_DICT_TYPES: frozenset[Any] = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES: frozenset[Any] = frozenset(
    {tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque, MappingProxyType, type(None)}
)


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
    entry = make_entry(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)
    added = _pytree_c.register_node(
        cls, flatten_fn, unflatten_fn, flatten_with_keys_fn, None, namespace, False
    )
    if not added:
        raise ValueError(f"{cls} is already registered as pytree node.")
    remember(entry)


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
    forget(cls)


def is_registered(cls: type[Any], *, namespace: str = "") -> bool:
    """Whether `cls` is registered in exactly this namespace, or built in (namespace '')."""
    return _pytree_c.is_registered(cls, namespace)


def add_or_warn(
    cls: type[Any],
    flatten: FlattenFn | None,
    unflatten: UnflattenFn | None,
    keys: FlattenWithKeysFn | None,
    fields: tuple[str, ...] | None,
    *,
    namespace: str = "",
) -> None:
    """Registers, in place of an earlier registration, which warns as PyTorch does."""
    if _pytree_c.register_node(cls, flatten, unflatten, keys, fields, namespace, False):
        return
    warnings.warn(
        f"{cls} is already registered as pytree node. Overwriting the previous registration.",
        stacklevel=3,
    )
    _pytree_c.register_node(cls, flatten, unflatten, keys, fields, namespace, True)
