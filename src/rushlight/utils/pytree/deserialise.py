"""JSON back to structures. Reading executes nothing and imports nothing: types are those registered
under the written name, factories and enums are looked up among the modules that are loaded already.
"""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict, namedtuple
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import TreeSpec
from rushlight.utils.pytree.json_context import enum_object_hook, find_class
from rushlight.utils.pytree.names import serialization_named
from rushlight.utils.pytree.serialise import DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL
from rushlight.utils.pytree.specs import treespec_leaf

__all__ = ["treespec_loads"]

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
        try:
            return entry.cls, entry.from_dumpable_context(context)
        except Exception as error:
            raise ValueError(
                f"context of {entry.name}: from_dumpable_context raised "
                f"{type(error).__name__}: {error}"
            ) from error
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


@dataclasses.dataclass(slots=True)
class _Open:
    """A node of the JSON, some of whose children have been read."""

    node: int  # its place in the result
    children: list[Any]
    position: int = 0  # of the next child
    run: int = 0  # leaves since the last child that was none


class _Reader:
    """Reads nodes in pre-order, as TreeSpec pickles itself: [type, context, arity, skip, span,
    namespace]."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self.stack: list[_Open] = []

    def place(self) -> str:
        """Where in the text we are."""
        steps = [f".children_spec[{level.position - 1}]" for level in self.stack]
        return f"at {''.join(steps) or 'the root'}"

    def read(self, root: Any) -> TreeSpec:
        """The structure; errors say where in the JSON they are."""
        try:
            self._visit(root)
            while self.stack:
                top = self.stack[-1]
                if top.position == len(top.children):
                    self.nodes[top.node][4] = len(self.nodes) - top.node
                    self.stack.pop()
                    continue
                top.position += 1
                self._visit(top.children[top.position - 1])
        except NotImplementedError as error:
            raise NotImplementedError(f"{self.place()}: {error}") from error.__cause__
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{self.place()}: {error}") from error.__cause__
        state = (_PICKLE_VERSION, tuple(map(tuple, self.nodes)))
        return _pytree_c.treespec_from_state(state)

    def _visit(self, item: Any) -> None:
        _check_item(item)
        parent = self.stack[-1] if self.stack else None
        if _is_leaf(item):
            if parent is not None:
                parent.run += 1
            return
        children = item["children_spec"]
        cls, context = _node_from_json(item["type"], item["context"])
        TreeSpec(cls, context, [treespec_leaf()] * len(children))  # an error belongs here
        skip = 0
        if parent is not None:
            skip, parent.run = parent.run, 0
        self.nodes.append([cls, context, len(children), skip, 1, ""])
        self.stack.append(_Open(len(self.nodes) - 1, children))


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote, here or in PyTorch.

    Raises:
        ValueError: not such a text (says where), nested too deeply for Python's JSON parser, or of
            a newer protocol.
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
    return _Reader().read(root)
