"""Classes that are containers because somebody said so; the keys of their children."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections import OrderedDict, deque
from typing import Any

import pytest

from rushlight.utils import pytree

from .strategies import Bag, Color, Pair, Plain


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
