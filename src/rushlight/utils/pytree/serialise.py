"""Structures to JSON, in PyTorch's format (protocol 1)."""

from __future__ import annotations

import json
from collections import defaultdict, namedtuple
from types import MappingProxyType
from typing import Any

from rushlight.utils.pytree._pytree_c import TreeSpec
from rushlight.utils.pytree.json_context import EnumEncoder, enum_object_hook, mark_tuples
from rushlight.utils.pytree.names import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    Serialization,
    serialization_of,
)

__all__ = ["DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL", "treespec_dumps", "treespec_pprint"]

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1
_LEAF = '{"type": null, "context": null, "children_spec": []}'


def _context_to_text(context: Any, what: Any) -> str:
    try:
        text = json.dumps(mark_tuples(context), cls=EnumEncoder)
        same = json.loads(text, object_hook=enum_object_hook) == context
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(
            f"Unable to serialize context of {what}: {error}. Please make the context json "
            "dump-able, or register a custom serializer using register_pytree_node."
        ) from error
    if not same:
        raise TypeError(
            f"Unable to serialize context of {what}: JSON does not give {context!r} back. Please "
            "register to_dumpable_context and from_dumpable_context."
        )
    return text


def _name_for(cls: Any) -> Serialization:
    # A TreeSpec pickles this one class by name, because pickle can't find it.
    entry = serialization_of(MappingProxyType if cls == "types.MappingProxyType" else cls)
    if entry is None:
        raise NotImplementedError(f"Serializing {cls} in pytree is not registered.")
    if entry.name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {cls} found. Please update your "
            "register_pytree_node call with a `serialized_type_name` kwarg."
        )
    return entry


def _factory_to_json(factory: Any) -> tuple[str | None, str | None]:
    if factory is None:
        return None, None
    if not isinstance(factory, type):
        raise TypeError(
            f"Unable to serialize a defaultdict with the factory {factory!r}: only a class can be "
            "found again by its name"
        )
    return factory.__module__, factory.__qualname__


def _node_to_json(cls: Any, context: Any) -> tuple[str, str]:
    """Name and context of one node as JSON texts."""
    entry = _name_for(cls)
    value: Any
    if cls is namedtuple:
        value = _name_for(context).name
    elif cls is defaultdict:
        factory, keys = context
        module, name = _factory_to_json(factory)
        json.loads(_context_to_text(keys, cls))
        value = {
            "default_factory_module": module,
            "default_factory_name": name,
            "dict_context": mark_tuples(keys),
        }
    elif entry.to_dumpable_context is not None:
        value = entry.to_dumpable_context(context)
    else:
        value = _context_to_text(context, cls)
    return json.dumps(entry.name), json.dumps(value, cls=EnumEncoder)


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON text.

    Raises:
        NotImplementedError: a type in it has no name (``serialized_type_name``).
        TypeError: a context that JSON can't hold, or not a TreeSpec.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "Expected `treespec` to be an instance of PyTreeSpec but got item of type "
            f"{type(treespec)}."
        )
    if protocol is None:
        protocol = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        raise ValueError(
            f"Unknown protocol {protocol}. "
            f"Available protocols: {[DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL]}"
        )
    return f"[{protocol}, {_tree_to_json(treespec)}]"


def _tree_to_json(treespec: TreeSpec) -> str:
    nodes = treespec.__reduce__()[1][0][1]
    if not nodes:
        return _LEAF
    parts: list[str] = []
    open_nodes: list[tuple[int, int, int]] = []  # (end of the subtree, arity, children written)

    def separate(count: int) -> None:
        """Before `count` children of the innermost open node."""
        end, arity, done = open_nodes[-1]
        if done:
            parts.append(", ")
        open_nodes[-1] = (end, arity, done + count)

    def leaves(count: int) -> None:
        if count:
            separate(count)
            parts.append(", ".join([_LEAF] * count))

    def close() -> None:
        _, arity, done = open_nodes[-1]
        leaves(arity - done)
        parts.append("]}")
        open_nodes.pop()

    for i, (cls, context, arity, skip, span, _) in enumerate(nodes):
        while open_nodes and open_nodes[-1][0] == i:
            close()
        if open_nodes:
            leaves(skip)
            separate(1)
        name, text = _node_to_json(cls, context)
        parts.append(f'{{"type": {name}, "context": {text}, "children_spec": [')
        open_nodes.append((i + span, arity, 0))
    while open_nodes:
        close()
    return "".join(parts)


class _Asterisk:
    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree with an asterisk for every leaf: ``{'a': [*, *]}``."""
    return repr(treespec.unflatten([_Asterisk()] * treespec.num_leaves))
