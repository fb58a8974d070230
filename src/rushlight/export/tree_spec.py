"""Reads the nesting of a program's inputs and outputs, as ``torch.utils._pytree`` writes it
(protocol 1), into a structure of :mod:`rushlight.utils.pytree`.

Other than :func:`rushlight.utils.pytree.treespec_loads`, reading accepts types that nobody
registered: a file must be usable without the packages whose containers it names.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.utils.pytree import TreeSpec, treespec_leaf

from .containers import AllowedTypes, container_spec

_PROTOCOL = 1
_MAX_DEPTH = 200
_SEQUENCES: dict[str, type[Sequence[Any]]] = {
    "builtins.tuple": tuple,
    "builtins.list": list,
    "torch.Size": tuple,
    "torch.fx.immutable_collections.immutable_list": list,
}
_MAPPINGS: dict[str, type[dict[Any, Any]]] = {
    "builtins.dict": dict,
    "collections.OrderedDict": OrderedDict,
    "torch.fx.immutable_collections.immutable_dict": dict,
}
# A defaultdict's factory is code; of those that a file may name, these do nothing but exist.
_FACTORIES = {f"builtins.{t.__name__}": t for t in (int, float, bool, str, list, dict, tuple, set)}


_make_namedtuple: Callable[..., Any] = namedtuple  # its fields are known only at run time


class SpecReader:
    """Reads tree specifications of one file."""

    def __init__(
        self, allowed: AllowedTypes, namedtuple_fields: Mapping[str, Sequence[str]]
    ) -> None:
        self._allowed = allowed
        self._fields = namedtuple_fields

    def read(self, text: str, what: str) -> TreeSpec:
        """The structure that `text` describes; ``ValueError`` names `what` is wrong."""
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{what}: not JSON: {error}") from None
        if not (isinstance(parsed, list) and len(parsed) == 2 and parsed[0] == _PROTOCOL):
            raise ValueError(f"{what}: expected [{_PROTOCOL}, tree], got {text[:40]}")
        return self._node(parsed[1], what, 0)

    def _node(self, node: Any, what: str, depth: int) -> TreeSpec:
        if depth > _MAX_DEPTH:
            raise ValueError(f"{what}: nested deeper than {_MAX_DEPTH} levels")
        if not (isinstance(node, dict) and {"type", "context", "children_spec"} <= node.keys()):
            raise ValueError(f"{what}: a node needs type, context and children_spec")
        name, text, parts = node["type"], node["context"], node["children_spec"]
        if not isinstance(parts, list) or not isinstance(name, (str, type(None))):
            raise ValueError(f"{what}: a node's type is text and its children_spec a list")
        if name is None:
            if parts:
                raise ValueError(f"{what}: a leaf has children")
            return treespec_leaf()
        children = [self._node(part, what, depth + 1) for part in parts]
        return self._container(name, text, _context(text, what), children, f"{what}: {name}")

    def _container(
        self, name: str, text: Any, context: Any, children: list[TreeSpec], what: str
    ) -> TreeSpec:
        count = len(children)
        if name in _SEQUENCES:
            return TreeSpec(_SEQUENCES[name], None, children)
        if name in _MAPPINGS:
            return TreeSpec(_MAPPINGS[name], _keys(context, count, what), children)
        if name == "collections.deque":
            if not isinstance(context, (int, type(None))):
                raise ValueError(f"{what}: its maximal length is no number")
            try:
                return TreeSpec(deque, context, children)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from None
        if name == "collections.defaultdict":
            return TreeSpec(defaultdict, _factory_and_keys(context, count, what), children)
        if name == "collections.namedtuple":
            return self._namedtuple(context, children, what)
        return container_spec(name, context, text, children, self._allowed)

    def _namedtuple(self, name: Any, children: list[TreeSpec], what: str) -> TreeSpec:
        if not isinstance(name, str):
            raise ValueError(f"{what}: its class is not named")
        cls: Any = self._allowed.find(name)
        if cls is None:
            fields = self._fields.get(name, ())
            if len(fields) != len(children):
                fields = [f"field_{i}" for i in range(len(children))]
            try:
                cls = _make_namedtuple(name.rpartition(".")[2], fields)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from None
        if len(getattr(cls, "_fields", ())) != len(children):
            raise ValueError(f"{what}: {name} has other fields than the file's {len(children)}")
        return TreeSpec(namedtuple, cls, children)


def _context(text: Any, what: str) -> Any:
    # Written as JSON inside a string; a container's own serialiser may give anything.
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _keys(keys: Any, count: int, what: str) -> list[Any]:
    keys = [_key(k) for k in keys] if isinstance(keys, list) else keys
    if not isinstance(keys, list) or len(keys) != count:
        raise ValueError(f"{what}: expected {count} keys, got {str(keys)[:80]}")
    try:
        distinct = len(set(keys)) == len(keys)
    except TypeError:
        raise ValueError(f"{what}: a key can't be hashed") from None
    if not distinct:
        raise ValueError(f"{what}: a key occurs twice")
    return keys


def _key(key: Any) -> Any:
    if isinstance(key, dict) and set(key) == {"__tuple__"} and isinstance(key["__tuple__"], list):
        return tuple(_key(k) for k in key["__tuple__"])
    return key


def _factory_and_keys(context: Any, count: int, what: str) -> list[Any]:
    if not isinstance(context, dict):
        raise ValueError(f"{what}: its context is no object")
    name = f"{context.get('default_factory_module')}.{context.get('default_factory_name')}"
    return [_FACTORIES.get(name), _keys(context.get("dict_context"), count, what)]
