"""How calls find their overload, and what they say when there is none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.nn import functional as F  # noqa: N812


def test_names_of_arguments() -> None:
    x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert rl.sum(input=x, dim=1).tolist() == [3, 7]
    assert rl.sum(x, axis=1, keepdims=True).tolist() == [[3], [7]]
    assert rl.add(x, other=x, alpha=2).tolist() == [[3, 6], [9, 12]]
    assert x.sum((0, 1)).item() == 10
    assert rl.zeros(2, 3).shape == rl.zeros((2, 3)).shape == rl.zeros(size=[2, 3]).shape
    assert x.view(4).shape == x.view([4]).shape == x.reshape(-1).shape
    assert x.permute(1, 0).tolist() == x.permute((1, 0)).tolist() == x.T.tolist()


def test_overload_by_type() -> None:
    x = rl.tensor([[3.0, 1.0], [2.0, 4.0]])
    assert x.max().item() == 4
    found = x.max(1)
    assert found.values.tolist() == [3, 4]
    assert found.indices.tolist() == [0, 1]
    assert x.max(rl.tensor(2.5)).tolist() == [[3, 2.5], [2.5, 4]]
    assert rl.where(x > 2, x, 0).tolist() == [[3, 0], [0, 4]]
    assert rl.arange(1, 5, 2).tolist() == [1, 3]
    assert rl.std(x, 0, keepdim=True).shape == (1, 2)


def test_numbers_for_tensors() -> None:
    x = rl.tensor([1, 2])
    assert rl.add(2, x).tolist() == [3, 4]
    assert (2 - x).tolist() == [1, 0]
    assert (2**x).tolist() == [2, 4]
    assert (x * 1.5).dtype == rl.float32
    assert (x * True).dtype == rl.int64
    assert (rl.tensor([1], dtype=rl.int32) + rl.tensor(1)).dtype == rl.int32
    assert (x + np.float64(0.5)).dtype == rl.float32
    with pytest.raises(TypeError):
        rl.maximum(x, 2)


def test_out() -> None:
    x = rl.tensor([1.0, 2.0])
    out = rl.empty(0)
    assert rl.add(x, 1, out=out) is out
    assert out.tolist() == [2, 3]
    wrong = rl.empty(3)
    with pytest.warns(UserWarning, match="resized since it had shape"):
        rl.add(x, 1, out=wrong)
    assert wrong.tolist() == [2, 3]
    with pytest.raises(RuntimeError, match="can't be cast"):
        rl.add(x, 1, out=rl.empty(2, dtype=rl.int64))
    values, indices = rl.empty(0), rl.empty(0, dtype=rl.int64)
    rl.max(rl.tensor([[1.0, 5.0]]), 1, out=(values, indices))
    assert (values.item(), indices.item()) == (5, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rl.relu(3), r"relu\(\): argument 'input' \(position 1\) must be Tensor, not int"),
        (lambda: rl.zeros(2).abs(1), r"abs\(\) takes 0 positional arguments but 1 was given"),
        (rl.relu, r"relu\(\) missing 1 required positional argument: \"input\""),
        (lambda: rl.relu(rl.ones(1), b=1), r"unexpected keyword argument 'b'"),
        (
            lambda: rl.add(rl.ones(1), "a"),
            r"add\(\) received an invalid combination of arguments - got \(Tensor, str\)",
        ),
        (lambda: rl.ones(1) + "a", "unsupported operand type"),
    ],
)
def test_type_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_devices() -> None:
    x = rl.zeros(1, device="cpu")
    assert x.device == rl.device("cpu")
    assert repr(rl.device("cpu:0")) == "device(type='cpu', index=0)"
    with pytest.raises(RuntimeError, match="'cuda:1'"):
        rl.zeros(1, device="cuda:1")
    with pytest.raises(RuntimeError, match="Invalid device string"):
        rl.device("cpu:x")


def test_functions_describe_themselves() -> None:
    assert "Tensor other, *, Number alpha = 1" in (rl.add.__doc__ or "")
    assert rl.add.__name__ == "add"
    assert "function add" in repr(rl.add)
    assert inspect.ismethod(rl.zeros(1).add)


def test_every_function_of_functional_has_its_name() -> None:
    assert all(callable(getattr(F, name)) for name in F.__all__)
    assert len(F.__all__) == len(set(F.__all__))
