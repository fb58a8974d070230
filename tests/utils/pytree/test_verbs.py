"""What each function does with a tree."""

from __future__ import annotations

import inspect
from collections import OrderedDict, defaultdict, deque
from typing import Any

import pytest

from rushlight.utils import pytree

from .strategies import Point


def test_map_forms() -> None:
    tree = {"a": 1, "b": [2.0, "s"]}
    assert pytree.tree_map_only(int, lambda x: x + 1, tree) == {"a": 2, "b": [2.0, "s"]}
    assert pytree.tree_map_only((int, float), str, tree) == {"a": "1", "b": ["2.0", "s"]}
    assert pytree.tree_map_only(int | str, repr, tree) == {"a": "1", "b": [2.0, "'s'"]}
    assert pytree.tree_map_only(lambda x: x == "s", str.upper, tree) == {"a": 1, "b": [2.0, "S"]}
    seen: list[Any] = []
    assert pytree.tree_map_only_(int, seen.append, tree) is tree
    assert seen == [1]
    with pytest.raises(TypeError, match="Argument must be a type, a tuple of types, or a callable"):
        pytree.tree_map_only(3, str, tree)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Argument must be a type"):
        pytree.map_only(3)
    assert pytree.map_only(int)(lambda x: x + 1)("a") == "a"
    assert pytree.tree_map(lambda x, y: (x, y), [1, 2], [[3], {"k": 4}]) == [
        (1, [3]),
        (2, {"k": 4}),
    ]
    assert pytree.tree_map(func=str, tree=[1]) == ["1"]
    assert pytree.tree_map_with_path(lambda p, x, y: (str(p), x + y), [1], [2]) == [("[0]", 3)]


def test_predicates_stop_early() -> None:
    seen: list[int] = []

    def small(x: int) -> bool:
        seen.append(x)
        return x < 2

    assert not pytree.tree_all(small, [1, {"a": 2, "b": 3}])
    assert seen == [1, 2]
    assert pytree.tree_any(small, [5, 1, 9])
    assert pytree.tree_all_only(int, lambda x: x > 0, [1, "a", 2])
    assert not pytree.tree_any_only(str, str.isupper, [1, "a"])


def test_folds_and_questions() -> None:
    tree = {"a": 3, "b": [1, 2]}
    assert pytree.tree_reduce(lambda a, b: a * 10 + b, tree) == 312
    assert pytree.tree_reduce(lambda a, b: a + b, tree, 100) == 106
    assert pytree.tree_sum(tree, 1) == 7
    assert (pytree.tree_max(tree), pytree.tree_min(tree)) == (3, 1)
    assert pytree.tree_max([], default=None) is None
    assert pytree.all_leaves([1, "a", None])
    assert not pytree.all_leaves([1, []])
    assert pytree.arg_tree_leaves(1, [2], k=(3,)) == [1, 2, 3]
    assert pytree.tree_partition(lambda x: x > 1, tree) == (
        {"a": 3, "b": [None, 2]},
        {"a": None, "b": [1, None]},
    )
    assert pytree.tree_replace_nones(0, [None, 1]) == [0, 1]


def test_transpose() -> None:
    tree = {"x": (1, [2]), "y": (3, [4])}
    outer = pytree.tree_structure({"x": 0, "y": 0})
    inner = pytree.tree_structure((0, [0]))
    turned = pytree.tree_transpose(outer, inner, tree)
    assert turned == ({"x": 1, "y": 3}, [{"x": 2, "y": 4}])
    assert pytree.tree_transpose(inner, outer, turned) == tree
    assert pytree.tree_transpose_map(lambda x: (x, -x), [1, 2]) == ([1, 2], [-1, -2])
    with pytest.raises(ValueError, match=r"at \['y'\]\[1\]: list of 1 expected, got list of 2"):
        pytree.tree_transpose(outer, inner, {"x": (1, [2]), "y": (3, [4, 5])})


