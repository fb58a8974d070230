"""Checked by mypy --strict and pyright, never run: what the types of the package promise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typing_extensions import assert_type

from rushlight.utils.pytree import (
    KeyPath,
    PyTree,
    TreeSpec,
    tree_all,
    tree_flatten,
    tree_flatten_with_path,
    tree_iter,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_structure,
    tree_unflatten,
    treespec_dumps,
    treespec_loads,
)


def parameters() -> PyTree[float]:
    return {"weight": [1.0, 2.0], "bias": (3.0, {"scale": 4.0})}


def total(tree: PyTree[float]) -> float:
    return sum(tree_leaves(tree))


tree = parameters()
leaves, spec = tree_flatten(tree)
assert_type(leaves, list[float])
assert_type(spec, TreeSpec)
assert_type(tree_leaves(tree), list[float])
assert_type(tree_iter(tree), Iterator[float])
assert_type(tree_flatten_with_path(tree), tuple[list[tuple[KeyPath, float]], TreeSpec])
assert_type(tree_leaves([1, 2]), list[int])
assert_type(tree_leaves({"a": [1, 2]}), list[int])
assert_type(tree_leaves({"a": ("x", ["y"])}), list[str])
assert_type(tree_structure(tree), TreeSpec)
assert_type(tree_map_(print, [1]), list[int])
result: dict[str, Any] = tree_map(lambda x: x + 1, tree)
again: PyTree[float] = tree_unflatten(leaves, spec)
only: list[int] = tree_map_only(int | str, repr, [1])
assert_type(tree_all(bool, tree), bool)
assert_type(treespec_loads(treespec_dumps(spec)), TreeSpec)
total([1.0, {"a": 2.0}])
total({"a": 1, "b": (2.0, [3.0])})
