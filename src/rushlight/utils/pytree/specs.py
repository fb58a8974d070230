"""Structures made by hand, and questions about them."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import (
    KeyPath,
    TreeSpec,
    tree_structure,
)
from rushlight.utils.pytree.typing import IsLeaf, OneLevel, PyTree

__all__ = [
    "tree_flatten_one_level",
    "tree_paths",
    "treespec_child",
    "treespec_children",
    "treespec_defaultdict",
    "treespec_deque",
    "treespec_dict",
    "treespec_entries",
    "treespec_is_leaf",
    "treespec_is_prefix",
    "treespec_is_suffix",
    "treespec_leaf",
    "treespec_list",
    "treespec_namedtuple",
    "treespec_none",
    "treespec_ordereddict",
    "treespec_paths",
    "treespec_same_order",
    "treespec_tuple",
]

_LEAF = tree_structure(0)


def _check(children: Iterable[Any], what: str) -> list[TreeSpec]:
    specs = list(children)
    if not all(isinstance(child, TreeSpec) for child in specs):
        raise ValueError(f"Expected a {what} of TreeSpec values, got: {specs!r}.")
    return specs


def check_treespec(value: Any, name: str) -> None:
    """TypeError unless `value` is a structure."""
    if not isinstance(value, TreeSpec):
        raise TypeError(f"`{name}` must be a TreeSpec, got {type(value).__name__}")


def treespec_leaf() -> TreeSpec:
    """The structure of a leaf."""
    return _LEAF


def treespec_none() -> TreeSpec:
    """The structure of None as a node (``none_is_leaf=False``)."""
    return TreeSpec(type(None), None, [])


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """A tuple of these structures."""
    return TreeSpec(tuple, None, _check(iterable, "tuple"))


def treespec_list(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """A list of these structures."""
    return TreeSpec(list, None, _check(iterable, "list"))


def treespec_dict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (),
    /,
    **kwargs: TreeSpec,
) -> TreeSpec:
    """A dict of these structures."""
    items = dict(mapping, **kwargs)
    return TreeSpec(dict, list(items), _check(items.values(), "dictionary"))


def treespec_ordereddict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (),
    /,
    **kwargs: TreeSpec,
) -> TreeSpec:
    """An OrderedDict of these structures."""
    items = OrderedDict(mapping, **kwargs)
    return TreeSpec(OrderedDict, list(items), _check(items.values(), "dictionary"))


def treespec_defaultdict(
    default_factory: Callable[[], Any] | None = None,
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (),
    /,
    **kwargs: TreeSpec,
) -> TreeSpec:
    """A defaultdict of these structures."""
    items = dict(mapping, **kwargs)
    children = _check(items.values(), "dictionary")
    return TreeSpec(defaultdict, [default_factory, list(items)], children)


def treespec_deque(iterable: Iterable[TreeSpec] = (), /, maxlen: int | None = None) -> TreeSpec:
    """A deque of these structures."""
    return TreeSpec(deque, maxlen, _check(iterable, "deque"))


def treespec_namedtuple(value: Any, /) -> TreeSpec:
    """A named tuple whose fields are structures."""
    return TreeSpec(namedtuple, type(value), _check(value, "namedtuple"))


def treespec_children(treespec: TreeSpec) -> list[TreeSpec]:
    """The structures of the root's children."""
    check_treespec(treespec, "treespec")
    return treespec.children()


def treespec_child(treespec: TreeSpec, index: int) -> TreeSpec:
    """The structure of one child of the root."""
    check_treespec(treespec, "treespec")
    return treespec.child(index)


def treespec_is_leaf(treespec: TreeSpec) -> bool:
    """Whether this is the structure of a leaf."""
    check_treespec(treespec, "treespec")
    return treespec.is_leaf()


def treespec_paths(treespec: TreeSpec) -> list[KeyPath]:
    """The path of every leaf."""
    check_treespec(treespec, "treespec")
    return treespec.paths()


def treespec_entries(treespec: TreeSpec) -> list[Any]:
    """The keys of the root's children."""
    check_treespec(treespec, "treespec")
    if treespec.is_leaf():
        return []
    shallow = TreeSpec(treespec.type, treespec.context, [_LEAF] * treespec.num_children)
    return [path[0] for path in shallow.paths()]


def treespec_is_prefix(
    treespec: TreeSpec, other_treespec: TreeSpec, *, strict: bool = False
) -> bool:
    """Whether trees of `other_treespec` can be flattened up to `treespec`; with `strict`, and the
    two are not equal."""
    check_treespec(treespec, "treespec")
    check_treespec(other_treespec, "other_treespec")
    full = other_treespec.unflatten([0] * other_treespec.num_leaves)
    if _pytree_c.treespec_mismatches(treespec, full):
        return False
    return not strict or treespec != other_treespec


def treespec_is_suffix(
    treespec: TreeSpec, other_treespec: TreeSpec, *, strict: bool = False
) -> bool:
    """Whether `other_treespec` is a prefix of `treespec`."""
    return treespec_is_prefix(other_treespec, treespec, strict=strict)


def treespec_same_order(treespec: TreeSpec, other_treespec: TreeSpec) -> bool:
    """Whether the structures are equal and their leaves come in the same order: dictionaries
    filled in another order make equal structures whose leaves do not line up."""
    check_treespec(treespec, "treespec")
    check_treespec(other_treespec, "other_treespec")
    return treespec == other_treespec and treespec.paths() == other_treespec.paths()


def tree_flatten_one_level(
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> OneLevel:
    """A container's children, not looked into; ValueError for a leaf."""
    children, keys, spec = _pytree_c.tree_flatten_one_level(
        tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace
    )
    return OneLevel(children, spec.context, keys, spec)


def tree_paths(
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> list[KeyPath]:
    """The path of every leaf of a tree; ``path.get(tree)`` is the leaf."""
    pairs = _pytree_c.tree_leaves_with_path(
        tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace
    )
    return [path for path, _ in pairs]
