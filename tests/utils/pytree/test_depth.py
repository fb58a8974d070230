"""Deep trees, trees without end, cycles."""

from __future__ import annotations

import pickle
from collections import OrderedDict, defaultdict, deque
from typing import Any

import pytest

from rushlight.utils import pytree

from .strategies import Bag, Pair, Plain, Point

DEPTH = 100_000


def nested(depth: int, make: Any) -> Any:
    tree: Any = 1
    for _ in range(depth):
        tree = make(tree)
    return tree


MAKERS = {
    "list": lambda x: [x],
    "tuple": lambda x: (x,),
    "dict": lambda x: {"k": x},
    "namedtuple": lambda x: Point(x, 0),
    "dataclass": Pair,
    "custom": Plain,
    "keyed": lambda x: Bag([x], "b"),
    "ordered": lambda x: OrderedDict(k=x),
    "deque": lambda x: deque([x]),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_hundred_thousand_levels(kind: str) -> None:
    # Python frees nested deques by recursion in C: what it survives depends on its compiler.
    depth = DEPTH if kind != "deque" else 10_000
    tree = nested(depth, MAKERS[kind])
    leaves, spec = pytree.tree_flatten(tree)
    assert spec.num_nodes == depth + len(leaves)
    again = spec.unflatten(leaves)
    assert pytree.tree_structure(again) == spec
    assert hash(pytree.tree_structure(again)) == hash(spec)
    assert list(pytree.tree_iter(tree)) == leaves
    doubled = pytree.tree_map(lambda a, b: a + b, tree, again)
    assert pytree.tree_leaves(doubled) == [2 * leaf for leaf in leaves]
    assert repr(spec).count("TreeSpec(") == depth


def test_deep_structures_pickle_and_name_their_paths() -> None:
    tree = nested(DEPTH, MAKERS["list"])
    spec = pytree.tree_structure(tree)
    assert pickle.loads(pickle.dumps(spec)) == spec
    ((path, leaf),) = pytree.tree_leaves_with_path(tree)
    assert len(path) == DEPTH
    assert path.get(tree) is leaf
    broken = nested(DEPTH - 1, MAKERS["list"])
    with pytest.raises(ValueError, match=r"^at (\[0\]){99999}: list of 1 expected, got int$"):
        spec.flatten_up_to(broken)
    text = pytree.treespec_dumps(spec)
    with pytest.raises(ValueError, match="nested too deeply"):
        pytree.treespec_loads(text)
    with pytest.raises(RecursionError):
        pytree.treespec_pprint(spec)


def test_deep_trees_grow_to_a_common_structure() -> None:
    deep = 20_000  # every level is a few Python calls
    left = nested(deep, MAKERS["list"])
    right = nested(deep, MAKERS["list"])
    for _ in range(3):
        grown, other = pytree.tree_broadcast_common(left, right)
        assert pytree.tree_structure(grown) == pytree.tree_structure(other)
        left = [left]
        right = nested(deep + 1, MAKERS["list"])
    broken = nested(deep, MAKERS["tuple"])
    with pytest.raises(ValueError, match=r"^at the root: list of 1 expected, got tuple of 1$"):
        pytree.tree_broadcast_common(left, broken)


def test_paths_that_would_fill_the_memory_are_refused() -> None:
    tree = nested(DEPTH, lambda x: [0, x])
    assert len(pytree.tree_leaves(tree)) == DEPTH + 1
    with pytest.raises(MemoryError, match="the paths of this tree hold more than"):
        pytree.tree_leaves_with_path(tree)


def test_trees_without_end_are_refused() -> None:
    class Endless:
        pass

    pytree.register_pytree_node(Endless, lambda _: ((Endless(),), None), lambda c, _: c[0])
    try:
        for use in (pytree.tree_leaves, lambda t: list(pytree.tree_iter(t))):
            with pytest.raises(RecursionError, match="nested more than 1000000 deep"):
                use(Endless())
    finally:
        pytree.unregister_pytree_node(Endless)


def cyclic_trees() -> list[Any]:
    plain: list[Any] = [1]
    plain.append(plain)
    mapping: dict[str, Any] = {"a": 1}
    mapping["b"] = [0, (mapping,)]
    far: list[Any] = []
    far.append(nested(50, lambda x: [x]))
    middle = far
    for _ in range(30):
        middle = middle[0]
    middle.append({"back": far})
    bag = Bag([1], "b")
    bag.items.append(Plain(bag))
    pair = Pair(1)
    pair.right = deque([pair])
    factory = defaultdict(list)
    factory["x"] = OrderedDict(y=factory)  # type: ignore[assignment]
    return [plain, mapping, far, bag, pair, factory]


@pytest.mark.parametrize("index", range(6))
def test_cycles_are_found(index: int) -> None:
    tree = cyclic_trees()[index]
    for use in (
        pytree.tree_leaves,
        pytree.tree_structure,
        pytree.tree_leaves_with_path,
        lambda t: list(pytree.tree_iter(t)),
        lambda t: pytree.tree_map(lambda x: x, t),
        lambda t: pytree.tree_leaves(t, is_leaf=lambda x: False),
        lambda t: pytree.tree_broadcast_common(t, t),
        lambda t: pytree.tree_broadcast_map(lambda x, y: x, t, t),
        lambda t: pytree.tree_broadcast_prefix(0, t),
        lambda t: pytree.prefix_errors(t, t),
        lambda t: pytree.tree_any(lambda x: False, t),
        lambda t: pytree.ravel_pytree([0, t]),
    ):
        with pytest.raises(ValueError, match="the tree contains itself"):
            use(tree)


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = [1]
    tree: Any = [shared, shared]
    for _ in range(40):
        tree = [shared, tree, shared]
    assert pytree.tree_leaves(tree) == [1] * 82
