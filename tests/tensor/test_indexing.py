"""x[index] and x[index] = value against NumPy, and against the memory they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as rl

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@st.composite
def indexed(draw: st.DrawFn, basic: bool) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """A shape and an index that fits it; arrays of one shape for the gathering positions."""
    shape = draw(SHAPES)
    items: list[Any] = []
    used = draw(st.integers(0, len(shape)))
    together = draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    for size in shape[:used]:
        kind = draw(st.sampled_from(["int", "slice"] if basic else ["int", "slice", "array"]))
        if kind == "int":
            items.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            ends = st.one_of(st.none(), st.integers(-size - 1, size + 1))
            items.append(slice(draw(ends), draw(ends), draw(st.integers(1, 3))))
        else:
            count = int(np.prod(together))
            values = draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
            items.append(np.array(values, np.int64).reshape(together))
        if draw(st.booleans()) and basic:
            items.append(None)
    if used < len(shape) and draw(st.booleans()):
        items.append(Ellipsis)
    return shape, tuple(items)


def counted(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def as_ours(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(rl.from_numpy(i) if isinstance(i, np.ndarray) else i for i in index)


def ambiguous(index: tuple[Any, ...]) -> bool:
    """NumPy counts ints among arrays as arrays; PyTorch takes them out first."""
    return any(isinstance(i, np.ndarray) for i in index) and any(isinstance(i, int) for i in index)


@settings(max_examples=150, deadline=None)
@given(indexed(basic=True))
def test_basic_index_is_a_view(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, index = case
    array = counted(shape)
    x = rl.from_numpy(array)
    view = x[index]
    # an index of ints alone gives a copy in NumPy, a view with an ellipsis
    expected = array[index if any(i is ... for i in index) else (*index, ...)]
    assert tuple(view.shape) == expected.shape
    np.testing.assert_array_equal(view.numpy(), expected)
    view.add_(100)  # the view shares: the array it came from changes
    np.testing.assert_array_equal(expected, view.numpy())


@settings(max_examples=150, deadline=None)
@given(indexed(basic=False))
def test_gather_and_write(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, index = case
    if ambiguous(index):
        return
    array = counted(shape)
    x = rl.tensor(array)
    ours = as_ours(index)
    np.testing.assert_array_equal(x[ours].numpy(), array[index])
    x[ours] = -1
    array[index] = -1
    np.testing.assert_array_equal(x.numpy(), array)


def test_masks() -> None:
    array = counted((3, 4))
    x = rl.tensor(array)
    np.testing.assert_array_equal(x[x > 5].numpy(), array[array > 5])
    rows = rl.tensor([True, False, True])
    np.testing.assert_array_equal(x[rows, 1].numpy(), array[[True, False, True], 1])
    x[x > 5] = rl.zeros(6)
    array[array > 5] = 0
    np.testing.assert_array_equal(x.numpy(), array)
    with pytest.raises(IndexError, match="shape of the mask"):
        x[rl.tensor([True, False])]


def test_flags_lists_and_tensors_as_ints() -> None:
    x = rl.arange(6).reshape(2, 3)
    assert x[True].shape == (1, 2, 3)
    assert x[False].shape == (0, 2, 3)
    assert x[[1, 0]].tolist() == [[3, 4, 5], [0, 1, 2]]
    assert x[rl.tensor(1), rl.tensor(2)].item() == 5
    assert x[np.int64(1)].tolist() == [3, 4, 5]
    assert x[rl.tensor(0) : rl.tensor(1)].tolist() == [[0, 1, 2]]


def test_writes_broadcast_and_convert() -> None:
    x = rl.zeros(2, 3)
    x[:, 1] = rl.tensor([1, 2])
    x[0] = rl.tensor([[7.0, 8.0, 9.0]])
    assert x.tolist() == [[7, 8, 9], [0, 2, 0]]
    x[1:] = x[:1]
    assert x.tolist() == [[7, 8, 9], [7, 8, 9]]


def test_writes_that_depend_on_their_order_are_refused() -> None:
    x = rl.arange(6)
    with pytest.raises(RuntimeError, match="some elements of the input tensor"):
        x[1:] = x[:-1]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x[:1].expand(3).add_(1)
    x[:1].expand(3).fill_(7)
    x[:] = x
    assert x.tolist() == [7, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        ((..., ...), IndexError, "single ellipsis"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        ("a", IndexError, "only integers, slices"),
        (1.5, IndexError, "only integers, slices"),
    ],
)
def test_errors(index: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rl.zeros(2, 3)[index]


def test_read_only_memory_is_not_written() -> None:
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    x = rl.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x[0] = 1
    assert array.tolist() == [0, 0, 0]
