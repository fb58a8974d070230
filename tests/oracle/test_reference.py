"""The reference interpreter against PyTorch: values, dtypes and shapes of every operator."""

from __future__ import annotations

import pytest

from rushlight import reference
from tests.ops.cases import cases, covered
from tests.ops.closeness import describe_case, results_of
from tests.oracle.compare import assert_same, call_torch

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("operator", covered())
def test_operator(operator: str) -> None:
    count = 0
    for args, kwargs in cases(operator):
        where = describe_case(operator, args, kwargs)
        expected = results_of(operator, call_torch(operator, args, kwargs))
        actual = results_of(operator, reference.call(operator, *args, **kwargs))
        assert len(actual) == len(expected), where
        for i, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
            if hasattr(theirs, "dtype"):
                assert_same(ours, theirs, f"{where} result {i}")
            else:
                assert ours == theirs, where
        count += 1
    assert count > 0


def test_every_operator_exists() -> None:
    """Names follow PyTorch's."""
    import torch

    for operator in reference.operators():
        if operator.startswith("aten."):
            _, name, overload = operator.split(".")
            assert hasattr(getattr(torch.ops.aten, name), overload), operator
