"""PyTorch's tensors through rushlight.multiprocessing, and the names of torch.multiprocessing."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
import torch
import torch.multiprocessing as theirs

import rushlight.multiprocessing as ours
from rushlight.multiprocessing import reductions
from rushlight.multiprocessing.pickling import ArrayPickler

pytestmark = pytest.mark.oracle


def send(message: Any) -> Any:
    return pickle.loads(ArrayPickler.dumps(message))


def test_every_public_name_with_its_parameters() -> None:
    for name in [*theirs.__all__, "spawn", "start_processes", "ProcessContext", "SpawnContext"]:
        mine = getattr(ours, name)
        theirs_ = getattr(theirs, name)
        if inspect.isfunction(theirs_) and inspect.isfunction(mine):
            assert list(inspect.signature(mine).parameters) == list(
                inspect.signature(theirs_).parameters
            ), name
    assert ours.get_all_sharing_strategies() == theirs.get_all_sharing_strategies()


ABSENT = {"rebuild_cuda_tensor", "reduce_event", "rebuild_event"} | {
    "reduce_nested_tensor",
    "rebuild_nested_tensor",
}


def test_every_reduction_or_why_there_is_none() -> None:
    from torch.multiprocessing import reductions as their_reductions

    for name, function in vars(their_reductions).items():
        if getattr(function, "__module__", "") != their_reductions.__name__ or name[0] == "_":
            continue
        if name in ABSENT:
            with pytest.raises(AttributeError, match=f"{name}.*: (arrays|rushlight)"):
                getattr(reductions, name)
            continue
        mine = getattr(reductions, name)
        if inspect.isfunction(function):
            expected = list(inspect.signature(function).parameters)
            assert len(inspect.signature(mine).parameters) == len(expected), name
        else:
            methods = {m for m in vars(function) if not m.startswith("_")}
            assert methods <= set(dir(mine)), name


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors_go_pytorchs_way(layout: Any) -> None:
    parts = [torch.ones(2), torch.zeros(3)]
    received = send({"nested": torch.nested.nested_tensor(parts, layout=layout)})
    for part, expected in zip(received["nested"].unbind(), parts, strict=True):
        assert torch.equal(part, expected)


@pytest.mark.parametrize("size", [50, 100_000])
def test_values_layout_and_views(size: int) -> None:
    base = torch.arange(float(size * 2)).reshape(size, 2)
    message = {
        "base": base,
        "column": base[:, 1],
        "transposed": base.t(),
        "half": base.bfloat16(),
        "parameter": torch.nn.Parameter(torch.ones(3)),
        "leaf": torch.ones(2, requires_grad=True),
        "empty": torch.empty(0, 4),
        "complex": torch.ones(3, dtype=torch.complex64),
        "scalar": torch.tensor(7),
    }
    received = send(message)
    for name, tensor in message.items():
        assert torch.equal(received[name], tensor), name
        assert received[name].stride() == tensor.stride()
        assert received[name].requires_grad == tensor.requires_grad
        assert type(received[name]) is type(tensor)
    received["base"][3, 1] = -1
    assert received["column"][3] == -1
    assert received["transposed"][1, 3] == -1
    assert base[3, 1] == 7
    storages = {received[name].untyped_storage().data_ptr() for name in ("base", "column")}
    assert len(storages) == 1


def test_received_tensors_are_sent_on_without_a_copy() -> None:
    first = send(torch.zeros(100_000))
    second = send(first[10:])
    second[0] = 5
    assert first[10] == 5


def test_tensors_that_pytorch_shares_go_its_way() -> None:
    tensor = torch.zeros(10).share_memory_()
    context = ours.get_context("fork")
    queue, done = context.Queue(), context.Queue()
    child = context.Process(target=_fill, args=(queue, done))
    child.start()
    queue.put(tensor)
    assert done.get(timeout=60)
    child.join()
    assert tensor.tolist() == [1.0] * 10


def _fill(queue: Any, done: Any) -> None:
    queue.get().fill_(1)
    done.put(True)


def test_gradients_do_not_cross() -> None:
    with pytest.raises(RuntimeError, match="not a leaf"):
        send(torch.ones(3, requires_grad=True) * 2)


def test_sparse_tensors_go_pytorchs_way() -> None:
    with torch.sparse.check_sparse_tensor_invariants():
        assert torch.equal(send(torch.eye(3).to_sparse()).to_dense(), torch.eye(3))


def test_a_module_and_a_mixed_message() -> None:
    module = torch.nn.Linear(200, 100)
    received, array = send([module, np.ones(3)])
    assert torch.equal(received.weight, module.weight)
    assert array.sum() == 3
