"""What counts as a container, what comes back, and in which order."""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

import pytest

from rushlight.utils import pytree

from .strategies import Color, Point


def test_none_is_a_leaf_unless_asked_otherwise() -> None:
    tree = [None, {"a": None, "b": 1}]
    assert pytree.tree_leaves(tree) == [None, None, 1]
    leaves, spec = pytree.tree_flatten(tree, none_is_leaf=False)
    assert leaves == [1]
    assert spec.unflatten([2]) == [None, {"a": None, "b": 2}]
    assert pytree.tree_map(lambda x: x + 1, tree, none_is_leaf=False) == [None, {"a": None, "b": 2}]
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    with pytest.raises(ValueError, match=r"at \[0\]: None expected, got int"):
        spec.flatten_up_to([3, {"a": None, "b": 1}])


def test_dictionaries_keep_the_order_they_were_filled_in() -> None:
    tree = {"b": 1, "a": 2, "c": 3}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3]
    assert list(spec.unflatten(leaves)) == ["b", "a", "c"]
    assert list(pytree.tree_map(str, tree)) == ["b", "a", "c"]


def test_dictionaries_pair_by_key() -> None:
    a, b = {"x": 1, "y": [2]}, {"y": [20], "x": 10}
    assert pytree.tree_map(lambda p, q: p + q, a, b) == {"x": 11, "y": [22]}
    assert pytree.tree_structure(a) == pytree.tree_structure(b)
    assert hash(pytree.tree_structure(a)) == hash(pytree.tree_structure(b))
    assert not pytree.treespec_same_order(pytree.tree_structure(a), pytree.tree_structure(b))
    # The same keys over other values are another structure.
    assert pytree.tree_structure(a) != pytree.tree_structure({"y": 20, "x": [10]})


def test_kinds_of_dictionaries_pair_but_are_not_equal() -> None:
    plain = {"x": 1, "y": 2}
    for other in (OrderedDict(y=3, x=4), defaultdict(int, y=3, x=4),
                  types.MappingProxyType({"y": 3, "x": 4})):  # fmt: skip
        assert pytree.tree_map(lambda a, b: (a, b), plain, other) == {"x": (1, 4), "y": (2, 3)}
        assert pytree.tree_structure(plain) != pytree.tree_structure(other)
    first, second = OrderedDict(a=1, b=2), OrderedDict(b=1, a=2)
    assert pytree.tree_structure(first) != pytree.tree_structure(second)


def test_ordered_dict_follows_its_own_order() -> None:
    tree = OrderedDict(a=1, b=2, c=3)
    tree.move_to_end("a")
    assert pytree.tree_leaves(tree) == [2, 3, 1]
    again = pytree.tree_map(lambda x: x * 10, tree)
    assert type(again) is OrderedDict
    assert list(again.items()) == [("b", 20), ("c", 30), ("a", 10)]


def test_defaultdict_keeps_its_factory_and_deque_its_maxlen() -> None:
    tree = defaultdict(list, a=1)
    again = pytree.tree_map(lambda x: x, tree)
    assert again.default_factory is list
    assert again == tree
    again = pytree.tree_map(lambda x: x + 1, deque([1, 2], maxlen=5))
    assert again == deque([2, 3])
    assert again.maxlen == 5
    assert pytree.tree_structure(defaultdict(int)) != pytree.tree_structure(defaultdict(list))
    assert pytree.tree_structure(deque([1], 2)) != pytree.tree_structure(deque([1], 3))
    # Pairing ignores both, as in PyTorch.
    assert pytree.tree_map(lambda a, b: a + b, deque([1], 2), deque([2], 3)) == deque([3])


def test_named_tuples_and_their_subclasses() -> None:
    class Checked(NamedTuple):
        x: int
        y: int

    class Doubling(namedtuple("Doubling", ["value"])):
        __slots__ = ()

        def __new__(cls, value: Any) -> Doubling:
            return super().__new__(cls, (value, "made"))

    assert pytree.tree_map(lambda v: v + 1, Checked(1, 2)) == Checked(2, 3)
    assert type(pytree.tree_map(lambda v: v, Checked(1, 2))) is Checked
    # Its own __new__ is used: one more wrapping for every rebuild.
    again = pytree.tree_map(lambda v: v, Doubling(1))
    assert again.value == ((1, "made"), "made")
    spec = pytree.tree_structure(Point(1, 2))
    assert spec.type is namedtuple
    assert spec.context is Point
    assert pytree.tree_structure(Checked(1, 2)) != spec


def test_a_named_tuple_class_may_change_its_mind() -> None:
    cls = namedtuple("Changing", ["a"])
    assert pytree.tree_map(lambda v: v, cls(1)) == cls(1)
    seen = []

    def new(klass: type, a: Any) -> Any:
        seen.append(a)
        return tuple.__new__(klass, (a,))

    cls.__new__ = new  # type: ignore[method-assign,assignment]
    value = cls(5)
    assert pytree.tree_map(lambda v: v, value) == value
    assert seen == [5, 5]
    del cls._fields
    assert pytree.tree_is_leaf(value)


def test_tuple_subclasses_are_leaves() -> None:
    class Pairish(tuple):
        pass

    assert pytree.tree_leaves([Pairish((1, 2))]) == [Pairish((1, 2))]
    assert pytree.tree_leaves([Counter("ab")]) == [Counter("ab")]


def test_struct_sequences() -> None:
    import time

    now = time.gmtime(0)
    leaves, spec = pytree.tree_flatten({"t": now})
    assert leaves == list(now)
    again = spec.unflatten(leaves)
    assert again == {"t": now}
    assert type(again["t"]) is time.struct_time
    assert pytree.is_structseq(now)
    assert pytree.structseq_fields(now)[0] == "tm_year"


def test_keys_of_any_kind() -> None:
    tree = {None: 1, Color.RED: 2, 3: [3], (1, "a"): 4, "s": 5, 2.5: 6, object: 7}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3, 4, 5, 6, 7]
    assert spec.unflatten(leaves) == tree
    other = dict(reversed(list(tree.items())))
    assert pytree.tree_structure(other) == spec
    assert hash(pytree.tree_structure(other)) == hash(spec)
    assert spec.flatten_up_to(other) == [*leaves[:2], 3, 4, 5, 6, 7]


def test_keys_that_are_equal_without_being_the_same() -> None:
    a, b = {1: "x", "k" * 3: "y"}, {1.0: "p", "".join(["k"] * 3): "q"}
    assert pytree.tree_structure(a) == pytree.tree_structure(b)
    assert pytree.tree_map(lambda x, y: x + y, a, b) == {1: "xp", "kkk": "yq"}
