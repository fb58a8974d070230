"""Trees that stand for bigger ones: prefixes, broadcasting, and what is wrong with a prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree._pytree_c import (
    KeyPath,
    TreeSpec,
    tree_flatten,
    tree_map,
    tree_structure,
)
from rushlight.utils.pytree.specs import check_treespec
from rushlight.utils.pytree.typing import IsLeaf, PyTree

__all__ = ["broadcast_prefix", "broadcast_to_and_flatten", "prefix_errors", "tree_broadcast_prefix"]


def place(name: str, path: KeyPath, number: int = 0) -> str:
    """How messages begin: where it is, in which of several trees (counted from 1)."""
    where = f"{name}{path}" if name or path else "the root"
    return f"at {where} of tree {number}" if number else f"at {where}"


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
    check_treespec(treespec, "treespec")
    full_tree = treespec.unflatten([0] * treespec.num_leaves)
    try:
        return broadcast_prefix(tree, full_tree, is_leaf)
    except ValueError:
        return None


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
        return lambda name: ValueError(f"{place(name, path)}: {message}")

    return [
        error(path, message) for path, message in _pytree_c.treespec_mismatches(spec, full_tree)
    ]
