"""Sub-interpreters, and a module imported twice."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any


def run(code: str, **values: Any) -> str:
    """What a process of its own prints; `values` are variables there."""
    settings = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    done = subprocess.run(
        [sys.executable, "-c", settings + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# What each sub-interpreter does: the public module, under a name of its own for the same classes.
WORK = """
import sys
sys.path[:] = {path!r}
import collections, dataclasses, pickle, threading, types, gc
from rushlight.utils import pytree

class Box:
    def __init__(self, *items):
        self.items = items

@dataclasses.dataclass
class Pair:
    left: object
    right: object

Point = collections.namedtuple("Point", "x y")
assert not pytree.is_registered(Box)
pytree.register_pytree_node(Box, lambda b: (b.items, {number}), lambda c, _: Box(*c),
                            serialized_type_name="Box", namespace="")
pytree.register_dataclass(Pair)
pytree.register_namedtuple(Point, serialized_type_name="Point")
tree = {{"a": Box(1, [2]), "b": Pair(3, Point(4, (5,))), "c": collections.deque([6])}}

def use():
    for i in range({rounds}):
        leaves, spec = pytree.tree_flatten(tree)
        assert leaves == [1, 2, 3, 4, 5, 6]
        assert spec == pytree.tree_structure(spec.unflatten(leaves))
        assert spec.child(0).context == {number}
        assert str(pytree.tree_paths(tree)[3]) == "['b'].right.x"
        assert pytree.tree_leaves(pytree.tree_map(lambda x, y: x + y, tree, tree))[5] == 12
        cls = type("Passing", (), {{}})
        pytree.register_pytree_node(cls, lambda _: ((7,), None), lambda c, _: cls())
        assert pytree.tree_leaves([cls()]) == [7]
        pytree.unregister_pytree_node(cls)

use()
text = pytree.treespec_dumps(pytree.tree_structure([Box(1), Point(1, 2)]))
assert pytree.treespec_loads(text) == pytree.tree_structure([Box(1), Point(1, 2)])
try:
    pytree.tree_map(lambda x, y: x, [1, Pair(1, [2])], [1, Pair(1, 2)])
except ValueError as error:
    assert str(error) == "at [1].right: list of 1 expected, got int"
del tree
gc.collect()
"""

SETUP = """
import threading
import time
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
from rushlight.utils import pytree

class Box:
    pass

pytree.register_pytree_node(Box, lambda _: ((1,), None), lambda c, _: Box())

def run_in(one, number):
    failure = interpreters.run_string(one, WORK.format(path=path, number=number, rounds=rounds))
    assert failure is None, failure
"""


def test_sub_interpreters_have_their_own_registries() -> None:
    out = run(
        SETUP
        + """
made = [interpreters.create() for _ in range(4)]
for number, one in enumerate(made):
    run_in(one, number)
    assert pytree.tree_leaves([Box(), (2,)]) == [1, 2]
for one in made:
    interpreters.destroy(one)
assert pytree.tree_leaves([Box(), (2,)]) == [1, 2]
print("done")
""",
        WORK=WORK,
        path=sys.path,
        rounds=50,
    )
    assert out == "done\n"


def test_sub_interpreters_at_the_same_time() -> None:
    """Each in a thread of its own (from Python 3.12 on with a lock of its own), coming and going,
    while the main interpreter registers and flattens, too."""
    out = run(
        SETUP
        + """
errors = []

def live(number):
    try:
        for generation in range(3):
            one = interpreters.create()
            try:
                run_in(one, 10 * number + generation)
            finally:
                interpreters.destroy(one)
    except BaseException as error:
        errors.append(error)

threads = [threading.Thread(target=live, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    cls = type("Mine", (), {})
    pytree.register_pytree_node(cls, lambda _: ((3,), None), lambda c, _: c)
    assert pytree.tree_leaves([Box(), {"a": cls()}]) == [1, 3]
    pytree.unregister_pytree_node(cls)
    time.sleep(0.001)  # before Python 3.12 no other interpreter can ask for the lock
for thread in threads:
    thread.join()
assert not errors, errors
print("done")
""",
        WORK=WORK,
        path=sys.path,
        rounds=20,
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
