"""Nestings of every kind: opened, put together again, and refused where they differ."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from rushlight.export import NamedOutputs
from rushlight.export.containers import AllowedTypes
from rushlight.export.nesting import flatten_like, leaf_paths
from rushlight.export.tree_spec import SpecReader
from rushlight.utils import pytree
from rushlight.utils.pytree import TreeSpec
from tests.export.archives import LEAF, node, spec

Point = namedtuple("Point", ["x", "y"])
IMMUTABLE = "torch.fx.immutable_collections.immutable"


def reader(*allowed: Any) -> SpecReader:
    return SpecReader(AllowedTypes(allowed), {"somewhere.Pair": ["left", "right"]})


def both_ways(tree: TreeSpec, value: Any) -> Any:
    """Flattens and puts together."""
    flat = flatten_like(tree, value, "x")
    assert len(flat) == tree.num_leaves == len(leaf_paths(tree, "x"))
    return tree.unflatten(flat)


SAME: list[tuple[dict[str, Any], Any]] = [
    (LEAF, 5),
    (LEAF, None),
    (node("builtins.tuple", None, LEAF, LEAF), (1, 2)),
    (node("builtins.tuple", None), ()),
    (node("builtins.list", None, LEAF, node("builtins.tuple", None, LEAF)), [1, (2,)]),
    (node("builtins.dict", ["b", "a"], LEAF, LEAF), {"b": 1, "a": 2}),
    (node("builtins.dict", [3, {"__tuple__": [1, 2]}], LEAF, LEAF), {3: 1, (1, 2): 2}),
    (node("collections.OrderedDict", ["k"], LEAF), OrderedDict(k=1)),
    (node("collections.deque", 4, LEAF, LEAF), deque([1, 2], maxlen=4)),
    (node(f"{IMMUTABLE}_list", None, LEAF), [1]),
    (node(f"{IMMUTABLE}_dict", ["k"], LEAF), {"k": 1}),
    (node("torch.Size", None, LEAF, LEAF), (2, 3)),
]


@pytest.mark.parametrize(("root", "value"), SAME)
def test_flatten_and_unflatten(root: dict[str, Any], value: Any) -> None:
    result = both_ways(reader().read(spec(root), "spec"), value)
    assert result == value
    assert type(result) is type(value)
    if isinstance(value, deque):
        assert result.maxlen == value.maxlen
    if isinstance(value, dict):
        assert list(result) == list(value)


def test_order_of_keys_is_the_files() -> None:
    tree = reader().read(spec(node("builtins.dict", ["b", "a"], LEAF, LEAF)), "spec")
    assert list(both_ways(tree, {"a": 2, "b": 1}).items()) == [("b", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("module", "name", "factory"), [("builtins", "list", list), ("os", "system", None)]
)
def test_defaultdict_takes_no_code_from_a_file(module: str, name: str, factory: Any) -> None:
    context = {
        "default_factory_module": module,
        "default_factory_name": name,
        "dict_context": ["k"],
    }
    tree = reader().read(spec(node("collections.defaultdict", context, LEAF)), "spec")
    result = both_ways(tree, defaultdict(list, k=1))
    assert isinstance(result, defaultdict)
    assert result.default_factory is factory


def test_named_tuples() -> None:
    unknown = spec(node("collections.namedtuple", "somewhere.Pair", LEAF, LEAF))
    result = both_ways(reader().read(unknown, "spec"), (1, 2))
    assert (result.left, result.right) == (1, 2)
    assert result == (1, 2)
    nameless = spec(node("collections.namedtuple", "other.Pair", LEAF, LEAF))
    assert both_ways(reader().read(nameless, "spec"), (1, 2))._fields == ("field_0", "field_1")
    known = spec(node("collections.namedtuple", f"{__name__}.Point", LEAF, LEAF))
    assert type(both_ways(reader(Point).read(known, "spec"), Point(1, 2))) is Point


def test_other_containers() -> None:
    root = node("transformers.modeling_outputs.BaseModelOutput", ["state", "cache"], LEAF, LEAF)
    tree = reader().read(spec(root), "spec")
    result = both_ways(tree, {"cache": 2, "state": 1})
    assert isinstance(result, NamedOutputs)
    assert (result.state, result["cache"], result[0], list(result)) == (1, 2, 1, ["state", "cache"])
    assert both_ways(tree, SimpleNamespace(state=1, cache=2)).to_tuple() == (1, 2)
    assert both_ways(tree, OrderedDict(state=1, cache=2, loss=None)).to_tuple() == (1, 2)
    assert leaf_paths(tree, "out") == ["out.state", "out.cache"]


def test_registered_classes_are_opened_as_registered() -> None:
    class Opaque:
        def __init__(self, value: Any) -> None:
            self.hidden = value

    pytree.register_pytree_node(
        Opaque,
        lambda o: ([o.hidden], None),
        lambda children, _: Opaque(children[0]),
        serialized_type_name="tests.Opaque",
    )
    try:
        root = node("builtins.tuple", None, LEAF, node("tests.Opaque", None, LEAF))
        tree = reader().read(spec(root), "spec")
        again = both_ways(tree, (1, Opaque(2)))
        assert (again[0], type(again[1]), again[1].hidden) == (1, Opaque, 2)
        with pytest.raises(TypeError, match=r"x\[1\]: expected Opaque, as at export, got list"):
            flatten_like(tree, (1, [2]), "x")
    finally:
        pytree.unregister_pytree_node(Opaque)


def test_subclasses_and_other_mappings_are_taken() -> None:
    class Many(list[Any]):
        pass

    class Table(UserDict[str, Any]):
        pass

    root = node("builtins.list", None, node("builtins.dict", ["a", "b"], LEAF, LEAF))
    tree = reader().read(spec(root), "spec")
    assert both_ways(tree, Many([Table(b=2, a=1)])) == [{"a": 1, "b": 2}]


def test_dataclass_context_brings_its_empty_fields() -> None:
    root = node("somewhere.Result", [["a"], ["b"]], LEAF)
    result = both_ways(reader().read(spec(root), "spec"), SimpleNamespace(a=1))
    assert dict(result) == {"a": 1, "b": None}


WRONG_VALUES: list[tuple[dict[str, Any], Any, type[Exception], str]] = [
    (node("builtins.tuple", None, LEAF), [1], TypeError, "x: expected a tuple.*got list"),
    (node("builtins.tuple", None, LEAF), (1, 2), ValueError, "x: expected 1 entries.*got 2"),
    (node("builtins.list", None, LEAF), {"a": 1}, TypeError, "x: expected a list.*got dict"),
    (
        node("builtins.dict", ["a", "b"], LEAF, LEAF),
        {"a": 1, "c": 2},
        ValueError,
        "x: .*missing 'b'; unexpected 'c'; expected 'a', 'b'",
    ),
    (
        node("builtins.list", None, node("builtins.dict", ["a"], node("builtins.tuple", None))),
        [{"a": 3}],
        TypeError,
        r"x\[0\]\['a'\]: expected a tuple",
    ),
    (node("far.Away", ["a"], LEAF), 3, TypeError, "x: expected an object with a"),
]


@pytest.mark.parametrize(("root", "value", "error", "message"), WRONG_VALUES)
def test_values_that_differ(
    root: dict[str, Any], value: Any, error: type[Exception], message: str
) -> None:
    tree = reader().read(spec(root), "spec")
    with pytest.raises(error, match=message):
        flatten_like(tree, value, "x")


def deep(levels: int) -> str:
    return '[1, {"type": "builtins.tuple", "context": "null", "children_spec": ' + (
        '[{"type": "builtins.tuple", "context": "null", "children_spec": ' * levels
        + "[]"
        + "}]" * levels
        + "}]"
    )


WRONG_SPECS = [
    ("", "not JSON"),
    ("[1]", "expected .1, tree."),
    ("[7, {}]", "expected .1, tree."),
    ("[1, {}]", "a node needs type"),
    (spec({**LEAF, "type": 3}), "a node's type is text"),
    (spec({**LEAF, "children_spec": 3}), "children_spec a list"),
    (spec({**LEAF, "children_spec": [LEAF]}), "a leaf has children"),
    (spec(node("builtins.dict", ["a"])), "expected 0 keys"),
    (spec(node("builtins.dict", None, LEAF)), "expected 1 keys"),
    (spec(node("builtins.dict", ["a", "a"], LEAF, LEAF)), "a key occurs twice"),
    (spec(node("builtins.dict", [["a"]], LEAF)), "a key can't be hashed"),
    (spec(node("collections.deque", "x", LEAF)), "maximal length"),
    (spec(node("collections.defaultdict", 1, LEAF)), "its context is no object"),
    (spec(node("collections.namedtuple", None, LEAF)), "class is not named"),
    (spec(node("collections.namedtuple", "a.b-c", LEAF)), "valid identifiers"),
    (deep(250), "nested deeper"),
    (deep(100_000), "not JSON"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_SPECS)
def test_broken_specs(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        reader().read(text, "file.pt2: in_spec")
    assert str(caught.value).startswith("file.pt2: in_spec: ")


def test_named_outputs_pickle_and_print() -> None:
    import pickle

    value = NamedOutputs([("logits", 1), ("keys", 2)], "transformers.x.Output")
    assert repr(value) == "Output(logits=1, keys=2)"
    copy = pickle.loads(pickle.dumps(value))
    assert repr(copy) == repr(value)
    assert copy["keys"] == 2
    assert "logits" in dir(value)
    with pytest.raises(AttributeError, match="entries are logits, keys"):
        value.loss  # noqa: B018
    assert json.dumps(dict(value)) == '{"logits": 1, "keys": 2}'
