"""Laws that hold for every tree."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.utils import pytree

from .strategies import reorder, same, trees

pytestmark = pytest.mark.filterwarnings("error")
settings.register_profile("pytree", deadline=None)
settings.load_profile("pytree")


@given(trees)
def test_unflatten_is_the_inverse_of_flatten(tree: Any) -> None:
    leaves, spec = pytree.tree_flatten(tree)
    assert same(pytree.tree_unflatten(leaves, spec), tree)
    assert same(spec.unflatten(iter(leaves)), tree)
    assert spec.num_leaves == len(leaves)


@given(trees)
def test_flatten_is_the_inverse_of_unflatten(tree: Any) -> None:
    spec = pytree.tree_structure(tree)
    leaves = [object() for _ in range(spec.num_leaves)]
    again, spec_again = pytree.tree_flatten(spec.unflatten(leaves))
    assert again == leaves
    assert spec_again == spec


@given(trees)
def test_every_way_to_the_leaves_agrees(tree: Any) -> None:
    leaves, spec = pytree.tree_flatten(tree)
    assert pytree.tree_leaves(tree) == leaves
    assert list(pytree.tree_iter(tree)) == leaves
    assert pytree.tree_structure(tree) == spec
    assert [leaf for _, leaf in pytree.tree_leaves_with_path(tree)] == leaves
    seen: list[Any] = []
    assert pytree.tree_map_(seen.append, tree) is tree
    assert seen == leaves


@given(trees)
def test_paths_lead_to_their_leaves(tree: Any) -> None:
    pairs, spec = pytree.tree_flatten_with_path(tree)
    assert spec == pytree.tree_structure(tree)
    assert len({path for path, _ in pairs}) == len(pairs)
    for path, leaf in pairs:
        assert path.get(tree) is leaf
        assert pytree.key_get(tree, path) is leaf
        assert str(path) == pytree.keystr(path)
    mapped = pytree.tree_map_with_path(lambda path, leaf: (path.get(tree), leaf), tree)
    for a, b in zip(pytree.tree_leaves(mapped)[::2], pytree.tree_leaves(mapped)[1::2], strict=True):
        assert a is b or a == b


@given(trees)
def test_map_keeps_structure_and_composes(tree: Any) -> None:
    def f(x: Any) -> Any:
        return [x].count(x) + len(str(x))

    def g(x: int) -> int:
        return 3 * x + 1

    assert same(pytree.tree_map(lambda x: x, tree), tree)
    once = pytree.tree_map(lambda x: g(f(x)), tree)
    assert same(once, pytree.tree_map(g, pytree.tree_map(f, tree)))
    assert pytree.tree_structure(once) == pytree.tree_structure(tree)


@given(trees, st.randoms(use_true_random=False))
def test_dictionaries_pair_by_key_whatever_their_order(tree: Any, random: Any) -> None:
    other = reorder(tree, random)
    spec, other_spec = pytree.tree_structure(tree), pytree.tree_structure(other)
    assert spec == other_spec
    assert hash(spec) == hash(other_spec)
    pairs = pytree.tree_leaves(pytree.tree_map(lambda a, b: a is b, tree, other))
    assert all(pairs)
    assert spec.flatten_up_to(other) == pytree.tree_leaves(tree)
    # In what comes back the order is that of the first tree.
    assert same(pytree.tree_map(lambda a, _: a, tree, other), tree)


def _shape(tree: Any) -> Counter[Any]:
    """All paths with the kind of node there: what a structure is, order aside."""
    found: Counter[Any] = Counter()

    def walk(node: Any, path: tuple[Any, ...]) -> None:
        if pytree.tree_is_leaf(node):
            found[path, None, ""] += 1
            return
        level = pytree.tree_flatten_one_level(node)
        kind = level.treespec.type
        context = level.context
        if isinstance(node, pytree_dicts) and type(node).__name__ != "OrderedDict":
            context = getattr(node, "default_factory", None)
        found[path, kind, repr(context)] += 1
        for key, child in zip(level.entries, level.children, strict=True):
            walk(child, (*path, key))

    walk(tree, ())
    return found


pytree_dicts = (dict, type(type.__dict__))


@settings(max_examples=300)
@given(trees, trees)
def test_equal_structures_are_those_that_flatten_alike(a: Any, b: Any) -> None:
    left, right = pytree.tree_structure(a), pytree.tree_structure(b)
    equal = left == right
    assert equal == (right == left)
    assert equal != (left != right)
    assert equal == (_shape(a) == _shape(b))
    if equal:
        assert hash(left) == hash(right)
        assert len(left.flatten_up_to(b)) == left.num_leaves


@given(trees)
def test_structures_survive_pickle_copy_and_json(tree: Any) -> None:
    spec = pytree.tree_structure(tree)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(spec, protocol))
        assert again == spec
        assert hash(again) == hash(spec)
        assert pytree.treespec_same_order(again, spec)
    assert copy.copy(spec) == spec
    assert copy.deepcopy(spec) == spec
    if "struct_time" in repr(spec):
        return
    read = pytree.treespec_loads(pytree.treespec_dumps(spec))
    assert read == spec
    assert pytree.treespec_same_order(read, spec)


@given(trees)
def test_structures_come_apart_and_together(tree: Any) -> None:
    spec = pytree.tree_structure(tree)
    again = pytree.TreeSpec(spec.type, spec.context, spec.children())
    assert again == spec
    assert repr(again) == repr(spec)
    assert spec.num_children == len(spec.children())
    assert [spec.child(i) for i in range(spec.num_children)] == spec.children()
    if not spec.is_leaf():
        assert spec.num_nodes == 1 + sum(c.num_nodes for c in spec.children())
        assert spec.num_leaves == sum(c.num_leaves for c in spec.children())
    assert "*" in pytree.treespec_pprint(spec) or spec.num_leaves == 0


@given(trees)
def test_every_tree_is_its_own_prefix(tree: Any) -> None:
    spec = pytree.tree_structure(tree)
    assert pytree.prefix_errors(tree, tree) == []
    assert pytree.treespec_is_prefix(spec, spec)
    assert not pytree.treespec_is_prefix(spec, spec, strict=True)
    assert pytree.broadcast_prefix(tree, tree) == pytree.tree_leaves(tree)
    assert pytree.broadcast_prefix(0, tree) == [0] * spec.num_leaves
    assert same(pytree.tree_broadcast_prefix(tree, tree), tree)


@given(trees, st.booleans())
def test_is_leaf_stops_where_it_says(tree: Any, tuples: bool) -> None:
    kind = tuple if tuples else dict

    def stop(node: Any) -> bool:
        return type(node) is kind

    leaves, spec = pytree.tree_flatten(tree, is_leaf=stop)
    assert list(pytree.tree_iter(tree, stop)) == leaves
    assert same(spec.unflatten(leaves), tree)
    assert kind not in {node[0] for node in spec.__reduce__()[1][0][1]}


@given(trees)
def test_partition_splits_and_loses_nothing(tree: Any) -> None:
    missing = object()
    left, right = pytree.tree_partition(lambda x: isinstance(x, int), tree, fillvalue=missing)
    merged = pytree.tree_map(lambda a, b: b if a is missing else a, left, right)
    assert same(merged, tree)
