"""Messages name the path, what was expected and what came."""

from __future__ import annotations

import json
import pickle
import re
from collections import defaultdict, deque
from typing import Any

import pytest

from rushlight.utils import pytree
from rushlight.utils.pytree import _pytree_c

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


def test_unflatten_counts() -> None:
    spec = pytree.tree_structure([1, (2, 3)])
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((list, 5, []), "None expected, got 5"),
        ((dict, ["a"], []), "0 different keys expected"),
        ((dict, ["a", "a"], [0, 0]), "2 different keys expected"),
        ((dict, 3, [0]), "a list of keys expected"),
        ((deque, 1, [0, 0]), "a deque with maxlen 1 can't hold 2"),
        ((deque, "x", []), "a maxlen or None expected"),
        ((defaultdict, [5, ["a"]], [0]), "a callable default_factory expected"),
        ((int, None, []), "not registered as a pytree node"),
        ((Pair, [["left"], []], [0]), "its fields are"),
        ((type(None), None, [0]), "has 0 children, got 1"),
    ],
)
def test_structures_are_checked_when_made(arguments: tuple[Any, ...], message: str) -> None:
    cls, context, children = arguments
    with pytest.raises(ValueError, match=message):
        pytree.TreeSpec(cls, context, [pytree.treespec_leaf() for _ in children])


def test_structures_are_checked_when_made_of_other_things() -> None:
    with pytest.raises(TypeError, match=r"children_specs\[0\]: a TreeSpec expected, got int"):
        pytree.TreeSpec(list, None, [1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a type expected, got 'list'"):
        pytree.TreeSpec("list", None, [])
    with pytest.raises(AssertionError):
        pytree.TreeSpec(None, 1, [])


GOOD = pytree.tree_structure([1, (2, {"a": 3})]).__reduce__()[1][0]


def _changed(node: int, field: int, value: Any) -> Any:
    nodes = [list(n) for n in GOOD[1]]
    nodes[node][field] = value
    return (GOOD[0], tuple(map(tuple, nodes)))


@pytest.mark.parametrize(
    "state",
    [
        None,
        (1,),
        (2, GOOD[1]),
        (10**30, GOOD[1]),
        (1, GOOD[1][:2]),
        (1, GOOD[1][1:]),
        (1, GOOD[1] * 2),
        (1, ((list, None),)),
        _changed(0, 2, 1),
        _changed(0, 2, -1),
        _changed(0, 2, 2**40),
        _changed(0, 3, 1),
        _changed(1, 3, 7),
        _changed(0, 4, 2),
        _changed(1, 4, 0),
        _changed(1, 4, 9),
        _changed(2, 4, 5),
        _changed(2, 1, ["a", "b"]),
        _changed(2, 1, None),
        _changed(1, 0, int),
        _changed(1, 5, 3),
        _changed(1, 2, "x"),
    ],
)
def test_pickles_are_checked(state: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        _pytree_c.treespec_from_state(state)


def test_pickles_of_unknown_types() -> None:
    class Local:
        pass

    pytree.register_pytree_node(Local, lambda _: ((), None), lambda _, __: Local())
    spec = pytree.tree_structure(Local())
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(spec)
    state = spec.__reduce__()[1][0]
    pytree.unregister_pytree_node(Local)
    with pytest.raises(ValueError, match="not registered as a pytree node"):
        _pytree_c.treespec_from_state(state)


LEAF = {"type": None, "context": None, "children_spec": []}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("{}", ValueError, r"\[protocol, structure\] expected"),
        ("[1]", ValueError, "expected"),
        ("not json", ValueError, "Expecting value"),
        (json.dumps([2, LEAF]), ValueError, "Unknown protocol 2"),
        (json.dumps([1, {"type": "builtins.list"}]), ValueError, "type, context and children_spec"),
        (json.dumps([1, LEAF | {"type": "os.system"}]), NotImplementedError, "os.system"),
        (json.dumps([1, LEAF | {"type": ["x"]}]), NotImplementedError, "not registered"),
        (json.dumps([1, LEAF | {"type": "builtins.list"}]), ValueError, "a JSON text expected"),
        (
            json.dumps([1, LEAF | {"type": "builtins.dict", "context": '["a"]'}]),
            ValueError,
            "0 different keys expected",
        ),
        (
            json.dumps([1, LEAF | {"type": "collections.namedtuple", "context": "nobody"}]),
            NotImplementedError,
            "namedtuple class nobody",
        ),
        (
            json.dumps(
                [
                    1,
                    LEAF
                    | {
                        "type": "collections.defaultdict",
                        "context": {
                            "default_factory_module": "os",
                            "default_factory_name": "abort",
                            "dict_context": [],
                        },
                    },
                ]
            ),
            ValueError,
            "os:abort is no class",
        ),
        ("[1, " + '{"children_spec": [' * 100_000, ValueError, "nested too deeply"),
    ],
)
def test_hostile_json(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pytree.treespec_loads(text)


def test_json_refuses_what_it_would_not_give_back() -> None:
    with pytest.raises(TypeError, match="Unable to serialize context"):
        pytree.treespec_dumps(pytree.tree_structure({object(): 1}))
    with pytest.raises(TypeError, match="only a class can be found again"):
        pytree.treespec_dumps(pytree.tree_structure(defaultdict(lambda: 0)))
    with pytest.raises(TypeError, match="PyTreeSpec"):
        pytree.treespec_dumps(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Unknown protocol 5"):
        pytree.treespec_dumps(pytree.treespec_leaf(), 5)

    class Nameless(tuple):
        pass

    pytree.register_pytree_node(Nameless, lambda t: (list(t), None), lambda c, _: Nameless(c))
    with pytest.raises(NotImplementedError, match="No registered serialization name"):
        pytree.treespec_dumps(pytree.tree_structure(Nameless((1,))))
    pytree.unregister_pytree_node(Nameless)
