"""Trees of trees turned inside out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.utils.pytree._pytree_c import (
    KeyPath,
    TreeSpec,
    tree_map,
    tree_structure,
    treespec_mismatches,
)
from rushlight.utils.pytree.broadcast import place
from rushlight.utils.pytree.specs import check_treespec
from rushlight.utils.pytree.typing import IsLeaf, PyTree

__all__ = ["tree_transpose", "tree_transpose_map"]


def tree_transpose(
    outer_treespec: TreeSpec,
    inner_treespec: TreeSpec | None,
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
) -> Any:
    """A tree of `outer_treespec` whose leaves have `inner_treespec` becomes one of
    `inner_treespec` whose leaves have `outer_treespec`.

    Args:
        outer_treespec: what `tree` looks like from outside.
        inner_treespec: what stands at each of its leaves; None takes the first one's structure.
        tree: the tree.
        is_leaf: where to stop in the inner trees when `inner_treespec` is None.

    Raises:
        ValueError: `tree` doesn't have that structure; names the path.
    """
    check_treespec(outer_treespec, "outer_treespec")
    subtrees = outer_treespec.flatten_up_to(tree)
    if inner_treespec is None:
        if not subtrees:
            raise ValueError("inner_treespec is needed when there are no leaves to take it from")
        inner_treespec = tree_structure(subtrees[0], is_leaf)
    check_treespec(inner_treespec, "inner_treespec")
    if outer_treespec.num_leaves == 0 or inner_treespec.num_leaves == 0:
        raise ValueError("tree_transpose: structures without leaves can't be turned inside out")
    paths = outer_treespec.paths()
    columns = []
    for path, subtree in zip(paths, subtrees, strict=True):
        try:
            columns.append(inner_treespec.flatten_up_to(subtree))
        except ValueError:
            for inside, message in treespec_mismatches(inner_treespec, subtree):
                where = place("", KeyPath((*path, *inside)))
                raise ValueError(f"{where}: {message}") from None
            raise  # a registered class's own
    return inner_treespec.unflatten(
        [outer_treespec.unflatten(row) for row in zip(*columns, strict=True)]
    )


def tree_transpose_map(
    func: Callable[..., Any],
    tree: PyTree[Any],
    /,
    *rests: PyTree[Any],
    inner_treespec: TreeSpec | None = None,
    is_leaf: IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """``tree_map`` for a function that returns trees of one structure, turned inside out: a
    function that returns pairs gives a pair of trees."""
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    outer = tree_structure(tree, is_leaf, **options)
    results = tree_map(func, tree, *rests, is_leaf=is_leaf, **options)
    if outer.num_leaves == 0:
        raise ValueError(f"tree_transpose_map: the tree {outer} has no leaves")
    inner = inner_treespec
    if inner is None:
        inner = tree_structure(outer.flatten_up_to(results)[0], **options)
    check_treespec(inner, "inner_treespec")
    if inner.num_leaves == 0:
        raise ValueError(f"tree_transpose_map: {inner} has no leaves to put the results in")
    return tree_transpose(outer, inner, results)
