"""Types that other libraries know as containers, taken over with one call each.

Each function returns the classes it added. Classes that are containers here already stay as they
are, so calling again after the other library learnt new ones is fine.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.utils.pytree._pytree_c import (
    FlattenedIndexKey,
    GetAttrKey,
    MappingKey,
    SequenceKey,
)
from rushlight.utils.pytree.names import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    register_namedtuple,
    serialization_of,
)
from rushlight.utils.pytree.registration import is_registered, register_pytree_node
from rushlight.utils.pytree.structures import is_namedtuple_class
from rushlight.utils.pytree.typing import FlattenWithKeysFn, KeyEntry

__all__ = ["register_from_jax", "register_from_optree", "register_from_torch"]


def _our_key(key: Any, position: int) -> KeyEntry:
    """A foreign key as one of ours: they are told apart by the attribute they have."""
    if type(key).__name__ in ("GetAttrKey", "SequenceKey", "MappingKey", "DictKey"):
        for attribute, make in (("name", GetAttrKey), ("idx", SequenceKey), ("key", MappingKey)):
            if hasattr(key, attribute):
                return make(getattr(key, attribute))
    if hasattr(key, "get") and not isinstance(key, dict):
        own: KeyEntry = key
        return own
    return FlattenedIndexKey(position)


def _with_our_keys(flatten_with_keys: Callable[[Any], Any]) -> FlattenWithKeysFn:
    def wrapped(obj: Any) -> tuple[Iterable[tuple[KeyEntry, Any]], Any]:
        pairs, context = flatten_with_keys(obj)
        return [(_our_key(key, i), child) for i, (key, child) in enumerate(pairs)], context

    return wrapped


def _taken(cls: Any, namespace: str = "") -> bool:
    return not isinstance(cls, type) or is_registered(cls, namespace=namespace)


def register_from_torch() -> list[type[Any]]:
    """Takes over what is registered in ``torch.utils._pytree``, with names for serialisation.

    Raises:
        ImportError: PyTorch is not installed.
    """
    torch_pytree: Any = importlib.import_module("torch.utils._pytree")

    added: list[type[Any]] = []
    for cls, node in list(torch_pytree.SUPPORTED_NODES.items()):
        if _taken(cls):
            continue
        known = torch_pytree.SUPPORTED_SERIALIZED_TYPES.get(cls)
        name = None if known is None else known.serialized_type_name
        if name == NO_SERIALIZED_TYPE_NAME_FOUND:
            name = None
        if is_namedtuple_class(cls):
            if name is not None and serialization_of(cls) is None:
                register_namedtuple(cls, serialized_type_name=name)
                added.append(cls)
            continue
        keys = node.flatten_with_keys_fn
        register_pytree_node(
            cls,
            node.flatten_fn,
            node.unflatten_fn,
            serialized_type_name=name,
            to_dumpable_context=None if known is None else known.to_dumpable_context,
            from_dumpable_context=None if known is None else known.from_dumpable_context,
            flatten_with_keys_fn=None if keys is None else _with_our_keys(keys),
        )
        added.append(cls)
    return added


def register_from_jax() -> list[type[Any]]:
    """Takes over what is registered in ``jax.tree_util``. None stays a leaf, PyTorch's default.

    Raises:
        ImportError: JAX is not installed.
    """
    # JAX has no public way to list its registry.
    jax_tree: Any = importlib.import_module("jax._src.tree_util")

    def make_unflatten(from_iter: Callable[[Any, Any], Any]) -> Callable[[list[Any], Any], Any]:
        return lambda children, context: from_iter(context, tuple(children))

    def keys_of(obj: Any) -> Any:
        return jax_tree.default_registry.flatten_one_level_with_keys(obj)

    added: list[type[Any]] = []
    for cls, entry in list(jax_tree._registry.items()):
        if _taken(cls) or cls in (tuple, list, dict, type(None)) or is_namedtuple_class(cls):
            continue
        register_pytree_node(
            cls,
            entry.to_iter,
            make_unflatten(entry.from_iter),
            flatten_with_keys_fn=_with_our_keys(keys_of),
        )
        added.append(cls)
    return added


def register_from_optree(namespace: str = "") -> list[type[Any]]:
    """Takes over what is registered in one namespace of ``optree``, into ours of the same name.

    Raises:
        ImportError: optree is not installed.
    """
    optree: Any = importlib.import_module("optree")

    def make_unflatten(entry: Any) -> Callable[[list[Any], Any], Any]:
        return lambda children, context: entry.unflatten_func(context, children)

    def make_flatten(entry: Any) -> Callable[[Any], tuple[Any, Any]]:
        return lambda obj: tuple(entry.flatten_func(obj)[:2])

    def make_keys(entry: Any) -> FlattenWithKeysFn:
        def keys(obj: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
            flat = entry.flatten_func(obj)
            children = tuple(flat[0])
            named = flat[2] if len(flat) > 2 and flat[2] is not None else None
            make: Any = None
            if issubclass(entry.path_entry_type, optree.GetAttrEntry):
                make = GetAttrKey
            elif issubclass(entry.path_entry_type, optree.SequenceEntry):
                make = SequenceKey
            elif issubclass(entry.path_entry_type, optree.GetItemEntry):
                make = MappingKey
            if make is None or (named is None and make is not SequenceKey):
                return [(FlattenedIndexKey(i), c) for i, c in enumerate(children)], flat[1]
            names = range(len(children)) if named is None else named
            return [(make(n), c) for n, c in zip(names, children, strict=True)], flat[1]

        return keys

    added: list[type[Any]] = []
    for entry in list(optree.register_pytree_node.get(namespace=namespace).values()):
        cls = entry.type
        if _taken(cls, namespace) or entry.namespace != namespace or entry.kind.name != "CUSTOM":
            continue
        register_pytree_node(
            cls,
            make_flatten(entry),
            make_unflatten(entry),
            flatten_with_keys_fn=make_keys(entry),
            namespace=namespace,
        )
        added.append(cls)
    return added
