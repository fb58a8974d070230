"""Depth, cycles, hostile functions, threads, interpreters, leaks."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref
from collections import OrderedDict, defaultdict, deque
from pathlib import Path
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
    tree = nested(DEPTH, MAKERS[kind])
    leaves, spec = pytree.tree_flatten(tree)
    assert spec.num_nodes == DEPTH + len(leaves)
    again = spec.unflatten(leaves)
    assert pytree.tree_structure(again) == spec
    assert hash(pytree.tree_structure(again)) == hash(spec)
    assert list(pytree.tree_iter(tree)) == leaves
    doubled = pytree.tree_map(lambda a, b: a + b, tree, again)
    assert pytree.tree_leaves(doubled) == [2 * leaf for leaf in leaves]
    assert repr(spec).count("TreeSpec(") == DEPTH


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
    ):
        with pytest.raises(ValueError, match="the tree contains itself"):
            use(tree)


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = [1]
    tree: Any = [shared, shared]
    for _ in range(40):
        tree = [shared, tree, shared]
    assert pytree.tree_leaves(tree) == [1] * 82


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


def test_threads_register_and_flatten_together() -> None:
    stop = threading.Event()
    errors: list[BaseException] = []
    tree = {f"k{i}": [i, Bag([i, Plain(i)], "b"), Point(i, Pair(i))] for i in range(20)}
    expected = pytree.tree_leaves(tree)

    def reader() -> None:
        try:
            while not stop.is_set():
                assert pytree.tree_leaves(tree) == expected
                spec = pytree.tree_structure(tree)
                assert pytree.tree_map(lambda x: x, tree).keys() == tree.keys()
                assert hash(spec) == hash(pytree.tree_structure(tree))
        except BaseException as error:
            errors.append(error)

    def writer(number: int) -> None:
        try:
            for i in range(150):
                space = "" if i % 3 else f"space{number}"
                cls = type(f"T{number}_{i}", (), {})
                pytree.register_pytree_node(
                    cls, lambda _: ((1, 2), None), lambda c, _: c, namespace=space
                )
                assert pytree.tree_leaves([cls()], namespace=space) == [1, 2]
                if i % 2:
                    pytree.unregister_pytree_node(cls, namespace=space)
                    assert len(pytree.tree_leaves([cls()], namespace=space)) == 1
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=reader) for _ in range(3)]
    writers = [threading.Thread(target=writer, args=(n,)) for n in range(4)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []


def test_one_of_many_threads_registers_a_class() -> None:
    class Contested:
        pass

    barrier = threading.Barrier(8)
    outcomes: list[str] = []

    def register() -> None:
        barrier.wait()
        try:
            pytree.register_pytree_node(Contested, lambda _: ((), None), lambda c, _: None)
            outcomes.append("won")
        except ValueError:
            outcomes.append("lost")

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["lost"] * 7 + ["won"]
    pytree.unregister_pytree_node(Contested)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sub_interpreters_have_their_own_registries() -> None:
    out = run(
        """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import rushlight.utils.pytree._pytree_c as here
        code = '''
        import importlib.machinery, importlib.util, collections
        spec = importlib.util.spec_from_file_location("_pytree_c", {file!r})
        c = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(c)
        class Box:
            pass
        assert c.register_node(Box, lambda b: ((1, 2), None), lambda ch, _: Box(), None, None, "",
                               False)
        P = collections.namedtuple("P", "a b")
        for _ in range(200):
            leaves, s = c.tree_flatten([Box(), {{"a": P(3, 4)}}])
            assert leaves == [1, 2, 3, 4]
            assert s.unflatten(leaves)[1] == {{"a": P(3, 4)}}
            assert s == c.tree_structure([Box(), {{"a": P(3, 4)}}])
            ((p, _), *_) = c.tree_leaves_with_path([{{"a": P(3, 4)}}])
            assert str(p) == "[0]['a'].a"
        '''
        import textwrap
        code = textwrap.dedent(code).format(file=here.__file__)
        made = [interpreters.create() for _ in range(3)]
        for _ in range(2):
            for one in made:
                failure = interpreters.run_string(one, code.replace("class Box", "class Box"))
                assert failure is None, failure
        for one in made:
            interpreters.destroy(one)
        assert here.tree_leaves([1, (2,)]) == [1, 2]
        print("done")
        """
    )
    assert out == "done\n"


def test_importing_again_makes_an_independent_module() -> None:
    out = run(
        """
        import gc, importlib, sys
        import rushlight.utils.pytree._pytree_c as first
        for _ in range(20):
            del sys.modules["rushlight.utils.pytree._pytree_c"]
            again = importlib.import_module("rushlight.utils.pytree._pytree_c")
            assert again is not first
            spec = again.tree_structure([1, {"a": 2}])
            assert spec != first.tree_structure([1, {"a": 2}])
            class T: pass
            again.register_node(T, lambda t: ((spec,), 0), lambda c, _: T(), None, None, "", False)
            assert first.tree_leaves(T()) != [spec]
            del again, spec, T
            gc.collect()
        print("done")
        """
    )
    assert out == "done\n"


def test_structures_are_collected_with_what_they_hold() -> None:
    class Holder:
        pass

    holder = Holder()
    spec = pytree.tree_structure([Bag([1], holder)])  # type: ignore[arg-type]
    holder.spec = spec  # type: ignore[attr-defined]
    gone = weakref.ref(holder)
    del holder, spec
    gc.collect()
    assert gone() is None


def test_a_hundred_thousand_rounds_do_not_leak() -> None:
    script = Path(__file__).with_name("leaks.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, PYTHONMALLOC="debug"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
