"""What a tensor is: operators, memory, copies, pickles, conversions."""

from __future__ import annotations

import copy
import operator
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as rl

BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq)


@pytest.mark.parametrize("op", BINARY, ids=lambda f: f.__name__)
@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(1, 50))
def test_operators(op: Callable[[Any, Any], Any], values: list[int], number: int) -> None:
    a = np.array(values, np.float64)
    x = rl.tensor(a)
    np.testing.assert_allclose(op(x, x).numpy(), op(a, a))
    np.testing.assert_allclose(op(x, number).numpy(), op(a, number))
    np.testing.assert_allclose(op(number, x).numpy(), op(number, a), rtol=1e-15)


def test_integer_operators() -> None:
    x = rl.tensor([7, -7])
    assert (x // 2).tolist() == [3, -4]
    assert (x % 3).tolist() == [1, 2]
    assert (x << 1).tolist() == [14, -14]
    assert (x & 3).tolist() == [3, 1]
    assert (~x).tolist() == [-8, 6]
    assert (15 // rl.tensor([2.0])).tolist() == [7]
    assert (17 % rl.tensor([5])).tolist() == [2]
    assert (rl.eye(2) @ rl.tensor([1.0, 2.0])).tolist() == [1, 2]
    assert abs(-x).tolist() == [7, 7]
    assert (+x) is x


def test_in_place_operators_keep_the_object() -> None:
    x = rl.tensor([1.0, 2.0])
    same, row = x, x[:1]
    x += 1
    x *= x
    x **= 2
    assert x is same
    assert x.tolist() == [16, 81]
    assert row.tolist() == [16]
    with pytest.raises(RuntimeError, match="can't be cast"):
        rl.tensor([1]).add_(0.5)


def test_comparison_with_other_objects() -> None:
    x = rl.tensor([1.0])
    assert (x == None) is False  # noqa: E711
    assert x != "a"
    assert len({x, x, rl.tensor([1.0])}) == 2


def test_python_protocols() -> None:
    x = rl.tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert len(x) == 2
    assert 3 in x
    assert 5 not in x
    assert [r.tolist() for r in reversed(x)] == [[3, 4], [1, 2]]
    assert f"{rl.tensor(1.5):.2f}" == "1.50"
    with pytest.raises(TypeError, match="0-d"):
        iter(rl.tensor(1))
    assert weakref.ref(x)() is x
    x.note = "kept"  # type: ignore[attr-defined]
    assert x.note == "kept"  # type: ignore[attr-defined]


def test_size_is_a_tuple() -> None:
    shape = rl.zeros(2, 3).shape
    assert shape == (2, 3)
    assert isinstance(shape, tuple)
    assert shape.numel() == 6
    assert isinstance(shape[:1], rl.Size)
    assert isinstance(shape + (1,), rl.Size)  # noqa: RUF005 - the operator is what is tested
    assert repr(shape) == "rushlight.Size([2, 3])"
    assert pickle.loads(pickle.dumps(shape)) == shape


def test_tensor_from_data() -> None:
    assert rl.tensor([]).dtype == rl.float32
    assert rl.tensor([]).shape == (0,)
    assert rl.tensor([[]]).shape == (1, 0)
    assert rl.tensor([1, 2.5]).dtype == rl.float32
    assert rl.tensor([True, 2]).dtype == rl.int64
    assert rl.tensor(1j).dtype == rl.complex64
    assert rl.tensor([np.float32(1), rl.tensor(2.0)]).tolist() == [1, 2]
    array = np.arange(3)
    copied = rl.tensor(array)
    array[0] = 9
    assert copied.tolist() == [0, 1, 2]
    assert rl.as_tensor(array).data_ptr() == array.__array_interface__["data"][0]
    with pytest.raises(ValueError, match="expected sequence of length 2 at dim 1 \\(got 1\\)"):
        rl.tensor([[1, 2], [3]])
    with pytest.raises(TypeError):
        rl.tensor([1, "a"])
    with pytest.raises(TypeError):
        rl.tensor([1, [2]])
    with pytest.raises((TypeError, ValueError)):
        rl.tensor([[1], 2])


def test_a_list_that_holds_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="too many dimensions"):
        rl.tensor(loop)


def test_default_dtype() -> None:
    try:
        rl.set_default_dtype(rl.float64)
        assert rl.tensor(1.5).dtype == rl.float64
        assert rl.zeros(1).dtype == rl.float64
        assert (rl.tensor([1]) + 0.5).dtype == rl.float64
    finally:
        rl.set_default_dtype(rl.float32)
    with pytest.raises(TypeError, match="floating-point"):
        rl.set_default_dtype(rl.int64)


def test_to() -> None:
    x = rl.tensor([1.5])
    assert x.to(rl.float32) is x
    assert x.to("cpu", rl.float64).dtype == rl.float64
    assert x.to(rl.tensor([1])).tolist() == [1]
    assert x.to(rl.float32, copy=True).data_ptr() != x.data_ptr()
    assert x.long().dtype == rl.int64
    assert x.type() == "rushlight.FloatTensor"
    assert x.type(rl.int32).dtype == rl.int32


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    x = rl.arange(6, dtype=rl.float32).reshape(2, 3).T
    y = pickle.loads(pickle.dumps(x, protocol))
    assert y.tolist() == x.tolist()
    assert y.dtype == x.dtype
    found = pickle.loads(pickle.dumps(x.max(0), protocol))
    assert found.values.tolist() == [2, 5]


def test_copies() -> None:
    x = rl.arange(4)
    half = x[:2]
    shallow = copy.copy(x)
    both = copy.deepcopy([x, half])
    x[0] = 9
    assert shallow.tolist() == [9, 1, 2, 3]
    assert both[0].tolist() == [0, 1, 2, 3]
    both[0][1] = 7
    assert both[1].tolist() == [0, 7]  # copies of tensors that share still share


def test_resize_and_set() -> None:
    x = rl.arange(4)
    assert x.resize_(2, 1).tolist() == [[0], [1]]
    assert x.resize_(4).tolist() == [0, 1, 2, 3]
    x.resize_(10)
    assert x[:4].tolist() == [0, 1, 2, 3]
    y = rl.zeros(2)
    x.set_(y)
    assert x.is_set_to(y)


def test_random_state() -> None:
    rl.manual_seed(3)
    a = rl.rand(4)
    state = rl.get_rng_state()
    b = rl.randn(4)
    rl.set_rng_state(state)
    assert rl.randn(4).tolist() == b.tolist()
    rl.manual_seed(3)
    assert rl.rand(4).tolist() == a.tolist()
    g = rl.Generator().manual_seed(5)
    before = rl.get_rng_state().tolist()
    c = rl.rand(3, generator=g)
    assert rl.get_rng_state().tolist() == before
    assert rl.rand(3, generator=rl.Generator().manual_seed(5)).tolist() == c.tolist()
    with pytest.raises(RuntimeError, match="16 elements"):
        rl.set_rng_state(rl.zeros(3, dtype=rl.uint8))


def test_numpy_and_array_protocols() -> None:
    x = rl.arange(3, dtype=rl.float32)
    x.numpy()[0] = 5
    assert x[0].item() == 5
    assert np.asarray(x).base is not None
    assert np.add(x, 1).tolist() == [6, 2, 3]
    with pytest.raises(TypeError):
        np.zeros(3, np.float32) + x  # as in PyTorch: convert one of them
