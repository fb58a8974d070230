"""What counts as a container, what comes back, and in which order."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

import pytest

from rushlight.utils import pytree

from .strategies import Bag, Color, Pair, Plain, Point


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


def test_dataclasses() -> None:
    tree = Pair(1, [2, Pair(3)])
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3]
    assert spec.context == [["left", "right"], []]
    assert spec.child(1).child(1).context == [["left"], ["right"]]
    assert spec.unflatten([10, 20, 30]) == Pair(10, [20, Pair(30)])
    assert [str(p) for p in pytree.tree_paths(tree)] == [".left", ".right[0]", ".right[1].left"]


def test_dataclass_fields_by_choice() -> None:
    @dataclasses.dataclass
    class Layer:
        weight: Any
        name: str = "layer"
        cached: int = dataclasses.field(default=0, init=False)

    with pytest.raises(ValueError, match=r"Missing fields in `field_names`: \{.name.\}"):
        pytree.register_dataclass(Layer, field_names=["weight"])
    with pytest.raises(ValueError, match=r"Unexpected fields in `field_names`: \{.bias.\}"):
        pytree.register_dataclass(Layer, field_names=["weight", "name", "bias"])
    pytree.register_dataclass(Layer, field_names=["weight"], drop_field_names=["name"])
    assert pytree.tree_map(lambda x: x + 1, Layer(1, "other")) == Layer(2, "layer")

    class NotOne:
        def __init__(self, **kwargs: Any) -> None:
            self.__dict__.update(kwargs)

    with pytest.raises(ValueError, match="field_names must be specified"):
        pytree.register_dataclass(NotOne)
    pytree.register_dataclass(NotOne, field_names=["a", "b"])
    assert pytree.tree_map(str, NotOne(a=1, b=2)).__dict__ == {"a": "1", "b": "2"}


def test_keyword_only_and_replaced_init() -> None:
    @dataclasses.dataclass(kw_only=True)
    class Strict:
        a: int
        b: int

    pytree.register_dataclass(Strict)
    assert pytree.tree_map(lambda x: x + 1, Strict(a=1, b=2)) == Strict(a=2, b=3)

    @dataclasses.dataclass
    class Moody:
        a: Any
        b: Any

    pytree.register_dataclass(Moody)
    assert pytree.tree_map(lambda x: x, Moody(1, 2)) == Moody(1, 2)

    def swapped(self: Any, b: Any, a: Any) -> None:
        self.a, self.b = a, b

    Moody.__init__ = swapped  # type: ignore[method-assign]
    again = pytree.tree_map(lambda x: x, Moody(2, 1))
    assert (again.a, again.b) == (1, 2)


def test_constants_are_structure() -> None:
    @dataclasses.dataclass(frozen=True)
    class Config:
        norm: str

    pytree.register_constant(Config)
    leaves, spec = pytree.tree_flatten([Config("l2"), 1])
    assert leaves == [1]
    assert spec.unflatten([2]) == [Config("l2"), 2]
    assert spec == pytree.tree_structure([Config("l2"), 5])
    assert hash(spec) == hash(pytree.tree_structure([Config("l2"), 5]))
    assert spec != pytree.tree_structure([Config("l1"), 1])
    assert pytree.is_constant_class(Config)
    assert not pytree.is_constant_class(int)

    class NoEq:
        pass

    class NoHash:  # noqa: PLW1641 - the point of it
        def __eq__(self, other: object) -> bool:
            return True

    with pytest.raises(TypeError, match="non-default `__eq__`"):
        pytree.register_constant(NoEq)
    with pytest.raises(TypeError, match="non-default `__hash__`"):
        pytree.register_constant(NoHash)


def test_registering_twice() -> None:
    class Once:
        pass

    pytree.register_pytree_node(Once, lambda _: ((), None), lambda _, __: Once())
    with pytest.raises(ValueError, match="already registered as pytree node"):
        pytree.register_pytree_node(Once, lambda _: ((), None), lambda _, __: Once())
    for builtin in (list, dict, OrderedDict, deque, types.MappingProxyType):
        with pytest.raises(ValueError, match="already registered"):
            pytree.register_pytree_node(builtin, lambda _: ((), None), lambda _, __: None)
    spec = pytree.tree_structure(Once())
    pytree.unregister_pytree_node(Once)
    assert pytree.tree_is_leaf(Once())
    assert type(spec.unflatten([])) is Once  # structures made before keep working
    with pytest.raises(ValueError, match="is not registered"):
        pytree.unregister_pytree_node(Once)


def test_namespaces() -> None:
    class Box:
        def __init__(self, value: Any) -> None:
            self.value = value

    pytree.register_pytree_node(
        Box, lambda b: ((b.value,), None), lambda c, _: Box(c[0]), namespace="boxes"
    )
    box = Box([1, 2])
    assert pytree.tree_leaves([box]) == [box]
    assert pytree.tree_leaves([box], namespace="other") == [box]
    assert pytree.tree_leaves([box], namespace="boxes") == [1, 2]
    assert pytree.is_registered(Box, namespace="boxes")
    assert not pytree.is_registered(Box)
    again = pytree.tree_map(lambda x: x + 1, box, namespace="boxes")
    assert again.value == [2, 3]
    assert pytree.tree_leaves(Bag([1], "b"), namespace="boxes") == [1]  # the global ones, too
    pytree.unregister_pytree_node(Box, namespace="boxes")
    assert pytree.tree_leaves([box], namespace="boxes") == [box]


def test_classes_without_keys_have_positions() -> None:
    tree = {"p": Plain(1, [2, 3])}
    paths = pytree.tree_paths(tree)
    assert [str(p) for p in paths] == [
        "['p'][<flat index 0>]",
        "['p'][<flat index 1>][0]",
        "['p'][<flat index 1>][1]",
    ]
    assert [p.get(tree) for p in paths] == [1, 2, 3]
    assert pytree.tree_map_with_path(lambda p, x: len(p), tree) == {"p": Plain(2, [3, 3])}


def test_keys_are_values() -> None:
    import pickle

    for key, text, shown in (
        (pytree.SequenceKey(3), "[3]", "SequenceKey(idx=3)"),
        (pytree.MappingKey("a"), "['a']", "MappingKey(key='a')"),
        (pytree.GetAttrKey("a"), ".a", "GetAttrKey(name='a')"),
        (pytree.FlattenedIndexKey(1), "[<flat index 1>]", "FlattenedIndexKey(key=1)"),
    ):
        assert str(key) == text
        assert repr(key) == shown
        assert pickle.loads(pickle.dumps(key)) == key
        assert len({key, pickle.loads(pickle.dumps(key))}) == 1
        assert key != text
    assert pytree.MappingKey("a") != pytree.GetAttrKey("a")
    assert pytree.SequenceKey(idx=1).get([5, 6]) == 6
    with pytest.raises(AttributeError):
        pytree.SequenceKey(1).idx = 2  # type: ignore[misc]
    assert pytree.SequenceKey[int] is not None
    path = pytree.tree_paths({"a": [1]})[0]
    assert path == (pytree.MappingKey("a"), pytree.SequenceKey(0))
    assert pickle.loads(pickle.dumps(path)) == path
    assert type(pickle.loads(pickle.dumps(path))) is pytree.KeyPath
    with pytest.raises(KeyError):
        path.get({"b": 1})
    match pytree.SequenceKey(4):
        case pytree.SequenceKey(index):
            assert index == 4


def test_enums_are_leaves_and_keys_survive_json() -> None:
    class Mode(enum.Enum):
        FAST = 1

    assert pytree.tree_leaves([Mode.FAST]) == [Mode.FAST]
    spec = pytree.tree_structure({Color.RED: [1], Color.BLUE: 2, None: 3})
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


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
