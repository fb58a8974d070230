"""`rushlight.utils.data` beside `torch.utils.data`."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.data as theirs

import rushlight.utils.data as ours
from rushlight.utils.data._utils import collate as our_collate

pytestmark = pytest.mark.oracle
PIPES = {  # DataPipes, which PyTorch no longer develops, and what belongs to them
    *("DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe", "argument_validation"),
    *("functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic"),
    *("runtime_validation", "runtime_validation_disabled"),
}


def parameters(function: Any) -> list[Any]:
    """Name, kind and default of each; a default generator is PyTorch's own."""
    return [
        (p.name, p.kind, None if isinstance(p.default, torch.Generator) else p.default)
        for p in inspect.signature(function).parameters.values()
    ]


def assert_takes_what(theirs_: Any, ours_: Any) -> None:
    expected, found = parameters(theirs_), parameters(ours_)
    assert found[: len(expected)] == expected
    assert all(kind == inspect.Parameter.KEYWORD_ONLY for _, kind, _ in found[len(expected) :])


@pytest.mark.parametrize("name", sorted(set(theirs.__all__) - PIPES - {"_DatasetKind"}))
def test_names_and_parameters(name: str) -> None:
    assert name in ours.__all__
    a, b = getattr(theirs, name), getattr(ours, name)
    assert_takes_what(a, b)
    protocol = {"__len__", "__getitem__", "__getitems__", "__iter__", "__add__"}
    for method in vars(a) if inspect.isclass(a) else ():
        if method in protocol or not method.startswith("_"):
            assert hasattr(b, method), method
            if callable(getattr(a, method)):
                assert_takes_what(getattr(a, method), getattr(b, method))


def test_what_is_absent_says_why() -> None:
    for name in PIPES - set(dir(ours)):
        with pytest.raises(AttributeError, match=name):
            getattr(ours, name)
    with pytest.raises(AttributeError, match="IterableDataset with shard"):
        ours.IterDataPipe  # noqa: B018


def test_the_other_places_of_the_names() -> None:
    import torch.utils.data.dataloader as their_module

    import rushlight.utils.data.dataloader as our_module

    assert our_module.__all__ == sorted(their_module.__all__)
    assert our_module.DataLoader is ours.DataLoader


def test_collate_names() -> None:
    from torch.utils.data._utils import collate

    for name in dir(collate):
        if "collate" in name or name == "default_convert":
            assert hasattr(our_collate, name), name
    assert our_collate.default_collate_err_msg_format == collate.default_collate_err_msg_format


SAMPLES: list[Any] = [
    [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])],
    [(torch.ones(2), 3), (torch.zeros(2), 4)],
    [{"a": torch.ones(2, dtype=torch.bfloat16), "b": "x"}] * 3,
    [[torch.tensor(1), 2.5, True], [torch.tensor(2), 3.5, False]],
    [(torch.ones(1), np.float32(2), np.arange(3))] * 2,
    [{"n": {"t": torch.arange(3), "s": b"x"}}] * 2,
]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@pytest.mark.parametrize("samples", SAMPLES, ids=str)
def test_collating_pytorch_samples(samples: Any) -> None:
    assert same(theirs.default_collate(samples), ours.default_collate(samples))
    for kind in ({}, {"num_workers": 2, "worker_type": "thread"}, {"num_workers": 2}):
        mine = list(ours.DataLoader(samples, 2, **kind))  # type: ignore[arg-type]
        expected = list(theirs.DataLoader(samples, 2))
        assert len(mine) == len(expected)
        assert all(map(same, expected, mine))


@pytest.mark.parametrize("replacement", [False, True])
def test_a_pytorch_generator_gives_pytorchs_order(replacement: bool) -> None:
    def generator() -> Any:
        return torch.Generator().manual_seed(3)

    pairs = [
        (
            lib.RandomSampler(range(70), replacement, generator=generator())
            for lib in (theirs, ours)
        ),
        (lib.SubsetRandomSampler([5, 6, 7, 8], generator=generator()) for lib in (theirs, ours)),
        (
            lib.WeightedRandomSampler([1, 2, 3], 3, replacement, generator=generator())
            for lib in (theirs, ours)
        ),
    ]
    for a, b in pairs:
        assert list(a) == list(b)
    x, y = (lib.random_split(range(9), [4, 5], generator=generator()) for lib in (theirs, ours))
    assert [list(p.indices) for p in x] == [list(p.indices) for p in y]
    data = torch.arange(20)
    loaders = [
        lib.DataLoader(lib.TensorDataset(data), 4, shuffle=True, generator=generator())
        for lib in (theirs, ours)
    ]
    for _ in range(2):
        assert same(list(loaders[0]), list(loaders[1]))


