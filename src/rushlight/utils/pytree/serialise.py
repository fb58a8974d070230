"""Structures as JSON, in PyTorch's format (protocol 1).

Reading executes nothing and imports nothing: types are those registered under the written name,
factories and enums are looked up among the modules that are loaded already.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict, namedtuple
from enum import Enum
from types import MappingProxyType
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import TreeSpec
from rushlight.utils.pytree.registration import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    Serialization,
    serialization_named,
    serialization_of,
)

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1
_PICKLE_VERSION = 1
_LEAF = '{"type": null, "context": null, "children_spec": []}'


class EnumEncoder(json.JSONEncoder):
    """Writes enum members by class and name."""

    def default(self, o: object) -> Any:
        if isinstance(o, Enum):
            cls = o.__class__
            return {
                "__enum__": True,
                "fqn": f"{cls.__module__}:{cls.__qualname__}",
                "name": o.name,
            }
        return super().default(o)


def _find_class(module: str, qualname: str, base: type) -> Any:
    found: Any = sys.modules.get(module)
    if found is None:
        raise ValueError(f"{module}:{qualname}: its module is not imported here")
    for part in qualname.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ValueError(f"{module}:{qualname} is no class, or none that belongs here")
    return found


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Reads what `EnumEncoder` wrote (and tuples, which JSON lacks)."""
    if "__enum__" in obj:
        module, _, qualname = obj["fqn"].partition(":")
        return _find_class(module, qualname, Enum)[obj["name"]]
    if set(obj) == {"__tuple__"}:
        return tuple(obj["__tuple__"])
    return obj


def _mark_tuples(value: Any) -> Any:
    if isinstance(value, tuple):
        return {"__tuple__": [_mark_tuples(item) for item in value]}
    if type(value) is list:
        return [_mark_tuples(item) for item in value]
    if type(value) is dict:
        return {key: _mark_tuples(item) for key, item in value.items()}
    return value


def _context_to_text(context: Any, what: Any) -> str:
    try:
        text = json.dumps(_mark_tuples(context), cls=EnumEncoder)
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
            "dict_context": _mark_tuples(keys),
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


def _context_from_text(text: Any, name: str) -> Any:
    if not isinstance(text, str):
        raise ValueError(f"context of {name}: a JSON text expected, got {type(text).__name__}")
    return json.loads(text, object_hook=enum_object_hook)


def _untag(value: Any) -> Any:
    """Tuples and enums inside JSON that was parsed without the hook."""
    return json.loads(json.dumps(value), object_hook=enum_object_hook)


def _defaultdict_from_json(value: Any) -> list[Any]:
    expected = {"default_factory_module", "default_factory_name", "dict_context"}
    if not isinstance(value, dict) or set(value) != expected:
        raise ValueError(f"context of a defaultdict: keys {sorted(expected)} expected")
    module, name = value["default_factory_module"], value["default_factory_name"]
    keys = _untag(value["dict_context"])
    if module is None and name is None:
        return [None, keys]
    if not isinstance(module, str) or not isinstance(name, str):
        raise ValueError("context of a defaultdict: the factory's module and name are strings")
    return [_find_class(module, name, object), keys]


def _node_from_json(name: Any, context: Any) -> tuple[Any, Any]:
    entry = serialization_named(name) if isinstance(name, str) else None
    if entry is None:
        raise NotImplementedError(f"Deserializing {name} in pytree is not registered.")
    if entry.cls is namedtuple:
        found = serialization_named(context) if isinstance(context, str) else None
        if found is None:
            raise NotImplementedError(
                f"Can't deserialize TreeSpec of namedtuple class {context} because we couldn't "
                "find a serialized name."
            )
        return namedtuple, found.cls
    if entry.cls is defaultdict:
        return defaultdict, _defaultdict_from_json(context)
    if entry.from_dumpable_context is not None:
        return entry.cls, entry.from_dumpable_context(context)
    return entry.cls, _context_from_text(context, entry.name)


def _is_leaf(item: dict[str, Any]) -> bool:
    return item["type"] is None and item["context"] is None and not item["children_spec"]


def _check_item(item: Any) -> None:
    if (
        not isinstance(item, dict)
        or set(item) != {"type", "context", "children_spec"}
        or not isinstance(item["children_spec"], list)
    ):
        raise ValueError("a node is an object with type, context and children_spec")


def _tree_from_json(root: Any) -> TreeSpec:
    _check_item(root)
    # [type, context, arity, skip, span, namespace] in pre-order, as TreeSpec pickles itself.
    nodes: list[list[Any]] = []
    stack: list[tuple[int, Any, int]] = []  # (its node, its remaining children, leaves so far)

    def visit(item: Any, skip: int) -> None:
        cls, context = _node_from_json(item["type"], item["context"])
        nodes.append([cls, context, len(item["children_spec"]), skip, 1, ""])
        stack.append((len(nodes) - 1, iter(item["children_spec"]), 0))

    if not _is_leaf(root):
        visit(root, 0)
    while stack:
        node, children, run = stack.pop()
        for child in children:
            _check_item(child)
            if _is_leaf(child):
                run += 1
                continue
            stack.append((node, children, 0))
            visit(child, run)
            break
        else:
            nodes[node][4] = len(nodes) - node
    return _pytree_c.treespec_from_state((_PICKLE_VERSION, tuple(map(tuple, nodes))))


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote, here or in PyTorch.

    Raises:
        ValueError: not such a text, nested too deeply for Python's JSON parser, or of a newer
            protocol.
        NotImplementedError: a type in it is not registered here.
    """
    try:
        parsed = json.loads(serialized)
    except RecursionError:
        raise ValueError("the JSON of this structure is nested too deeply to be read") from None
    if not isinstance(parsed, list) or len(parsed) != 2:
        raise ValueError("not a serialized TreeSpec: [protocol, structure] expected")
    protocol, root = parsed
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        raise ValueError(
            f"Unknown protocol {protocol}. "
            f"Available protocols: {[DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL]}"
        )
    return _tree_from_json(root)


class _Asterisk:
    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree with an asterisk for every leaf: ``{'a': [*, *]}``."""
    return repr(treespec.unflatten([_Asterisk()] * treespec.num_leaves))
