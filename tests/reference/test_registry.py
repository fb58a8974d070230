"""Finding operators, in-place twins, results of `call`."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight import reference
from tests.ops.cases import covered


def test_lookup_by_name() -> None:
    assert reference.lookup("aten.add.Tensor").__name__ == "add_Tensor"
    assert reference.lookup("aten.__and__.Tensor").__name__ == "__and___Tensor"
    assert reference.lookup("aten._softmax.default").__name__ == "_softmax_default"
    assert reference.lookup("_operator.mul")(3, 4) == 12
    assert reference.lookup("torch.sym_float")(3) == 3.0


def test_operators_and_lookup_are_inverse() -> None:
    names = reference.operators()
    assert len(names) == len(set(names)) > 500
    for name in names:
        function = reference.lookup(name).__name__
        assert function == name.removeprefix("aten.").replace(".", "_")


def test_overloads_with_underscores_are_listed() -> None:
    names = set(reference.operators())
    assert {"aten.div.Tensor_mode", "aten.sum.dim_IntList", "aten.arange.start_step"} <= names
    assert {"aten.index_fill.int_Scalar", "aten.flatten.using_ints"} <= names


def test_unknown_operator() -> None:
    with pytest.raises(NotImplementedError, match=r"no operator 'aten\.nonsense\.default'"):
        reference.call("aten.nonsense.default", np.zeros(2))


def test_every_case_has_a_reference_function() -> None:
    known = set(reference.operators())
    assert [operator for operator in covered() if operator not in known] == []


def test_in_place_twin_writes_into_self() -> None:
    x = np.array([-1, 2], np.float32)
    result = reference.call("aten.relu_.default", x)
    assert result is x
    assert x.tolist() == [0, 2]


def test_in_place_through_a_view() -> None:
    x = np.zeros((2, 3), np.float32)
    row = reference.call("aten.select.int", x, 0, 1)
    reference.call("aten.add_.Tensor", row, np.ones(3, np.float32), alpha=2)
    assert x.tolist() == [[0, 0, 0], [2, 2, 2]]


def test_in_place_keeps_the_dtype() -> None:
    x = np.array([1, 2], np.int32)
    reference.call("aten.copy_.default", x, np.array([2.9, -2.9]))
    assert x.dtype == np.int32
    assert x.tolist() == [2, -2]


def test_in_place_views_only_change_the_view() -> None:
    x = np.zeros((2, 3), np.float32)
    y = reference.call("aten.unsqueeze_.default", x, 0)
    assert y.shape == (1, 2, 3)
    assert np.shares_memory(x, y)


def test_in_place_cannot_grow() -> None:
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        reference.call("aten.add_.Tensor", np.zeros(1), np.zeros(3))


def test_results_stay_arrays_and_numbers_numbers() -> None:
    assert isinstance(reference.call("aten.sum.default", np.ones(3)), np.ndarray)
    assert reference.call("aten.sym_size.int", np.ones((2, 5)), 1) == 5
    assert isinstance(reference.call("aten.item.default", np.array(2.5)), float)


def test_special_values_warn_nobody() -> None:
    out = reference.call("aten.div.Tensor", np.float32([1, 0, -1]), np.float32([0, 0, 0]))
    np.testing.assert_array_equal(out, np.float32([np.inf, np.nan, -np.inf]))