class TorchDataset(theirs.Dataset[Any]):
    def __len__(self) -> int:
        return 9

    def __getitem__(self, i: int) -> Any:
        info = theirs.get_worker_info()
        return torch.full((2,), i), torch.rand(2), torch.empty(1).normal_(), -1 if not info else 0


@pytest.mark.parametrize(("kind", "n"), [("process", 1), ("process", 2), ("thread", 2)])
def test_draws_of_pytorch_do_not_depend_on_workers(kind: Any, n: int) -> None:
    before = torch.get_rng_state()
    alone = [b[:3] for b in ours.DataLoader(TorchDataset(), 2, seed=1)]
    loader = ours.DataLoader(TorchDataset(), 2, seed=1, num_workers=n, worker_type=kind)
    helped = list(loader)
    assert same(alone, [b[:3] for b in helped])
    assert all((b[3] == 0).all() for b in helped)  # PyTorch's get_worker_info answers
    assert torch.equal(torch.get_rng_state(), before)


class TorchStream(theirs.IterableDataset[Any]):
    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def __iter__(self) -> Iterator[int]:  # the example in PyTorch's documentation
        info = theirs.get_worker_info()
        first, last = self.start, self.end
        if info is not None:
            per_worker = -(-(self.end - self.start) // info.num_workers)
            first = self.start + info.id * per_worker
            last = min(first + per_worker, self.end)
        return iter(range(first, last))


@pytest.mark.parametrize("workers", [0, 2])
def test_pytorchs_iterable_example(workers: int) -> None:
    for lib in (theirs, ours):
        numbers = list(lib.DataLoader(TorchStream(3, 7), num_workers=workers))  # type: ignore[attr-defined]
        flat = [int(b.tolist()[0]) for b in numbers]
        assert flat == ([3, 4, 5, 6] if workers == 0 else [3, 5, 4, 6])


class SimpleCustomBatch:  # the memory pinning example in PyTorch's documentation
    def __init__(self, data: Any) -> None:
        transposed_data = list(zip(*data, strict=True))
        self.inp = torch.stack(transposed_data[0], 0)
        self.tgt = torch.stack(transposed_data[1], 0)

    def pin_memory(self) -> SimpleCustomBatch:
        self.inp = self.inp.pin_memory()
        return self


def test_pytorchs_custom_batch_example() -> None:
    inps = torch.arange(10 * 5, dtype=torch.float32).view(10, 5)
    tgts = torch.arange(10 * 5, dtype=torch.float32).view(10, 5)
    dataset = ours.TensorDataset(inps, tgts)
    loader = ours.DataLoader(
        dataset, batch_size=2, collate_fn=SimpleCustomBatch, pin_memory=True, num_workers=1
    )
    batches = list(loader)
    assert len(batches) == 5
    assert torch.equal(batches[1].inp, inps[2:4])


def test_pytorchs_other_examples() -> None:
    assert list(ours.BatchSampler(ours.SequentialSampler(range(10)), 3, False))[-1] == [9]
    for split in (theirs.random_split, ours.random_split):
        parts = split(range(30), [0.3, 0.3, 0.4], generator=torch.Generator().manual_seed(42))
        assert [len(p) for p in parts] == [9, 9, 12]
    a = ours.StackDataset(image=range(3), text=["a", "b", "c"])
    assert a[1] == theirs.StackDataset(image=range(3), text=["a", "b", "c"])[1]


class Seeds(theirs.Dataset[Any]):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> Any:
        return torch.randint(1000, ()), random.randrange(1000), np.random.randint(1000)


@pytest.mark.parametrize("workers", [1, 2])
def test_pytorchs_seeding_scheme(workers: int) -> None:
    def generator() -> Any:
        return torch.Generator().manual_seed(11)

    a = theirs.DataLoader(Seeds(), 2, num_workers=workers, generator=generator())
    b = ours.DataLoader(
        Seeds(),
        2,
        num_workers=workers,
        generator=generator(),
        worker_seeding="torch",
        prefetch_factor=2,
    )
    got, expected = list(b), list(a)
    assert same(expected, got)


def test_resume_with_a_pytorch_generator() -> None:
    def make() -> Any:
        return ours.DataLoader(
            list(range(12)), 2, shuffle=True, generator=torch.Generator().manual_seed(1)
        )

    loader = make()
    iterator = iter(loader)
    next(iterator)
    state = json.loads(json.dumps(loader.state_dict()))
    expected = [b.tolist() for b in iterator] + [b.tolist() for b in loader]
    again = make()
    again.generator.manual_seed(99)
    again.load_state_dict(state)
    assert [b.tolist() for _ in range(2) for b in again] == expected
