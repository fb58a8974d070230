"""Structures made of wrong parts: by hand, from pickles, from JSON."""

from __future__ import annotations

import json
import pickle
import sys
import types
from collections import defaultdict, deque
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.utils import pytree
from rushlight.utils.pytree import _pytree_c

from .strategies import Color, Pair, trees


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


def test_the_bad_node_of_a_pickle_is_named() -> None:
    with pytest.raises(ValueError, match=r"^node 2 of the structure: context of <class 'dict'>: "):
        _pytree_c.treespec_from_state(_changed(2, 1, ["a", "b"]))
    with pytest.raises(TypeError, match=r"^node 1 of the structure: type of a structure: a type"):
        _pytree_c.treespec_from_state(_changed(1, 0, "tuple"))


@settings(deadline=None, max_examples=150)
@given(data=st.data(), tree=trees)
def test_whatever_a_pickle_says(data: st.DataObject, tree: Any) -> None:
    """It is refused, or it makes a structure with which everything works."""
    version, nodes = pytree.tree_structure(tree).__reduce__()[1][0]
    changed = [list(node) for node in nodes]
    numbers = st.integers(-1, 6) | st.sampled_from([2**32 - 1, 2**32, 2**64])
    types = st.sampled_from([list, dict, deque, defaultdict, Pair, int, "types.MappingProxyType"])
    contexts = st.sampled_from([None, [], ["a"], ("a", "b"), 1, [int, ["a"]], [["left"], []]])
    kinds = {0: types, 1: contexts, 2: numbers, 3: numbers, 4: numbers}
    for _ in range(data.draw(st.integers(0, 3)) if changed else 0):
        field = data.draw(st.integers(0, 4))
        node = data.draw(st.integers(0, len(changed) - 1))
        changed[node][field] = data.draw(kinds[field])
    try:
        spec = _pytree_c.treespec_from_state((version, tuple(map(tuple, changed))))
    except (ValueError, TypeError):
        return
    assert spec == spec.__copy__()
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(spec) == hash(pickle.loads(pickle.dumps(spec)))
    if spec.num_leaves < 1000:
        leaves = list(range(spec.num_leaves))
        assert len(repr(spec)) > 0
        assert pytree.TreeSpec(list, None, spec.children()).num_leaves in (spec.num_leaves, 0)
        try:
            assert spec.flatten_up_to(spec.unflatten(leaves)) == leaves
        except ValueError as error:  # a class that made something else of its context
            assert str(error).startswith("at ")
        assert len(spec.paths()) == spec.num_leaves


def test_a_structure_of_billions_of_leaves_is_no_memory_bomb() -> None:
    spec = _pytree_c.treespec_from_state((1, ((list, None, 2**32 - 1, 0, 1, ""),)))
    assert spec.num_leaves == 2**32 - 1
    with pytest.raises(MemoryError, match="the paths of this tree hold more than"):
        spec.paths()
    with pytest.raises(ValueError, match=r"4294967295 leaves expected, got 1: none for \[1\]"):
        spec.unflatten([0])
    with pytest.raises(ValueError, match="list of 4294967295 expected, got list of 1"):
        spec.flatten_up_to([0])


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


def _node(kind: str, context: Any, *children: Any) -> dict[str, Any]:
    return {"type": f"builtins.{kind}", "context": context, "children_spec": list(children)}


ENUM = {"__enum__": True, "fqn": f"{Color.__module__}:{Color.__qualname__}", "name": "RED"}


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (7, "a node is an object with"),
        (LEAF | {"more": 1}, "a node is an object with"),
        (LEAF | {"children_spec": {}}, "a node is an object with"),
        (_node("dict", "3"), "a list of keys expected"),
        (_node("dict", '["a", "a"]', LEAF, LEAF), "2 different keys expected"),
        (_node("dict", '[["a"]]', LEAF), "unhashable"),
        (_node("dict", "[" * 100_000), "recursion"),
        (_node("dict", "{"), "Expecting property name"),
        (_node("list", "5"), "None expected, got 5"),
        (_node("dict", json.dumps([{"__enum__": True}])), "an enum has the strings"),
        (_node("dict", json.dumps([ENUM | {"name": "NONE"}]), LEAF), "has no member NONE"),
        (_node("dict", json.dumps([ENUM | {"fqn": "json:loads"}]), LEAF), "json:loads is no class"),
        (_node("dict", json.dumps([ENUM | {"fqn": "nowhere:X"}]), LEAF), "not imported here"),
        (_node("dict", json.dumps([ENUM | {"fqn": 3}]), LEAF), "an enum has the strings"),
    ],
)
def test_errors_in_json_say_where(node: Any, message: str) -> None:
    tree = _node("list", "null", LEAF, _node("tuple", "null", node))
    with pytest.raises(
        ValueError, match=r"^at \.children_spec\[1\]\.children_spec\[0\]: "
    ) as error:
        pytree.treespec_loads(json.dumps([1, tree]))
    assert message in str(error.value)


def test_reading_json_runs_no_code(monkeypatch: Any) -> None:
    asked: list[str] = []

    class Lazy(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return int

    monkeypatch.setitem(sys.modules, "lazy_module", Lazy("lazy_module"))
    context = {"default_factory_module": "lazy_module", "default_factory_name": "int",
               "dict_context": []}  # fmt: skip
    node = LEAF | {"type": "collections.defaultdict", "context": context}
    with pytest.raises(ValueError, match=r"^at the root: lazy_module:int is no class"):
        pytree.treespec_loads(json.dumps([1, node]))
    assert asked == []


def test_a_class_that_refuses_its_context() -> None:
    class Picky:
        pass

    def read(context: Any) -> Any:
        return {"good": 1}[context]

    pytree.register_pytree_node(
        Picky,
        lambda _: ((), 1),
        lambda c, _: Picky(),
        serialized_type_name="tests.Picky",
        to_dumpable_context=lambda _: "good",
        from_dumpable_context=read,
    )
    text = pytree.treespec_dumps(pytree.tree_structure([Picky()]))
    assert pytree.treespec_loads(text) == pytree.tree_structure([Picky()])
    message = r"^at \.children_spec\[0\]: context of tests.Picky: .* raised KeyError: 'bad'$"
    with pytest.raises(ValueError, match=message) as error:
        pytree.treespec_loads(text.replace("good", "bad"))
    assert isinstance(error.value.__cause__, KeyError)
    pytree.unregister_pytree_node(Picky)


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
