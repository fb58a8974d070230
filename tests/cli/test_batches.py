"""How a set of samples is split, in all its cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.cli.batches import join, split
from rushlight.cli.errors import UsageError
from rushlight.cli.inputs import ProgramInput
from rushlight.export import ValueRange


def tensor(name: str, *shape: int | str) -> ProgramInput:
    return ProgramInput(name, name, "", rushlight.float32, shape, (), "Tensor", None)


def sizes(inputs: list[ProgramInput], values: list[Any], **options: Any) -> list[int]:
    ranges = {"s0": ValueRange(2, 10)}
    return [b.size - b.padding for b in split(inputs, values, ranges, **options)]


@pytest.mark.parametrize(
    ("total", "batch", "expected"),
    [
        (10, None, [10]),
        (11, None, [5, 6]),
        (25, None, [8, 8, 9]),
        (10, 4, [3, 3, 4]),
        (1, None, [1]),  # too few: the engine says so
    ],
)
def test_symbolic_number(total: int, batch: int | None, expected: list[int]) -> None:
    assert sizes([tensor("x", "s0", 3)], [np.zeros((total, 3))], batch=batch) == expected


def test_only_inputs_of_the_same_dimension_are_cut() -> None:
    inputs = [tensor("x", "s0", 3), tensor("table", 20, 3), tensor("y", "s0")]
    values = [np.arange(60).reshape(20, 3), np.zeros((20, 3)), np.arange(20)]
    first, second = split(inputs, values, {"s0": ValueRange(1, 10)})
    assert [v.shape for v in first.values] == [(10, 3), (20, 3), (10,)]
    assert np.array_equal(second.values[2], np.arange(10, 20))


def test_fixed_number_is_filled_up() -> None:
    batches = split([tensor("x", 4)], [np.arange(6)], {})
    assert [b.padding for b in batches] == [0, 2]
    assert batches[1].values[0].tolist() == [4, 5, 5, 5]
    outputs = [[b.values[0] * 2] for b in batches]
    (joined,) = join(batches, outputs)
    assert joined is not None
    assert joined.tolist() == [0, 2, 4, 6, 8, 10]


def test_tensors_of_ours_are_cut_too() -> None:
    x = rushlight.Tensor(np.arange(6, dtype=np.float32))
    batches = split([tensor("x", 4)], [x], {})
    assert [b.values[0].tolist() for b in batches] == [[0, 1, 2, 3], [4, 5, 5, 5]]


def test_outputs_without_a_dimension_of_samples_cannot_be_joined() -> None:
    batches = split([tensor("x", "s0")], [np.zeros(20)], {"s0": ValueRange(1, 10)})
    assert join(batches, [[np.zeros(10), np.zeros(3)], [np.zeros(10), np.zeros(3)]])[1] is None
    assert join(batches[:1], [[np.zeros(3)]])[0] is not None


def test_limits() -> None:
    with pytest.raises(UsageError, match="takes 2 to 10 samples, not 11"):
        sizes([tensor("x", "s0")], [np.zeros(5)], batch=11)
    with pytest.raises(UsageError, match="no tensor with a dimension of samples"):
        sizes([], [], batch=1)
    assert sizes([], []) == [1]
