"""The same calls in torch.utils._pytree."""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.utils import pytree

from .strategies import Bag, Pair, Plain, Point, keys, leaves, same

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def torch_pytree() -> Any:
    from torch.utils import _pytree

    _pytree._register_namedtuple(Point, serialized_type_name="tests.Point")
    _pytree.register_dataclass(Pair, serialized_type_name="tests.Pair")
    _pytree.register_pytree_node(
        Bag,
        lambda bag: (bag.items, bag.label),
        lambda children, label: Bag(list(children), label),
        serialized_type_name="tests.Bag",
        flatten_with_keys_fn=lambda bag: (
            [(_pytree.SequenceKey(i), item) for i, item in enumerate(bag.items)],
            bag.label,
        ),
    )
    return _pytree


json_keys = keys.filter(lambda key: not isinstance(key, tuple))


def containers(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(children, max_size=4)
    dicts = st.dictionaries(json_keys, children, max_size=4)
    return st.one_of(
        lists,
        lists.map(tuple),
        dicts,
        dicts.map(OrderedDict),
        dicts.map(lambda d: defaultdict(int, d)),
        lists.map(deque),
        lists.map(lambda x: deque(x, maxlen=7)),
        st.tuples(children, children).map(lambda t: Point(*t)),
        st.tuples(children, children).map(lambda t: Pair(*t)),
        children.map(Pair),
        st.tuples(lists, st.text(max_size=2)).map(lambda t: Bag(*t)),
    )


trees = st.recursive(leaves | st.none(), containers, max_leaves=25)
check = settings(deadline=None, max_examples=100)


@check
@given(tree=trees)
def test_flatten_and_structures(torch_pytree: Any, tree: Any) -> None:
    mine, spec = pytree.tree_flatten(tree)
    other, their_spec = torch_pytree.tree_flatten(tree)
    assert mine == other
    assert repr(spec) == repr(their_spec)
    assert str(spec) == str(their_spec)
    for name in ("num_nodes", "num_leaves", "num_children", "type", "context"):
        assert getattr(spec, name) == getattr(their_spec, name)
    assert spec.is_leaf() == their_spec.is_leaf()
    assert [repr(c) for c in spec.children()] == [repr(c) for c in their_spec.children()]
    assert same(spec.unflatten(mine), their_spec.unflatten(other))
    assert pytree.treespec_pprint(spec) == torch_pytree.treespec_pprint(their_spec)
    assert list(pytree.tree_iter(tree)) == list(torch_pytree.tree_iter(tree))
    assert pytree.tree_is_leaf(tree) == torch_pytree.tree_is_leaf(tree)


@check
@given(tree=trees)
def test_paths(torch_pytree: Any, tree: Any) -> None:
    mine = pytree.tree_leaves_with_path(tree)
    other = torch_pytree.tree_leaves_with_path(tree)
    assert [leaf for _, leaf in mine] == [leaf for _, leaf in other]
    for (path, _), (their_path, _) in zip(mine, other, strict=True):
        assert pytree.keystr(path) == torch_pytree.keystr(their_path)
        assert repr(path) == repr(their_path)
        assert torch_pytree.key_get(tree, path) is pytree.key_get(tree, their_path)
    if other:  # PyTorch's fails for a tree without leaves
        assert same(
            pytree.tree_map_with_path(lambda p, x: (str(p[:1]), x), tree),
            torch_pytree.tree_map_with_path(lambda p, x: (str(p[:1]), x), tree),
        )


@check
@given(tree=trees)
def test_json_both_ways(torch_pytree: Any, tree: Any) -> None:
    spec, their_spec = pytree.tree_structure(tree), torch_pytree.tree_structure(tree)
    text = pytree.treespec_dumps(spec)
    assert text == torch_pytree.treespec_dumps(their_spec)
    assert pytree.treespec_loads(text) == spec
    # PyTorch can't read an enum among the keys of a defaultdict back.
    if not ("__enum__" in text and "defaultdict" in text):
        assert torch_pytree.treespec_loads(text) == their_spec


@check
@given(tree=trees, other=trees)
def test_prefixes(torch_pytree: Any, tree: Any, other: Any) -> None:
    spec, their_spec = pytree.tree_structure(tree), torch_pytree.tree_structure(tree)
    for candidate in (other, tree, pytree.tree_map(lambda x: [x], tree)):
        try:
            expected = their_spec.flatten_up_to(candidate)
        except ValueError:
            with pytest.raises(ValueError, match=r"^at "):
                spec.flatten_up_to(candidate)
        else:
            assert spec.flatten_up_to(candidate) == expected
        assert pytree.broadcast_to_and_flatten(
            tree, pytree.tree_structure(candidate)
        ) == torch_pytree._broadcast_to_and_flatten(tree, torch_pytree.tree_structure(candidate))


@check
@given(tree=trees)
def test_maps_and_predicates(torch_pytree: Any, tree: Any) -> None:
    for name, arguments in (
        ("tree_map", (repr, tree)),
        ("tree_map_only", (int, str, tree)),
        ("tree_map_only", ((int, str), repr, tree)),
        ("tree_map_only", (int | str, repr, tree)),
        ("tree_map_only", (lambda x: x is None, repr, tree)),
        ("tree_leaves", (tree, lambda x: isinstance(x, dict))),
        ("tree_map_", (repr, tree)),
        ("tree_map_only_", (int, repr, tree)),
    ):
        mine = getattr(pytree, name)(*arguments)
        assert same(mine, getattr(torch_pytree, name)(*arguments)), name
    for name, arguments in (
        ("tree_all", (bool, tree)),
        ("tree_any", (bool, tree)),
        ("tree_all_only", (int, bool, tree)),
        ("tree_any_only", ((int, str), bool, tree)),
    ):
        assert getattr(pytree, name)(*arguments) == getattr(torch_pytree, name)(*arguments)


def test_errors_have_the_same_types(torch_pytree: Any) -> None:
    calls: list[Any] = [
        lambda p: p.tree_unflatten([1], p.tree_structure([1, 2])),
        lambda p: p.tree_unflatten([1], [2]),
        lambda p: p.tree_map(str, [1], [1, 2]),
        lambda p: p.tree_map_only(3, str, [1]),
        lambda p: p.treespec_dumps(p.tree_structure([1]), 7),
        lambda p: p.treespec_dumps(3),
        lambda p: p.treespec_loads('[9, {}]'),
        lambda p: p.treespec_dumps(p.tree_structure({object(): 1})),
        lambda p: p.register_pytree_node(list, lambda x: (x, None), lambda c, _: c),
        lambda p: p.register_dataclass(Plain),
        lambda p: p.register_constant(Plain.__class__),
        lambda p: p.TreeSpec(None, 1, []),
        lambda p: p.treespec_tuple([1]),
        lambda p: p.treespec_dict(a=1),
        lambda p: p.tree_structure([1]).child(4),
        lambda p: p.tree_map(lambda x: x / 0, [1]),
    ]  # fmt: skip
    for number, call in enumerate(calls):
        with pytest.raises(Exception) as expected:
            call(torch_pytree)
        with pytest.raises(Exception) as got:
            call(pytree)
        assert type(got.value) is type(expected.value), number


def test_where_we_differ_on_purpose(torch_pytree: Any) -> None:
    """docs/pytree.md lists these."""
    # Dictionaries filled in another order have equal structures here.
    a, b = {"x": 1, "y": 2}, {"y": 1, "x": 2}
    assert torch_pytree.tree_structure(a) != torch_pytree.tree_structure(b)
    assert pytree.tree_structure(a) == pytree.tree_structure(b)
    # Struct sequences and mapping proxies are containers here.
    for value in (Path().stat(), types.MappingProxyType({"a": 1})):
        assert torch_pytree.tree_leaves(value) == [value]
        assert pytree.tree_leaves(value) == list(
            value.values() if isinstance(value, types.MappingProxyType) else value
        )
    # Paths through a class without keys.
    torch_pytree.register_pytree_node(Plain, lambda p: (p.items, None), lambda c, _: Plain(*c))
    with pytest.raises(ValueError, match="flatten_with_keys_fn"):
        torch_pytree.tree_leaves_with_path(Plain(1))
    assert len(pytree.tree_leaves_with_path(Plain(1))) == 1


def test_types_registered_in_torch(torch_pytree: Any) -> None:
    import torch

    added = pytree.register_from_torch()
    assert torch.return_types.max in added
    value = torch.max(torch.tensor([[1.0, 2.0]]), dim=1)
    mine, spec = pytree.tree_flatten(value)
    assert mine == torch_pytree.tree_leaves(value)
    again = spec.unflatten(mine)
    assert type(again) is torch.return_types.max
    paths = [str(p) for p, _ in pytree.tree_leaves_with_path(value)]
    assert paths == [torch_pytree.keystr(p) for p, _ in torch_pytree.tree_leaves_with_path(value)]
    assert pytree.register_from_torch() == []


def test_torch_tensors_in_ravel(torch_pytree: Any) -> None:
    import torch

    tree = {"a": torch.arange(4.0).reshape(2, 2), "b": [torch.tensor(7), 1.5]}
    flat, unravel = pytree.ravel_pytree(tree)
    assert flat.tolist() == [0, 1, 2, 3, 7, 1.5]
    again = unravel(flat * 2)
    assert again["a"].tolist() == [[0, 2], [4, 6]]
    assert again["b"][0].dtype == torch.int64
    assert again["b"][1].item() == 3.0
