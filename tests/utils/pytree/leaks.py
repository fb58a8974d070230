"""Run by test_leaks under Python's debug allocator: memory stays flat over 100,000 rounds."""

from __future__ import annotations

import contextlib
import gc
import pickle
import sys
import sysconfig
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from typing import Any

from rushlight.utils import pytree

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
Point = namedtuple("Point", ["x", "y"])


@dataclass
class Pair:
    left: Any
    right: Any = None


class Plain:
    def __init__(self, *items: Any) -> None:
        self.items = items


pytree.register_dataclass(Pair)
pytree.register_pytree_node(Plain, lambda p: (p.items, None), lambda c, _: Plain(*c))

TREE: dict[str, Any] = {
    "a": [1, (2, Point(3, 4))],
    "b": Plain(5, Plain(6)),
    "c": Pair(7, Pair(8)),
    "d": OrderedDict(x=deque([9])),
    "e": defaultdict(list, k={"z": 10}),
}


def core() -> None:
    leaves, spec = pytree.tree_flatten(TREE)
    assert spec == pytree.tree_structure(spec.unflatten(leaves))
    hash(spec)
    pytree.tree_map(int.__add__, TREE, TREE)
    pytree.tree_map_with_path(lambda path, x: x, TREE)


def everything() -> None:
    """Each operation once, also those that fail."""
    leaves, spec = pytree.tree_flatten(TREE)
    pairs, _ = pytree.tree_flatten_with_path(TREE)
    str(pairs[0][0])
    list(pytree.tree_iter(TREE))
    next(pytree.tree_iter(TREE))
    spec.children()
    assert spec == pytree.tree_structure(dict(reversed(list(TREE.items()))))
    repr(spec)
    pickle.loads(pickle.dumps(spec))
    pytree.tree_flatten_one_level(TREE)
    pytree.prefix_errors(TREE, [1])
    for bad in ([1], {"a": 1}):
        with contextlib.suppress(ValueError):
            spec.flatten_up_to(bad)
    with contextlib.suppress(AttributeError):
        pytree.tree_map(lambda x: x.missing, TREE)
    with contextlib.suppress(ValueError):
        spec.unflatten(leaves[1:])
    with contextlib.suppress(ValueError):
        pytree.TreeSpec(dict, ["a", "a"], [spec, spec])
    if FREE_THREADED:  # registrations stay until the end there: a reader may be looking at one
        return
    cls = type("Passing", (), {})
    pytree.register_pytree_node(cls, lambda _: ((1,), None), lambda c, _: c)
    pytree.tree_map(str, cls())
    pytree.unregister_pytree_node(cls)


def grown(action: Any, rounds: int) -> int:
    """Blocks of memory that `rounds` rounds leave behind, every time: Python's own caches (of types
    and their methods, of pickles) grow too, when its hash seed decides, but not for ever."""
    found = []
    for _ in range(4):
        before, references = sys.getallocatedblocks(), getattr(sys, "gettotalrefcount", int)()
        for _ in range(rounds):
            action()
        gc.collect()
        more = getattr(sys, "gettotalrefcount", int)() - references
        found.append(max(sys.getallocatedblocks() - before, more))
    return min(found)


def main() -> None:
    for action, rounds in ((core, 25_000), (everything, 1_500)):
        blocks = grown(action, rounds)
        assert blocks < 15, (
            f"{action.__name__}: {blocks} blocks left after {rounds} rounds, each time"
        )


if __name__ == "__main__":
    main()
