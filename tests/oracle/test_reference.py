"""The reference interpreter against PyTorch: values, dtypes and shapes of every operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight import reference
from tests.oracle.compare import assert_same, call_torch, flat
from tests.ops.cases import cases, covered

pytestmark = pytest.mark.oracle


def describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{reference.dtype_of(value)}{list(value.shape)}"
    if isinstance(value, list):
        return f"[{', '.join(map(describe, value))}]"
    return repr(value)


# results of PyTorch that serve its gradients only
IGNORED: dict[str, set[int]] = {}


@pytest.mark.parametrize("operator", covered())
def test_operator(operator: str) -> None:
    count = 0
    for args, kwargs in cases(operator):
        named = ", ".join(f"{name}={describe(value)}" for name, value in kwargs.items())
        where = f"{operator}({', '.join(map(describe, args))}, {named})"
        expected = flat(call_torch(operator, args, kwargs))
        try:
            actual = flat(reference.call(operator, *args, **kwargs))
        except Exception as error:
            raise AssertionError(f"{where}: {error!r}") from error
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
