"""Trees grown to the smallest structure that has all of them as prefixes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import (
    KeyPath,
    TreeSpec,
    tree_is_leaf,
    tree_leaves,
    tree_map,
    tree_structure,
)
from rushlight.utils.pytree.broadcast import place, tree_broadcast_prefix
from rushlight.utils.pytree.typing import IsLeaf, KeyEntry, PyTree

__all__ = ["broadcast_common", "tree_broadcast_common", "tree_broadcast_map"]


def tree_broadcast_common(
    tree: PyTree[Any],
    other_tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[Any, Any]:
    """Both trees grown to the smallest structure that has either as a prefix.

    Raises:
        ValueError: they have a place where both have containers that don't fit together; names the
            path.
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    common = _common(tree, other_tree, is_leaf, options)
    return (
        tree_broadcast_prefix(tree, common, is_leaf, **options),
        tree_broadcast_prefix(other_tree, common, is_leaf, **options),
    )


def broadcast_common(
    tree: PyTree[Any],
    other_tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[list[Any], list[Any]]:
    """The leaves of `tree_broadcast_common`'s two trees."""
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    left, right = tree_broadcast_common(tree, other_tree, is_leaf, **options)
    return tree_leaves(left, is_leaf, **options), tree_leaves(right, is_leaf, **options)


def tree_broadcast_map(
    func: Callable[..., Any],
    tree: PyTree[Any],
    /,
    *rests: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """`tree_map` over trees that are first grown to their common structure."""
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    common: Any = tree
    for number, rest in enumerate(rests, 2):
        common = _common(common, rest, is_leaf, options, number if len(rests) > 1 else 0)
    grown = [tree_broadcast_prefix(t, common, is_leaf, **options) for t in (tree, *rests)]
    return tree_map(func, *grown, is_leaf=is_leaf, **options)


class _Open(NamedTuple):
    """A container that both trees have, some of whose children are done."""

    spec: TreeSpec
    keys: tuple[KeyEntry, ...]
    pairs: list[tuple[Any, Any]]  # the children in either tree
    done: list[Any]


def _common(
    left: Any, right: Any, is_leaf: IsLeaf | None, options: dict[str, Any], number: int = 0
) -> Any:
    """A tree of the common structure; only its structure matters. `number` is that of the right
    tree if it is one of several."""
    for tree in (left, right):
        tree_structure(tree, is_leaf, **options)  # finds trees that contain themselves
    root = _Open(tree_structure([0]), (), [(left, right)], [])
    stack = [root]
    while not root.done:
        top = stack[-1]
        if len(top.done) == len(top.pairs):
            stack.pop()
            stack[-1].done.append(top.spec.unflatten(top.done))
            continue
        a, b = top.pairs[len(top.done)]
        if tree_is_leaf(a, is_leaf, **options):
            top.done.append(b)
        elif tree_is_leaf(b, is_leaf, **options):
            top.done.append(a)
        else:
            stack.append(_open(a, b, stack, options, number))
    return root.done[0]


def _open(left: Any, right: Any, stack: list[_Open], options: dict[str, Any], number: int) -> _Open:
    children, keys, spec = _pytree_c.tree_flatten_one_level(left, None, **options)
    try:
        others = spec.flatten_up_to(right)
    except ValueError:
        path = KeyPath([level.keys[len(level.done)] for level in stack[1:]])
        for _, message in _pytree_c.treespec_mismatches(spec, right):
            raise ValueError(f"{place('', path, number)}: {message}") from None
        raise  # a registered class's own
    return _Open(spec, keys, list(zip(children, others, strict=True)), [])
