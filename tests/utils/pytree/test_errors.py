"""Messages name the path, what was expected and what came."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import pytest

from rushlight.utils import pytree

from .strategies import Bag, Pair, Plain, Point

MISMATCHES = [
    ({"w": [1, 2]}, {"w": [1, 2, 3]}, "at ['w']: list of 2 expected, got list of 3"),
    ([1, 2], [1], "at the root: list of 2 expected, got list of 1"),
    ([(1, 2)], [[1, 2]], "at [0]: tuple of 2 expected, got list of 2"),
    ({"a": {"b": (1,)}}, {"a": {"b": 5}}, "at ['a']['b']: tuple of 1 expected, got int"),
    ([[1]], [None], "at [0]: list of 1 expected, got None"),
    (
        [{"a": 1, "b": 2}],
        [{"a": 1, "c": 2}],
        "at [0]: dict with keys ['a', 'b'] expected, got dict with keys ['a', 'c'] "
        "(missing ['b'], unexpected ['c'])",
    ),
    (
        {"a": 1},
        {"a": 1, "b": 2},
        "at the root: dict with keys ['a'] expected, got dict with keys ['a', 'b'] "
        "(unexpected ['b'])",
    ),
    ([Point(1, 2)], [(1, 2)], "at [0]: namedtuple Point of 2 expected, got tuple of 2"),
    ((1, 2), Point(1, 2), "at the root: tuple of 2 expected, got namedtuple Point of 2"),
    (deque([1, 2]), deque([1]), "at the root: deque of 2 expected, got deque of 1"),
    (Point(1, [2]), Point(1, 2), "at .y: list of 1 expected, got int"),
    (Pair(1, [2]), Pair(1, 2), "at .right: list of 1 expected, got int"),
    (
        Pair(1, 2),
        Pair(1),
        "at the root: Pair of 2 with context [['left', 'right'], []] expected, "
        "got Pair of 1 with context [['left'], ['right']]",
    ),
    (
        {"k": Bag([1], "a")},
        {"k": Bag([1], "b")},
        "at ['k']: Bag of 1 with context 'a' expected, got Bag of 1 with context 'b'",
    ),
    (Bag([[1]], "a"), Bag([1], "a"), "at [0]: list of 1 expected, got int"),
    (Plain(0, [1]), Plain(0, 1), "at [<flat index 1>]: list of 1 expected, got int"),
    (Plain(1), Plain(1, 2), "at the root: Plain of 1 expected, got Plain of 2"),
    (
        {str(i): i for i in range(20)},
        {str(i): i for i in range(1, 21)},
        "at the root: dict of 20 expected, got dict of 20 (missing ['0'], unexpected ['20'])",
    ),
]


@pytest.mark.parametrize(("tree", "other", "message"), MISMATCHES)
def test_a_mismatch_says_where(tree: Any, other: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pytree.tree_structure(tree).flatten_up_to(other)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pytree.tree_map(lambda a, b: a, tree, other)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pytree.broadcast_prefix(tree, other)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pytree.tree_map_with_path(lambda p, a, b: a, tree, other)


def test_prefix_errors_finds_all_and_names_the_argument() -> None:
    axes = {"a": [0, 1], "b": (0,), "c": {"x": 0}}
    args = {"a": [0, [1]], "b": [0], "c": {"y": 0}}
    errors = pytree.prefix_errors(axes, args)
    assert [str(e("in_axes")) for e in errors] == [
        "at in_axes['b']: tuple of 1 expected, got list of 1",
        "at in_axes['c']: dict with keys ['x'] expected, got dict with keys ['y'] "
        "(missing ['x'], unexpected ['y'])",
    ]
    assert all(isinstance(e(""), ValueError) for e in errors)
    assert str(pytree.prefix_errors([1], 5)[0]("")) == "at the root: list of 1 expected, got int"
    with pytest.raises(ValueError, match=r"at \['k'\]: list of 1 expected, got tuple of 1"):
        pytree.tree_broadcast_common({"k": [1]}, {"k": (1,)})


def test_one_of_several_trees_is_named() -> None:
    tree, good, bad = {"w": [1, 2]}, {"w": [3, 4]}, {"w": [1]}
    message = r"^at \['w'\] of tree 3: list of 2 expected, got list of 1$"
    for call in (
        lambda: pytree.tree_map(print, tree, good, bad),
        lambda: pytree.tree_map_(print, tree, good, bad),
        lambda: pytree.tree_map_with_path(print, tree, good, bad),
        lambda: pytree.tree_map_with_path_(print, tree, good, bad),
        lambda: pytree.tree_broadcast_map(print, tree, good, bad),
        lambda: pytree.tree_transpose_map(print, tree, good, bad),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match=r"^at the root of tree 2: dict with keys"):
        pytree.tree_map(print, tree, 1, bad)


def test_common_structures_say_where_there_is_none() -> None:
    left, right = {"a": ([1, 2], 0)}, {"a": ([1, (2, 3)], [0])}
    assert pytree.tree_broadcast_common(left, right) == (
        {"a": ([1, (2, 2)], [0])},
        {"a": ([1, (2, 3)], [0])},
    )
    for other, message in (
        ({"a": ([1], 0)}, r"^at \['a'\]\[0\]: list of 2 expected, got list of 1$"),
        ({"b": 1}, r"^at the root: dict with keys \['a'\] expected, got dict with keys \['b'\]"),
    ):
        for function in (pytree.tree_broadcast_common, pytree.broadcast_common):
            with pytest.raises(ValueError, match=message):
                function(left, other)


def test_transposing_says_where() -> None:
    outer, inner = pytree.tree_structure({"a": 0, "b": 0}), pytree.tree_structure([0, (0,)])
    with pytest.raises(ValueError, match=r"^at \['b'\]\[1\]: tuple of 1 expected, got int$"):
        pytree.tree_transpose(outer, inner, {"a": [1, (2,)], "b": [1, 2]})
    with pytest.raises(ValueError, match=r"^at \['b'\]: list of 2 expected, got None$"):
        pytree.tree_transpose(outer, inner, {"a": [1, (2,)], "b": None})
    with pytest.raises(ValueError, match=r"^at the root: dict with keys"):
        pytree.tree_transpose(outer, inner, [1])
    with pytest.raises(ValueError, match=r"^at \[1\]: tuple of 1 expected, got int$"):
        pytree.tree_transpose(pytree.treespec_leaf(), inner, [1, 2])


def test_structures_are_asked_for_by_name() -> None:
    spec, wrong = pytree.treespec_leaf(), {"a": 1}
    calls: list[Any] = [
        lambda: pytree.tree_transpose(wrong, spec, 1),
        lambda: pytree.tree_transpose(spec, wrong, 1),
        lambda: pytree.treespec_children(wrong),
        lambda: pytree.treespec_child(wrong, 0),
        lambda: pytree.treespec_is_leaf(wrong),
        lambda: pytree.treespec_paths(wrong),
        lambda: pytree.treespec_entries(wrong),
        lambda: pytree.treespec_is_prefix(spec, wrong),
        lambda: pytree.treespec_is_suffix(wrong, spec),
        lambda: pytree.treespec_same_order(wrong, spec),
        lambda: pytree.broadcast_to_and_flatten(1, wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="treespec` must be a TreeSpec, got dict"):
            call()


def test_unflatten_counts() -> None:
    spec = pytree.tree_structure([1, (2, 3)])
    nested = pytree.tree_structure({"a": [0, Point(0, Pair(0, [0]))], "b": (), "c": Plain([0], 0)})
    paths = ["['a'][0]", "['a'][1].x", "['a'][1].y.left", "['a'][1].y.right[0]",
             "['c'][<flat index 0>][0]", "['c'][<flat index 1>]"]  # fmt: skip
    assert [str(path) for path in nested.paths()] == paths
    for count, path in enumerate(paths):
        message = f"unflatten: 6 leaves expected, got {count}: none for {path}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            nested.unflatten(range(count))
    with pytest.raises(ValueError, match=r"^unflatten: 6 leaves expected, got 7$"):
        nested.unflatten(range(7))
    with pytest.raises(ValueError, match=r"^unflatten: 1 leaves expected, got 0$"):
        pytree.treespec_leaf().unflatten([])
    for leaves in ([1, 2], range(4), iter("ab")):
        with pytest.raises(ValueError, match=r"unflatten: 3 leaves expected, got [24]"):
            spec.unflatten(leaves)
    with pytest.raises(TypeError, match="`treespec` must be a TreeSpec, got list"):
        pytree.tree_unflatten([1], [2])  # type: ignore[arg-type]
    assert pytree.tree_unflatten(spec, [1, 2, 3]) == [1, (2, 3)]  # type: ignore[arg-type]


def test_argument_errors() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'leaf'"):
        pytree.tree_flatten([], leaf=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing its argument 'tree'"):
        pytree.tree_leaves()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="two values for argument 'tree'"):
        pytree.tree_leaves([], tree=[])  # type: ignore[misc]
    with pytest.raises(TypeError, match="at most 2 positional"):
        pytree.tree_leaves([], None, True)  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing its argument 'tree'"):
        pytree.tree_map(str)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="two values for argument 'func'"):
        pytree.tree_map(str, [], func=str)  # type: ignore[misc]
    with pytest.raises(TypeError, match="namespace: a string expected, got int"):
        pytree.tree_leaves([], namespace=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a container expected, got a leaf of type int"):
        pytree.tree_flatten_one_level(3)
    with pytest.raises(TypeError, match="must be callable"):
        pytree.register_pytree_node(Plain, 1, 2)  # type: ignore[arg-type]
