"""Samplers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def test_sequential() -> None:
    sampler = SequentialSampler("abc")
    assert list(sampler) == [0, 1, 2]
    assert len(sampler) == 3
    with pytest.raises(NotImplementedError):
        iter(Sampler())


def test_random_is_a_permutation_that_changes() -> None:
    sampler = RandomSampler(range(50), generator=3)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second


def test_random_counts() -> None:
    assert sorted(list(RandomSampler(range(5), num_samples=12))[:10]) == sorted([*range(5)] * 2)
    drawn = list(RandomSampler(range(5), replacement=True, num_samples=100, generator=0))
    assert len(drawn) == 100
    assert set(drawn) == set(range(5))


@pytest.mark.parametrize("count", [0, -1, 2.5, True])
def test_counts_are_positive(count: Any) -> None:
    with pytest.raises(ValueError, match="positive integer"):
        RandomSampler(range(3), num_samples=count)
    with pytest.raises(ValueError, match="positive integer"):
        WeightedRandomSampler([1.0], count)
    with pytest.raises(ValueError, match="positive integer"):
        BatchSampler(range(3), count, drop_last=False)


def test_generator_types() -> None:
    with pytest.raises(TypeError, match="not str"):
        list(RandomSampler(range(3), generator="x"))
    a = list(RandomSampler(range(20), generator=np.random.default_rng(1)))
    assert a == list(RandomSampler(range(20), generator=1))


class Seeded:
    """A generator as rushlight's and PyTorch's are."""

    def __init__(self) -> None:
        self.number = 5

    def initial_seed(self) -> int:
        return self.number

    def manual_seed(self, seed: int) -> None:
        self.number = seed


def test_generators_with_a_seed() -> None:
    generator = Seeded()
    sampler = RandomSampler(range(30), generator=generator)
    first, second = list(sampler), list(sampler)
    assert first != second
    generator.manual_seed(5)
    assert [list(sampler), list(sampler)] == [first, second]


def test_subset_random() -> None:
    assert sorted(SubsetRandomSampler(["a", "b", "c"])) == ["a", "b", "c"]


def test_weighted() -> None:
    drawn = list(WeightedRandomSampler([0, 1, 3], 4000, generator=0))
    counts = np.bincount(drawn, minlength=3)
    assert counts[0] == 0
    assert 2.6 < counts[2] / counts[1] < 3.4  # about 4 standard deviations
    apart = list(WeightedRandomSampler([0, 1, 3], 2, replacement=False, generator=0))
    assert sorted(apart) == [1, 2]
    first = [
        next(iter(WeightedRandomSampler([1, 3], 1, replacement=False, generator=i)))
        for i in range(1000)
    ]
    assert 680 < sum(first) < 820  # 750 expected, standard deviation 14


@pytest.mark.parametrize("weights", [[[1.0]], [-1.0, 2.0], [0.0], [float("nan")], [float("inf")]])
def test_bad_weights(weights: Any) -> None:
    with pytest.raises(ValueError, match="weights"):
        WeightedRandomSampler(weights, 1)
    with pytest.raises(ValueError, match="2 different keys of 1"):
        WeightedRandomSampler([0.0, 1.0], 2, replacement=False)


@given(st.integers(0, 50), st.integers(1, 10), st.booleans())
def test_batches_hold_the_sampler_in_order(n: int, size: int, drop: bool) -> None:
    batches = list(BatchSampler(range(n), size, drop))
    assert [i for b in batches for i in b] == list(range(n - n % size if drop else n))
    assert len(batches) == len(BatchSampler(range(n), size, drop))
    assert all(len(b) == size for b in batches[:-1])


@given(st.integers(1, 30), st.integers(1, 5), st.sampled_from(["pad", "drop", "exact"]))
def test_ranks_share_the_dataset(n: int, ranks: int, uneven: Any) -> None:
    samplers = [DistributedSampler(range(n), ranks, r, uneven=uneven) for r in range(ranks)]
    shares = [list(s) for s in samplers]
    assert [len(s) for s in shares] == [len(s) for s in samplers]
    everything = sorted(i for share in shares for i in share)
    if uneven == "exact":
        assert everything == list(range(n))
    else:
        assert len({len(s) for s in shares}) == 1
        assert set(everything) == set(range(n)) or uneven == "drop"
        assert len(set(everything)) == len(everything) or uneven == "pad"


def test_epochs_of_a_distributed_sampler() -> None:
    sampler = DistributedSampler(range(20), 2, 0)
    first = list(sampler)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first
    assert list(DistributedSampler(range(6), 3, 1, shuffle=False)) == [1, 4]
    with pytest.raises(ValueError, match="rank 2"):
        DistributedSampler(range(6), 2, 2)


def test_ranks_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(RuntimeError, match="WORLD_SIZE"):
        DistributedSampler(range(4))
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", "3")
    assert list(DistributedSampler(range(8), shuffle=False)) == [3, 7]
