"""Random trees of every kind of container."""

from __future__ import annotations

import dataclasses
import enum
import time
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

from hypothesis import strategies as st

from rushlight.utils import pytree

Point = namedtuple("Point", ["x", "y"])
pytree.register_namedtuple(Point, serialized_type_name="tests.Point")
pytree.register_structseq(time.struct_time, serialized_type_name="time.struct_time")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any = None


pytree.register_dataclass(Pair, serialized_type_name="tests.Pair")


class Bag:
    """A class registered with functions, with keys."""

    def __init__(self, items: list[Any], label: str) -> None:
        self.items = items
        self.label = label

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bag) and (self.items, self.label) == (other.items, other.label)

    def __hash__(self) -> int:
        return hash(self.label)

    def __repr__(self) -> str:
        return f"Bag({self.items!r}, {self.label!r})"

    def __getitem__(self, index: int) -> Any:
        return self.items[index]


pytree.register_pytree_node(
    Bag,
    lambda bag: (bag.items, bag.label),
    lambda children, label: Bag(list(children), label),
    serialized_type_name="tests.Bag",
    flatten_with_keys_fn=lambda bag: (
        [(pytree.SequenceKey(i), item) for i, item in enumerate(bag.items)],
        bag.label,
    ),
)


class Plain:
    """A class registered without keys."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    def __repr__(self) -> str:
        return f"Plain{self.items!r}"


pytree.register_pytree_node(
    Plain,
    lambda plain: (plain.items, None),
    lambda children, _: Plain(*children),
    serialized_type_name="tests.Plain",
)

# What JSON can hold; None, enums and numbers as keys included. 1 == True, so no booleans.
keys = st.one_of(
    st.text(max_size=3),
    st.integers(-5, 5),
    st.none(),
    st.sampled_from(Color),
    st.tuples(st.integers(0, 2), st.text(max_size=1)),
)
leaves = st.one_of(st.integers(), st.text(max_size=2), st.booleans(), st.just(set()))


def containers(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(children, max_size=4)
    dicts = st.dictionaries(keys, children, max_size=4)
    return st.one_of(
        lists,
        lists.map(tuple),
        dicts,
        dicts.map(OrderedDict),
        dicts.map(lambda d: defaultdict(int, d)),
        dicts.map(types.MappingProxyType),
        lists.map(deque),
        lists.map(lambda x: deque(x, maxlen=7)),
        st.tuples(children, children).map(lambda t: Point(*t)),
        st.tuples(children, children).map(lambda t: Pair(*t)),
        children.map(Pair),
        st.tuples(lists, st.text(max_size=2)).map(lambda t: Bag(*t)),
        lists.map(lambda x: Plain(*x)),
        st.lists(children, min_size=9, max_size=9).map(make_struct_time),
    )


def make_struct_time(values: list[Any]) -> Any:
    return time.struct_time(values)


trees = st.recursive(leaves, containers, max_leaves=25)


def reorder(tree: Any, random: Any) -> Any:
    """An equal tree whose unordered dictionaries were filled in another order."""

    def shuffled(items: list[Any]) -> list[Any]:
        items = list(items)
        random.shuffle(items)
        return items

    if type(tree) is dict:
        return dict(shuffled([(k, reorder(v, random)) for k, v in tree.items()]))
    if type(tree) is defaultdict:
        items = [(k, reorder(v, random)) for k, v in tree.items()]
        return defaultdict(tree.default_factory, shuffled(items))
    if type(tree) is types.MappingProxyType:
        items = [(k, reorder(v, random)) for k, v in tree.items()]
        return types.MappingProxyType(dict(shuffled(items)))
    if pytree.tree_is_leaf(tree):
        return tree
    level = pytree.tree_flatten_one_level(tree)
    return level.unflatten([reorder(child, random) for child in level.children])


def same(a: Any, b: Any) -> bool:
    """Equal values in equal containers of equal types, order of dictionaries included."""
    if type(a) is not type(b):
        return False
    if pytree.tree_is_leaf(a):
        return bool(a == b)
    left, right = pytree.tree_flatten_one_level(a), pytree.tree_flatten_one_level(b)
    return (
        left.context == right.context
        and len(left.children) == len(right.children)
        and all(same(x, y) for x, y in zip(left.children, right.children, strict=True))
    )
