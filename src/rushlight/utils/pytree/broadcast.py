"""Trees that stand for bigger ones: prefixes, broadcasting, and what is wrong with a prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import (
    KeyPath,
    TreeSpec,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
)
from rushlight.utils.pytree.typing import IsLeaf, PyTree


def _place(name: str, path: KeyPath) -> str:
    return f"at {name}{path}" if name or path else "at the root"


def broadcast_prefix(
    prefix_tree: PyTree[Any],
    full_tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> list[Any]:
    """The leaves of `prefix_tree`, each repeated once for every leaf of `full_tree` below it.

    Raises:
        ValueError: `prefix_tree` is no prefix of `full_tree`; names the path.
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    leaves, spec = tree_flatten(prefix_tree, is_leaf, **options)
    result: list[Any] = []
    for leaf, subtree in zip(leaves, spec.flatten_up_to(full_tree), strict=True):
        result.extend([leaf] * tree_structure(subtree, is_leaf, **options).num_leaves)
    return result


def tree_broadcast_prefix(
    prefix_tree: PyTree[Any],
    full_tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """`prefix_tree` with each leaf grown to the structure of what `full_tree` has there.

    Raises:
        ValueError: `prefix_tree` is no prefix of `full_tree`; names the path.
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}

    def grow(leaf: Any, subtree: Any) -> Any:
        spec = tree_structure(subtree, is_leaf, **options)
        return spec.unflatten([leaf] * spec.num_leaves)

    return tree_map(grow, prefix_tree, full_tree, is_leaf=is_leaf, **options)


def broadcast_to_and_flatten(
    tree: PyTree[Any], treespec: TreeSpec, is_leaf: IsLeaf | None = None
) -> list[Any] | None:
    """The leaves of `tree` broadcast to a structure; None if it is no prefix of it."""
    full_tree = treespec.unflatten([0] * treespec.num_leaves)
    try:
        return broadcast_prefix(tree, full_tree, is_leaf)
    except ValueError:
        return None


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
        ValueError: they have a place where both have containers that don't fit together.
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    common = _common(tree, other_tree, is_leaf, options, _pytree_c.KeyPath(()))
    return (
        tree_broadcast_prefix(tree, common, is_leaf, **options),
        tree_broadcast_prefix(other_tree, common, is_leaf, **options),
    )


def _common(
    left: Any, right: Any, is_leaf: IsLeaf | None, options: dict[str, Any], path: KeyPath
) -> Any:
    """A tree of the common structure; only its structure matters."""
    if _pytree_c.tree_is_leaf(left, is_leaf, **options):
        return right
    if _pytree_c.tree_is_leaf(right, is_leaf, **options):
        return left
    children, keys, spec = _pytree_c.tree_flatten_one_level(left, None, **options)
    for where, message in _pytree_c.treespec_mismatches(spec, right):
        raise ValueError(f"{_place('', _pytree_c.KeyPath((*path, *where)))}: {message}")
    others = spec.flatten_up_to(right)
    return spec.unflatten(
        [
            _common(a, b, is_leaf, options, _pytree_c.KeyPath((*path, key)))
            for a, b, key in zip(children, others, keys, strict=True)
        ]
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
    for rest in rests:
        common = _common(common, rest, is_leaf, options, _pytree_c.KeyPath(()))
    grown = [tree_broadcast_prefix(t, common, is_leaf, **options) for t in (tree, *rests)]
    return tree_map(func, *grown, is_leaf=is_leaf, **options)


def prefix_errors(
    prefix_tree: PyTree[Any],
    full_tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> list[Callable[[str], ValueError]]:
    """Every place where `prefix_tree` is no prefix of `full_tree`.

    Each element makes the error when it is given the name to print before the path:
    ``prefix_errors(axes, args)[0]("in_axes")``. The list is empty when nothing is wrong.
    """
    spec = tree_structure(prefix_tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)

    def error(path: KeyPath, message: str) -> Callable[[str], ValueError]:
        return lambda name: ValueError(f"{_place(name, path)}: {message}")

    return [
        error(path, message) for path, message in _pytree_c.treespec_mismatches(spec, full_tree)
    ]
