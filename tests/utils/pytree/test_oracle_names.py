"""Every public name of torch.utils._pytree, with its signature."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
from collections import OrderedDict, defaultdict, deque, namedtuple
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rushlight.utils import pytree

from .strategies import Point

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def torch_pytree() -> Any:
    from torch.utils import _pytree

    return _pytree


# Used by other packages although private.
PRIVATE = {"_broadcast_to_and_flatten", "_register_namedtuple", "_deregister_pytree_node"}


def defined_names(module: Any) -> set[str]:
    """The names without underscore that a module's own text defines: functions, classes, aliases,
    tables. Not what it imports, its type variables, its logger and a constant of CPython's."""
    found: set[str] = set()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    public = {n for n in found if not n.startswith("_")} - {"log", "Py_TPFLAGS_BASETYPE"}
    return {n for n in public if not isinstance(getattr(module, n), TypeVar)}


def test_every_name_is_here(torch_pytree: Any) -> None:
    names = defined_names(torch_pytree)
    assert len(names) > 80
    assert {*names, *torch_pytree.__all__, *PRIVATE} - set(dir(pytree)) == set()
    assert names - set(pytree.__all__) == set()


def test_every_signature_is_the_same(torch_pytree: Any) -> None:
    checked = 0
    for name in sorted(defined_names(torch_pytree) | PRIVATE):
        mine, other = getattr(pytree, name), getattr(torch_pytree, name)
        if not inspect.isfunction(other):
            continue
        checked += 1
        expected = list(inspect.signature(other).parameters.values())
        got = list(inspect.signature(mine).parameters.values())
        for ours, theirs in zip(got, expected, strict=False):
            assert (ours.name, ours.kind) == (theirs.name, theirs.kind), name
            assert ours.default == theirs.default, name
        assert len(got) >= len(expected), name
        for more in got[len(expected) :]:
            assert more.kind is inspect.Parameter.KEYWORD_ONLY, name
    assert checked > 40


def test_every_attribute_of_the_classes_is_here(torch_pytree: Any) -> None:
    for name in defined_names(torch_pytree):
        theirs = getattr(torch_pytree, name)
        if inspect.isclass(theirs) and name not in ("EnumEncoder", "LeafSpec"):
            attributes = {n for n in dir(theirs) if not n.startswith("_")}
            assert attributes <= set(dir(getattr(pytree, name))), name
    for cls, field in (("SequenceKey", "idx"), ("MappingKey", "key"), ("GetAttrKey", "name")):
        for module in (pytree, torch_pytree):
            key = getattr(module, cls)(**{field: 3})
            assert getattr(key, field) == 3
            assert key == getattr(module, cls)(3)


def test_the_old_way_to_register(torch_pytree: Any) -> None:
    class Old:
        pass

    for module in (pytree, torch_pytree):
        with pytest.warns(FutureWarning, match="_register_pytree_node` is deprecated"):
            module._register_pytree_node(
                Old, lambda _: ([1], None), lambda c, _: Old(), None, None, serialized_type_name="O"
            )
        assert module.tree_leaves([Old()]) == [1]
        module._deregister_pytree_node(Old)
        assert len(module.tree_leaves([Old()])) == 1


EXAMPLES = {
    list: [1, [2]],
    tuple: (1, 2),
    dict: {"a": 1, "b": [2]},
    OrderedDict: OrderedDict(a=1),
    defaultdict: defaultdict(int, a=1),
    deque: deque([1, 2], maxlen=3),
    namedtuple: Point(1, [2]),
}


def test_the_tables_of_what_is_registered(torch_pytree: Any) -> None:
    assert EXAMPLES.keys() <= pytree.SUPPORTED_NODES.keys()
    for cls, example in EXAMPLES.items():
        mine, theirs = pytree.SUPPORTED_NODES[cls], torch_pytree.SUPPORTED_NODES[cls]
        assert mine._fields == theirs._fields
        assert mine.type is theirs.type
        children, context = mine.flatten_fn(example)
        assert (list(children), context) == tuple(map(_plain, theirs.flatten_fn(example)))
        assert mine.unflatten_fn(children, context) == example
        pairs, _ = mine.flatten_with_keys_fn(example)  # type: ignore[misc]
        their_pairs, _ = theirs.flatten_with_keys_fn(example)
        assert [(str(k), c) for k, c in pairs] == [(str(k), c) for k, c in their_pairs]
        written = torch_pytree.SUPPORTED_SERIALIZED_TYPES[cls]
        entry = pytree.SUPPORTED_SERIALIZED_TYPES[cls]
        assert (entry.typ, entry.serialized_type_name) == (cls, written.serialized_type_name)
        assert pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE[written.serialized_type_name] is cls
    assert int not in pytree.SUPPORTED_NODES
    assert "nobody" not in pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (tuple, type({}.values()))) else value


def test_constants_are_listed(torch_pytree: Any) -> None:
    @dataclasses.dataclass(frozen=True)
    class Setting:
        name: str

    for module in (pytree, torch_pytree):
        assert Setting not in module.CONSTANT_NODES
        module.register_constant(Setting)
        assert Setting in module.CONSTANT_NODES
        assert Setting in set(module.CONSTANT_NODES)
    pytree.unregister_pytree_node(Setting)
    assert Setting not in pytree.CONSTANT_NODES


def test_named_tuples_and_struct_sequences(torch_pytree: Any) -> None:
    class Sub(Point):
        pass

    class Fake(tuple):
        _fields = ("a",)

    things = [
        Point(1, 2),
        Point,
        Sub,
        Sub(1, 2),
        Fake,
        (1,),
        tuple,
        Path().stat(),
        os.stat_result,
        3,
    ]
    for name in (
        "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance",
        "is_structseq", "is_structseq_class", "is_structseq_instance",
    ):  # fmt: skip
        for thing in things:
            assert getattr(pytree, name)(thing) == getattr(torch_pytree, name)(thing), (name, thing)
