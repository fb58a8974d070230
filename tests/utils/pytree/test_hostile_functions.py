"""Functions of the user's that raise, change what is being read, or return nonsense."""

from __future__ import annotations

import gc
import sysconfig
from typing import Any

import pytest

from rushlight.utils import pytree

from .strategies import Point

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


class Misbehaving:
    """A container whose functions do what the test says."""

    flatten: Any = staticmethod(lambda self: ((1,), None))
    unflatten: Any = staticmethod(lambda children, context: Misbehaving())
    keys: Any = staticmethod(lambda self: ([("k", 1)], None))


pytree.register_pytree_node(
    Misbehaving,
    lambda self: Misbehaving.flatten(self),  # noqa: PLW0108 - looked up at every call
    lambda children, context: Misbehaving.unflatten(children, context),  # noqa: PLW0108
    flatten_with_keys_fn=lambda self: Misbehaving.keys(self),  # noqa: PLW0108
)


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (None, TypeError, r"must return a tuple \(children, context\), got None"),
        (5, TypeError, "must return a tuple"),
        ((1, 2, 3), TypeError, "must return a tuple"),
        ((), TypeError, "must return a tuple"),
        ((5, None), TypeError, "must return its children as an iterable, got int"),
        ((None, None), TypeError, "must return its children as an iterable"),
        (ZeroDivisionError(), ZeroDivisionError, None),
    ],
)
def test_nonsense_from_flatten(
    monkeypatch: Any, result: Any, error: type[Exception], message: str | None
) -> None:
    def flatten(_: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(Misbehaving, "flatten", flatten)
    tree = {"a": [1, Misbehaving(), 2], "b": 3}
    for use in (
        pytree.tree_leaves,
        pytree.tree_flatten_with_path,
        lambda t: list(pytree.tree_iter(t)),
        lambda t: pytree.tree_map(str, t),
        lambda t: pytree.tree_flatten_one_level(t["a"][1]),
    ):
        with pytest.raises(error, match=message):
            use(tree)
    monkeypatch.undo()
    assert pytree.tree_leaves(tree) == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (None, TypeError, "must return a tuple"),
        (([], None), ValueError, "gave 0 children, its flatten function 1"),
        (([1], None), TypeError, "not iterable"),
        (([("k",)], None), TypeError, "pairs"),
        ((7, None), TypeError, "not iterable"),
    ],
)
def test_nonsense_from_keys(
    monkeypatch: Any, result: Any, error: type[Exception], message: str
) -> None:
    monkeypatch.setattr(Misbehaving, "keys", lambda _: result)
    with pytest.raises(error, match=message):
        pytree.tree_leaves_with_path([Misbehaving()])


def test_containers_that_change_while_they_are_read(monkeypatch: Any) -> None:
    victim: list[Any] = [0, Misbehaving(), 2, 3]
    table: dict[str, Any] = {"a": 0, "b": Misbehaving(), "c": 2}

    def shrink(_: Any) -> Any:
        victim.clear()
        gc.collect()
        return ((1,), None)

    monkeypatch.setattr(Misbehaving, "flatten", shrink)
    if FREE_THREADED:  # lists are read as a whole there
        assert pytree.tree_leaves(victim) == [0, 1, 2, 3]
    else:
        with pytest.raises(RuntimeError, match="list changed size"):
            pytree.tree_leaves(victim)
    # A dictionary is read as a whole before.
    monkeypatch.setattr(Misbehaving, "flatten", lambda _: (table.clear() or (1,), None))
    assert pytree.tree_leaves(table) == [0, 1, 2]
    victim[:] = [0, Misbehaving(), 2, 3]
    spec = pytree.tree_structure([0, [0], 0, 0])
    with pytest.raises(ValueError, match=r"at \[1\]"):
        spec.flatten_up_to(victim)

    def grow(_: Any) -> Any:
        victim.append(9)
        return ((1,), None)

    victim[:] = [0, Misbehaving(), 2]
    monkeypatch.setattr(Misbehaving, "flatten", grow)
    if FREE_THREADED:
        assert pytree.tree_leaves(victim) == [0, 1, 2]
    else:
        with pytest.raises(RuntimeError, match="list changed size"):
            pytree.tree_leaves(victim)


