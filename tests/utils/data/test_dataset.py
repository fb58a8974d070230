"""Datasets and `random_split`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rushlight
from rushlight.utils.data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from tests.utils.data.datasets import Squares, Undivided


class WithGetitems(Squares):
    calls = 0

    def __getitems__(self, indices: list[int]) -> list[Any]:
        self.calls += 1
        return [self[i] for i in indices]


def test_base_classes_say_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Dataset must define __getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(IterableDataset())


def test_tensor_dataset() -> None:
    x, y = np.arange(6).reshape(3, 2), rushlight.Tensor(np.arange(3.0))
    data = TensorDataset(x, y)
    assert len(data) == 3
    assert data[1][0].tolist() == [2, 3]
    assert float(data[-1][1]) == 2.0
    with pytest.raises(AssertionError, match=r"\[3, 2\]"):
        TensorDataset(x, np.arange(2))


def test_stack_dataset() -> None:
    squares = WithGetitems(4)
    pairs = StackDataset(squares, range(4))
    assert pairs[2][0][0] == pairs[2][1] == 2
    assert [p[1] for p in pairs.__getitems__([1, 3])] == [1, 3]
    assert squares.calls == 1
    named = StackDataset(a=range(3), b=["x", "y", "z"])
    assert named[1] == {"a": 1, "b": "y"}
    assert named.__getitems__([2, 0]) == [{"a": 2, "b": "z"}, {"a": 0, "b": "x"}]
    assert len(named) == 3
    for args, kwargs in [((), {}), ((range(2), range(3)), {}), ((range(2),), {"a": range(2)})]:
        with pytest.raises(ValueError, match="StackDataset"):
            StackDataset(*args, **kwargs)


def test_getitems_of_the_wrong_length() -> None:
    class Short(Squares):
        def __getitems__(self, indices: list[int]) -> list[Any]:
            return []

    with pytest.raises(ValueError, match="must return 2 samples, it returned 0"):
        StackDataset(Short(3)).__getitems__([0, 1])


def test_concat_dataset() -> None:
    data = Squares(3) + Squares(2)
    assert isinstance(data, ConcatDataset)
    assert [data[i][0] for i in range(5)] == [0, 1, 2, 0, 1]
    assert data[-1][0] == 1
    assert data.cumulative_sizes == [3, 5]
    with pytest.raises(ValueError, match="-6"):
        data[-6]
    with pytest.raises(IndexError):
        data[5]
    with pytest.raises(AssertionError, match="at least one"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="no keys"):
        ConcatDataset([Undivided(2)])
    with pytest.warns(DeprecationWarning, match="cumulative_sizes"):
        assert data.cummulative_sizes == [3, 5]


def test_chain_dataset() -> None:
    assert list(Undivided(2) + Undivided(3)) == [0, 1, 0, 1, 2]
    with pytest.raises(AssertionError, match="found Squares"):
        list(ChainDataset([Squares(2)]))


def test_subset() -> None:
    base = WithGetitems(10)
    subset = Subset(base, [4, 2, 9])
    assert [subset[i][0] for i in range(3)] == [4, 2, 9]
    assert [s[0] for s in subset.__getitems__([0, 2])] == [4, 9]
    assert base.calls == 1
    assert Subset(np.arange(10), [3, 4])[[1, 0]].tolist() == [4, 3]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=5), st.integers(0, 2**64))
def test_random_split_is_a_partition(lengths: list[int], seed: int) -> None:
    assume(sum(lengths) != 1)  # would be fractions
    parts = random_split(range(sum(lengths)), lengths, generator=seed)
    assert [len(p) for p in parts] == lengths
    assert sorted(i for p in parts for i in p.indices) == list(range(sum(lengths)))
    again = random_split(range(sum(lengths)), lengths, generator=seed)
    assert [p.indices for p in again] == [p.indices for p in parts]


def test_random_split_by_fractions() -> None:
    parts = random_split(range(10), [0.3, 0.3, 0.4], generator=1)
    assert [len(p) for p in parts] == [3, 3, 4]
    assert [len(p) for p in random_split(range(11), [0.5, 0.5], generator=1)] == [6, 5]
    with pytest.raises(ValueError, match=r"\[3, 3\] do not sum to 10"):
        random_split(range(10), [3, 3])
    with pytest.raises(ValueError, match=r"fraction 0 is 1\.5"):
        random_split(range(10), [1.5, -0.5])
    with pytest.warns(UserWarning, match="part 1 is empty"):
        random_split(range(2), [0.75, 0.25], generator=np.random.default_rng(0))[:0]
