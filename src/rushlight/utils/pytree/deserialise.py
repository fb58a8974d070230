"""JSON back to structures. Reading executes nothing and imports nothing: types are those registered
under the written name, factories and enums are looked up among the modules that are loaded already.
"""

from __future__ import annotations

import json
from collections import defaultdict, namedtuple
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import TreeSpec
from rushlight.utils.pytree.json_context import enum_object_hook, find_class
from rushlight.utils.pytree.names import serialization_named
from rushlight.utils.pytree.serialise import DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL

_PICKLE_VERSION = 1


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
    return [find_class(module, name, object), keys]


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