def test_predicates_that_change_what_they_look_at() -> None:
    tree: list[Any] = [[1, 2], {"a": 3}]

    def empty(node: Any) -> bool:
        if type(node) in (list, dict) and node is not tree:
            node.clear()
        return False

    assert pytree.tree_leaves(tree, is_leaf=empty) == []
    tree = [[1], [2]]

    def drop(node: Any) -> bool:
        del tree[:]
        return False

    assert pytree.tree_leaves(tree, is_leaf=drop) == []


def test_unflatten_functions_that_misbehave(monkeypatch: Any) -> None:
    seen = []

    def failing(children: Any, _: Any) -> Any:
        seen.append(children)
        raise ZeroDivisionError

    spec = pytree.tree_structure([Misbehaving(), {"a": (Misbehaving(), 1)}])
    monkeypatch.setattr(Misbehaving, "unflatten", failing)
    with pytest.raises(ZeroDivisionError):
        spec.unflatten([1, 2, 3])
    assert seen == [[1]]
    leaves = [1, 2, 3]

    def thief(children: Any, _: Any) -> Any:
        leaves.clear()
        return 0

    monkeypatch.setattr(Misbehaving, "unflatten", thief)
    if FREE_THREADED:
        assert spec.unflatten(leaves) == [0, {"a": (0, 3)}]
    else:
        with pytest.raises(RuntimeError, match="shrank"):
            spec.unflatten(leaves)


def test_half_built_containers_are_not_visible(monkeypatch: Any) -> None:
    marker = object()

    def spy(children: Any, _: Any) -> Any:
        for found in gc.get_referrers(marker):
            if type(found) in (list, tuple, Point):
                repr(found)
        return children[0]

    spec = pytree.tree_structure([0, (0, Misbehaving(), 0), Point(0, Misbehaving()), 0])
    monkeypatch.setattr(Misbehaving, "unflatten", spy)
    assert spec.unflatten([marker] * 7)[0] is marker


def test_a_map_function_that_changes_the_tree() -> None:
    tree = {"a": [1, 2], "b": 3}

    def f(x: int) -> int:
        tree.clear()
        return x + 1

    assert pytree.tree_map(f, tree) == {"a": [2, 3], "b": 4}
    with pytest.raises(ZeroDivisionError):
        pytree.tree_map(lambda x: 1 // x, [1, 0, 2])


def test_deregistering_while_flattening() -> None:
    class Fleeting:
        def __init__(self, items: Any) -> None:
            self.items = items

    def flatten(self: Fleeting) -> Any:
        if pytree.is_registered(Fleeting):
            pytree.unregister_pytree_node(Fleeting)
            gc.collect()
        return self.items, None

    pytree.register_pytree_node(Fleeting, flatten, lambda c, _: Fleeting(c))
    inner = Fleeting([2])
    leaves, spec = pytree.tree_flatten([Fleeting([1]), inner])
    assert leaves == [1, inner]
    assert spec.unflatten([5, 6])[0].items == [5]


def test_keys_with_hostile_comparisons() -> None:
    class Key:
        bomb = False

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            if Key.bomb:
                raise ZeroDivisionError
            return self is other

    a, b = {Key(): 1, Key(): 2}, {Key(): 1, Key(): 2}
    left, right = pytree.tree_structure(a), pytree.tree_structure(b)
    assert left != right
    Key.bomb = True
    with pytest.raises(ZeroDivisionError):
        assert left == right
    with pytest.raises(ZeroDivisionError):
        left.flatten_up_to(b)
    assert left == left  # noqa: PLR0124


def test_iterators_are_not_reentrant_and_end_after_an_error() -> None:
    def again(_: Any) -> bool:
        next(iterator)
        return False

    iterator = pytree.tree_iter([1, 2], again)
    with pytest.raises(ValueError, match="already being advanced"):
        next(iterator)
    assert list(iterator) == []
