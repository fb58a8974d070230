"""SharedList, SharedDict, and one pickled dataset for all workers."""

from __future__ import annotations

import multiprocessing
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight.utils.data import DataLoader, SharedDict, SharedList
from tests.utils.data.datasets import Squares, plain
from tests.utils.data.memory_checks import Records, private_megabytes, record

KEYS = st.one_of(st.integers(), st.text(), st.binary(), st.none(), st.tuples(st.text()))


@given(st.lists(st.one_of(st.none(), st.text(), st.dictionaries(st.text(), st.integers()))))
def test_lists_hold_what_they_were_given(items: list[Any]) -> None:
    shared = SharedList(items)
    assert list(shared) == items
    assert [shared[i] for i in range(-len(items), 0)] == items
    assert shared[1:3] == items[1:3]
    assert list(pickle.loads(pickle.dumps(shared))) == items
    with pytest.raises(IndexError):
        shared[len(items)]


@given(st.dictionaries(KEYS, st.integers()))
def test_dictionaries_hold_what_they_were_given(items: dict[Any, int]) -> None:
    shared = SharedDict(items)
    assert dict(shared) == items
    assert len(shared) == len(items)
    for key, value in items.items():
        assert shared[key] == value
    assert "not there at all" not in shared


def test_dictionary_keys() -> None:
    shared = SharedDict([("a", 1), ("a", 2), (1, "one"), (True, "yes")])
    assert dict(shared) == {"a": 2, 1: "yes"}
    assert dict(pickle.loads(pickle.dumps(shared))) == dict(shared)
    with pytest.raises(TypeError, match="frozenset"):
        SharedDict({frozenset(): 1})
    with pytest.raises(KeyError):
        shared["b"]


def test_workers_do_not_copy_shared_records() -> None:
    n = 50_000
    records = SharedList(record(i) for i in range(n))
    loader = DataLoader(Records(records), 100, num_workers=2)
    iterator = iter(loader)
    children = multiprocessing.active_children()
    grown = []
    for step, _ in enumerate(iterator):
        if step in {20, 480}:
            grown.append([private_megabytes(c.pid) for c in children])
    assert len(grown) == 2
    assert all(b - a < 3 for a, b in zip(*grown, strict=True)), grown


class Counted(Squares):
    pickled = 0

    def __getstate__(self) -> Any:
        Counted.pickled += 1
        return self.__dict__


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_dataset_is_pickled_once(method: str) -> None:
    Counted.pickled = 0
    loader = DataLoader(Counted(6), 2, num_workers=2, multiprocessing_context=method)
    assert plain([b[0] for b in loader]) == [[0, 1], [2, 3], [4, 5]]
    assert Counted.pickled == 1
