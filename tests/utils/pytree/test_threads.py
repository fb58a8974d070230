"""Several threads."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from typing import Any

from rushlight.utils import pytree

from .strategies import Bag, Pair, Plain, Point


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


def test_threads_change_containers_while_others_read() -> None:
    rows: list[Any] = [0]
    table: dict[Any, Any] = {"a": 0}
    tree = [rows, {"t": table}, OrderedDict(k=rows)]
    spec = pytree.tree_structure([0, {"t": 0}, OrderedDict(k=0)])
    stop = threading.Event()
    errors: list[BaseException] = []

    def reader() -> None:
        while not stop.is_set():
            try:
                leaves, found = pytree.tree_flatten(tree)
                assert found.num_leaves == len(leaves)
                pytree.tree_map_with_path(lambda path, x: x, tree)
                assert spec.flatten_up_to(tree) == [rows, table, rows]
                assert len(list(pytree.tree_iter(tree))) >= 2
            except RuntimeError as error:  # changed size while it was read
                if "changed size" not in str(error):
                    errors.append(error)
            except BaseException as error:
                errors.append(error)

    def writer() -> None:
        try:
            for i in range(2_000):
                rows.append(i)
                table[i] = [i]
                if i % 7 == 0:
                    del rows[1:]
                    for key in list(table)[1:]:
                        del table[key]
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=reader) for _ in range(3)]
    writer_thread = threading.Thread(target=writer)
    for thread in [*readers, writer_thread]:
        thread.start()
    writer_thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []


def test_user_code_may_register_wherever_it_runs() -> None:
    """No lock is held then: neither by finalizers nor by the functions of a class or its key."""
    made: list[type] = []

    def register_another() -> None:
        cls = type("Another", (), {})
        pytree.register_pytree_node(cls, lambda _: ((), None), lambda c, _: cls())
        pytree.register_namedtuple(Point, serialized_type_name="tests.Point")
        made.append(cls)

    class Meta(type):
        def __hash__(cls) -> int:
            if len(made) < 50:
                register_another()
            return 7

    class Finalizer:
        def __del__(self) -> None:
            register_another()

    class Box(metaclass=Meta):
        pass

    def flatten(_: Any, finalizer: Any = Finalizer()) -> Any:  # noqa: B008
        register_another()
        return (1,), None

    done = threading.Event()

    def work() -> None:
        nonlocal flatten
        pytree.register_pytree_node(
            Box, flatten, lambda c, _: (register_another(), Box())[1], serialized_type_name="t.Box"
        )
        assert pytree.tree_map(lambda x: x, [Box(), Box()])
        pytree.unregister_pytree_node(Box)
        flatten = None  # type: ignore[assignment]
        gc.collect()
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(60), "a deadlock"
    assert len(made) > 4
    for cls in made:
        assert pytree.tree_leaves([cls(), 1]) == [1]
        pytree.unregister_pytree_node(cls)
