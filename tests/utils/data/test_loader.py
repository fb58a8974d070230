"""DataLoader: what it gives, whatever the workers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import _C
from rushlight.utils.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    ShardedDataset,
    Subset,
    TensorDataset,
    get_worker_info,
)
from tests.utils.data.datasets import Draws, Squares, Stream, Undivided, plain, workers

WORKERS = [("process", 1), ("process", 2), ("thread", 1), ("thread", 2)]


@pytest.mark.parametrize(("kind", "n"), [("process", 0), *WORKERS])
def test_batches_in_order(kind: str, n: int) -> None:
    loader = DataLoader(Squares(10), batch_size=4, **workers(kind, n))
    batches = list(loader)
    assert len(loader) == len(batches) == 3
    assert plain([b[0] for b in batches]) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert all(isinstance(b[1], rushlight.Tensor) for b in batches)
    assert batches[2][1].shape == (2, 3)
    assert plain(batches[1][1])[1] == [25, 25, 25]


@pytest.mark.filterwarnings("ignore:4 workers for")
@pytest.mark.parametrize(("kind", "n"), [*WORKERS, ("process", 4), ("thread", 4)])
@pytest.mark.parametrize("shuffle", [False, True])
def test_draws_do_not_depend_on_workers(kind: str, n: int, shuffle: bool) -> None:
    alone = DataLoader(Draws(11), 3, shuffle=shuffle, seed=5)
    helped = DataLoader(Draws(11), 3, shuffle=shuffle, seed=5, **workers(kind, n))
    epochs = [plain(list(alone)), plain(list(alone))]
    assert epochs == [plain(list(helped)), plain(list(helped))]
    assert epochs[0] != epochs[1]


def test_draws_are_different_for_different_samples() -> None:
    (batch,) = DataLoader(Draws(200), 200, seed=1)
    for name in ("numpy", "ours", "normal"):
        numbers = np.asarray(batch[name])
        assert len(np.unique(numbers)) == numbers.size
    uniform = np.concatenate([np.asarray(batch["numpy"]).ravel(), np.asarray(batch["python"][0])])
    assert abs(uniform.mean() - 0.5) < 4 * (1 / 12 / 600) ** 0.5
    normal = np.asarray(batch["normal"])
    assert abs(normal.mean()) < 4 / 600**0.5
    assert 0.85 < normal.std() < 1.15


def test_global_state_is_left_alone() -> None:
    def state() -> Any:
        kept = np.random.get_state(legacy=False)
        return random.getstate(), kept["state"]["key"].tolist(), kept["gauss"], _C.random_state()

    random.gauss(0, 1)
    np.random.normal()  # leaves a second number for later
    before = state()
    for kind, n in [("process", 0), ("thread", 2), ("process", 1)]:
        list(DataLoader(Draws(6), 2, **workers(kind, n)))
        list(DataLoader(Draws(6), 2, shuffle=True, seed=3, **workers(kind, n)))
        list(DataLoader(Stream(6), 2, **workers(kind, n)))
    assert state() == before
    list(DataLoader(Squares(4), shuffle=True))
    assert state()[3] != before[3]  # a shuffle draws its seed


@pytest.mark.filterwarnings("ignore:4 workers for")
@pytest.mark.parametrize("kind", ["process", "thread"])
def test_same_stream_for_any_number_of_workers(kind: str) -> None:
    for n in (0, 1, 2, 4):
        for shuffle in (False, True):
            alone = plain(list(DataLoader(Stream(23, shuffle), 4, seed=2)))
            helped = DataLoader(Stream(23, shuffle), 4, seed=2, **workers(kind, n))
            assert plain(list(helped)) == alone
            assert sorted(i for b in alone for i in b[0]) == list(range(23))


def test_drop_last_and_single_samples() -> None:
    assert plain(list(DataLoader(Squares(7), 3, drop_last=True)))[-1][0] == [3, 4, 5]
    assert plain(list(DataLoader(Stream(7), 3, drop_last=True)))[-1][0] == [3, 4, 5]
    samples = list(DataLoader(Squares(3), batch_size=None))
    assert samples[2][0] == 2
    assert isinstance(samples[2][1], rushlight.Tensor)
    assert [i for i, _ in DataLoader(Stream(3), batch_size=None, **workers("thread", 2))] == [
        0,
        1,
        2,
    ]


def test_batch_sampler_and_getitems() -> None:
    batches = BatchSampler([3, 1, 2], 2, drop_last=False)
    assert plain(list(DataLoader(Squares(5), batch_sampler=batches)))[0][0] == [3, 1]
    assert plain(list(DataLoader(Subset(Squares(9), [8, 7]), 2)))[0][0] == [8, 7]
    keyed = DataLoader({"a": 1, "b": 2}, sampler=["b", "a"], batch_size=2)
    assert plain(list(keyed)) == [[2, 1]]


def identity(batch: Any) -> Any:
    return batch


@pytest.mark.parametrize(("kind", "n"), WORKERS)
def test_custom_collate_results_come_as_they_are(kind: str, n: int) -> None:
    loader = DataLoader(Squares(4), 2, collate_fn=identity, **workers(kind, n))
    for batch in loader:
        assert type(batch) is list
        assert type(batch[0]) is tuple
        assert type(batch[0][1]) is np.ndarray
        batch[0][1][:] = 7  # writable


@pytest.mark.parametrize(("kind", "n"), [("process", 0), *WORKERS])
def test_array_kinds(kind: str, n: int) -> None:
    for arrays, expected in [("numpy", np.ndarray), ("rushlight", rushlight.Tensor)]:
        loader = DataLoader(Squares(2), 2, arrays=arrays, **workers(kind, n))
        assert [type(x) for x in next(iter(loader))] == [expected, expected]
    with pytest.raises(ValueError, match="arrays must be one of"):
        DataLoader(Squares(2), arrays="tf")


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_prefetching_beyond_the_limit_does_not_happen(kind: str) -> None:
    drawn = []

    def keys() -> Any:
        for i in range(100):
            drawn.append(i)
            yield i

    iterator = iter(DataLoader(Squares(100), sampler=keys(), **workers(kind, 2), prefetch_factor=3))
    for i in range(20):
        next(iterator)
        assert len(drawn) <= i + 1 + 2 * 3


def test_out_of_order_gives_each_batch_once() -> None:
    loader = DataLoader(Squares(60), 2, in_order=False, **workers("process", 2))
    assert sorted(i for b in loader for i in plain(b[0])) == list(range(60))


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_repeated_items_are_warned_of_once(kind: str) -> None:
    loader = DataLoader(Undivided(4), 2, **workers(kind, 2))
    with pytest.warns(UserWarning, match="2 workers iterates over the whole Undivided"):
        assert len(list(loader)) == 4
    assert len(list(loader)) == 4  # no second warning, which would be an error
    divided = DataLoader(ShardedDataset(Undivided(4)), 2, **workers(kind, 2))
    assert plain(list(divided)) == [[0, 1], [2, 3]]


def remember(worker: int) -> None:
    info = get_worker_info()
    assert info is not None
    assert info.id == worker
    info.dataset.n = 100 + worker


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_worker_info_and_init_fn(kind: str) -> None:
    loader = DataLoader(
        Lengths(4), collate_fn=identity, worker_init_fn=remember, **workers(kind, 2)
    )
    seen = [b[0] for b in loader]
    assert {s[:2] for s in seen} == {(0, 2), (1, 2)}
    if kind == "process":
        assert all(n == 100 + worker for worker, _, n in seen)
    assert get_worker_info() is None


class Lengths(Squares):
    def __getitem__(self, i: int) -> Any:
        info = get_worker_info()
        assert info is not None
        return info.id, info.num_workers, self.n

    def __len__(self) -> int:
        return 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_workers": -1}, "num_workers"),
        ({"timeout": -1}, "timeout"),
        ({"prefetch_factor": 2}, "prefetch_factor"),
        ({"num_workers": 1, "prefetch_factor": -2}, "prefetch_factor"),
        ({"persistent_workers": True}, "persistent_workers"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context"),
        ({"num_workers": 1, "multiprocessing_context": "knife"}, "multiprocessing_context"),
        ({"sampler": [0], "shuffle": True}, "sampler"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler"),
        ({"batch_size": None, "drop_last": True}, "drop_last"),
        ({"batch_size": 0}, "batch_size"),
        ({"worker_type": "goblin"}, "worker_type"),
        ({"worker_seeding": "x"}, "worker_seeding"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DataLoader(Squares(3), **arguments)


def test_other_argument_errors() -> None:
    with pytest.raises(TypeError, match="int"):
        DataLoader(Squares(3), num_workers=1, multiprocessing_context=5)
    for arguments in ({"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}):
        with pytest.raises(ValueError, match="IterableDataset"):
            DataLoader(Stream(3), **arguments)
    loader = DataLoader(Squares(3))
    with pytest.raises(ValueError, match="batch_size attribute"):
        loader.batch_size = 3
    with pytest.warns(UserWarning, match="processors"):
        DataLoader(Squares(3), num_workers=1000)
    with pytest.raises(TypeError):
        len(DataLoader(Undivided(3)))


def test_given_up_passes_count_as_epochs() -> None:
    loader = DataLoader(Squares(10), 10, shuffle=True, seed=1)
    first = plain(next(iter(loader))[0])
    assert plain(next(iter(loader))[0]) != first
    pairs = [(plain(a[0]), plain(b[0])) for a, b in zip(loader, loader, strict=True)]
    assert pairs[0][0] != pairs[0][1]


def test_samplers_follow_the_process_generator() -> None:
    _C.set_random_state(7, 0)
    first = list(RandomSampler(range(30)))
    _C.set_random_state(7, 0)
    assert list(RandomSampler(range(30))) == first
    _C.set_random_state(7, 0)
    loader = DataLoader(TensorDataset(np.arange(30)), 30, shuffle=True)
    shuffled = plain(list(loader))
    _C.set_random_state(7, 0)
    assert plain(list(loader)) == shuffled
