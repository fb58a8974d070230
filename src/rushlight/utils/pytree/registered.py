"""What is registered, in mappings with PyTorch's names and contents. They show the present state
and can't be written to: `register_pytree_node` and `unregister_pytree_node` do that.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, NamedTuple, TypeVar

from rushlight.utils.pytree._pytree_c import TreeSpec, tree_flatten_one_level
from rushlight.utils.pytree.names import Serialization, known_types
from rushlight.utils.pytree.registration import is_registered
from rushlight.utils.pytree.specs import treespec_leaf
from rushlight.utils.pytree.typing import FlattenFn, FlattenWithKeysFn, UnflattenFn

__all__ = [
    "CONSTANT_NODES",
    "SERIALIZED_TYPE_TO_PYTHON_TYPE",
    "SUPPORTED_NODES",
    "SUPPORTED_SERIALIZED_TYPES",
    "NodeDef",
]

V = TypeVar("V")


class NodeDef(NamedTuple):
    """How one type is taken apart and put together."""

    type: Any
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: FlattenWithKeysFn | None


def _node_def(cls: Any, _: Serialization) -> NodeDef:
    def flatten(obj: Any) -> tuple[list[Any], Any]:
        children, _, spec = tree_flatten_one_level(obj)
        return children, spec.context

    def flatten_with_keys(obj: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, keys, spec = tree_flatten_one_level(obj)
        return list(zip(keys, children, strict=True)), spec.context

    def unflatten(children: Any, context: Any) -> Any:
        items = list(children)
        return TreeSpec(cls, context, [treespec_leaf()] * len(items)).unflatten(items)

    return NodeDef(cls, flatten, unflatten, flatten_with_keys)


def _is_node(entry: Serialization) -> bool:
    return entry.cls is namedtuple or is_registered(entry.cls)


class _View(Mapping[Any, V]):
    """A mapping made of the table of types, as it is when asked."""

    def __init__(
        self,
        chosen: Callable[[Serialization], bool],
        key: Callable[[Serialization], Any],
        value: Callable[[Any, Serialization], V],
    ) -> None:
        self._chosen, self._key, self._value = chosen, key, value

    def _entries(self) -> dict[Any, Serialization]:
        return {self._key(entry): entry for entry in known_types() if self._chosen(entry)}

    def __getitem__(self, key: Any) -> V:
        return self._value(key, self._entries()[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def __repr__(self) -> str:
        return repr(dict(self))


class _Constants(Set[Any]):
    """The classes of `register_constant`."""

    def _classes(self) -> list[Any]:
        return [entry.cls for entry in known_types() if entry.constant]

    def __contains__(self, cls: object) -> bool:
        return cls in self._classes()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._classes())

    def __len__(self) -> int:
        return len(self._classes())


SUPPORTED_NODES: Mapping[Any, NodeDef] = _View(_is_node, lambda e: e.cls, _node_def)
SUPPORTED_SERIALIZED_TYPES: Mapping[Any, Serialization] = _View(
    lambda e: True, lambda e: e.cls, lambda _, entry: entry
)
SERIALIZED_TYPE_TO_PYTHON_TYPE: Mapping[str, Any] = _View(
    lambda e: e.is_named, lambda e: e.serialized_type_name, lambda _, entry: entry.cls
)
CONSTANT_NODES: Set[Any] = _Constants()