def test_broadcasts() -> None:
    assert pytree.broadcast_prefix([1, 2], [[0, 0], {"a": 0}]) == [1, 1, 2]
    assert pytree.tree_broadcast_prefix([1, 2], [[0, 0], {"a": 0}]) == [[1, 1], {"a": 2}]
    assert pytree.broadcast_to_and_flatten(7, pytree.tree_structure([0, [0]])) == [7, 7]
    assert pytree.broadcast_to_and_flatten([7], pytree.tree_structure([0, [0]])) is None
    left, right = pytree.tree_broadcast_common([1, [2, 3]], [[4, 5], 6])
    assert (left, right) == ([[1, 1], [2, 3]], [[4, 5], [6, 6]])
    assert pytree.broadcast_common(1, (2, 3)) == ([1, 1], [2, 3])
    assert pytree.tree_broadcast_map(lambda a, b: a + b, [1, [2, 3]], [[4, 5], 6]) == [
        [5, 6],
        [8, 9],
    ]


def test_one_level_and_hand_made_structures() -> None:
    level = pytree.tree_flatten_one_level({"a": [1, 2], "b": 3})
    assert level.children == [[1, 2], 3]
    assert level.context == ["a", "b"]
    assert level.entries == (pytree.MappingKey("a"), pytree.MappingKey("b"))
    assert level.unflatten([0, 1]) == {"a": 0, "b": 1}
    leaf = pytree.treespec_leaf()
    assert leaf == pytree.tree_structure(0)
    assert pytree.treespec_tuple([leaf, leaf]) == pytree.tree_structure((0, 0))
    assert pytree.treespec_list([leaf]) == pytree.tree_structure([0])
    assert pytree.treespec_dict(a=leaf) == pytree.tree_structure({"a": 0})
    assert pytree.treespec_ordereddict(a=leaf) == pytree.tree_structure(OrderedDict(a=0))
    assert pytree.treespec_defaultdict(int, a=leaf) == pytree.tree_structure(defaultdict(int, a=0))
    assert pytree.treespec_deque([leaf], 3) == pytree.tree_structure(deque([0], 3))
    assert pytree.treespec_namedtuple(Point(leaf, leaf)) == pytree.tree_structure(Point(0, 0))
    assert pytree.treespec_none() == pytree.tree_structure(None, none_is_leaf=False)
    with pytest.raises(ValueError, match="Expected a tuple of TreeSpec values"):
        pytree.treespec_tuple([1])  # type: ignore[list-item]
    spec = pytree.tree_structure({"a": [1, 2], "b": 3})
    assert pytree.treespec_children(spec) == [pytree.tree_structure([1, 2]), leaf]
    assert pytree.treespec_child(spec, -1) == leaf
    assert [str(e) for e in pytree.treespec_entries(spec)] == ["['a']", "['b']"]
    assert [str(p) for p in pytree.treespec_paths(spec)] == ["['a'][0]", "['a'][1]", "['b']"]
    assert pytree.treespec_is_prefix(pytree.tree_structure({"b": 0, "a": 0}), spec, strict=True)
    assert pytree.treespec_is_suffix(spec, leaf)
    with pytest.raises(IndexError):
        spec.child(2)


def test_leaf_spec_is_deprecated() -> None:
    with pytest.warns(FutureWarning, match="LeafSpec"):
        leaf = pytree.LeafSpec()
    assert leaf.is_leaf()
    assert isinstance(leaf, pytree.LeafSpec)
    assert not isinstance(pytree.tree_structure([]), pytree.LeafSpec)
    with pytest.warns(FutureWarning, match="children_specs"):
        assert pytree.tree_structure([1]).children_specs == [leaf]
    with pytest.warns(FutureWarning, match="treespec_dumps"):
        text = pytree.pytree_to_str(leaf)
    with pytest.warns(FutureWarning, match="treespec_loads"):
        assert pytree.str_to_pytree(text) == leaf


@pytest.mark.parametrize("name", [n for n in pytree.__all__ if n.startswith("tree_")])
def test_functions_have_signatures_and_docs(name: str) -> None:
    function = getattr(pytree, name)
    assert inspect.signature(function).parameters
    assert function.__doc__
