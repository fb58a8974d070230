"""`repr` of tensors, and `set_printoptions`, character by character as PyTorch's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import rushlight

pytestmark = pytest.mark.oracle

DTYPES = ["float32", "float64", "int64", "int32", "uint8", "int8", "bool", "complex64",
          "complex128", "float16", "bfloat16"]  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, 0.5, -1.25, 1e-9, 1e9, 123456.789, 1e30, float("nan"), float("inf"),
           float("-inf"), 3.0, 100.0, 1e-4, 99999999.0]  # fmt: skip


@st.composite
def arrays(draw: st.DrawFn) -> tuple[str, Any]:
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    n = int(np.prod(shape))
    if dtype == "bool":
        values = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    elif "int" in dtype:
        low, high = (0, 255) if dtype == "uint8" else (-128, 127)
        if dtype in ("int64", "int32"):
            low, high = -(2**31), 2**31 - 1
        values = draw(st.lists(st.integers(low, high), min_size=n, max_size=n))
    else:
        number = st.sampled_from(SPECIAL) | st.floats(-1e4, 1e4) | st.integers(-5, 5).map(float)
        values = draw(st.lists(number, min_size=n, max_size=n))
        if dtype.startswith("complex"):
            values = [complex(a, b) for a, b in zip(values, values[::-1], strict=True)]
    return dtype, np.array(values, dtype=object).reshape(shape).tolist()


def both(dtype: str, data: Any) -> tuple[Any, Any]:
    return (
        rushlight.tensor(data, dtype=getattr(rushlight, dtype)),
        torch.tensor(data, dtype=getattr(torch, dtype)),
    )


def same(ours: Any, theirs: Any) -> None:
    """Equal but for the module's name, and the line break that its length may cost."""
    text = re.sub(r",\s+dtype=rushlight\.", ", dtype=torch.", repr(ours))
    assert text == re.sub(r",\s+dtype=", ", dtype=", repr(theirs))
    assert str(ours) == repr(ours)


@settings(max_examples=400, deadline=None)
@given(arrays())
def test_repr(array: tuple[str, Any]) -> None:
    ours, theirs = both(*array)
    same(ours, theirs)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 8),
        "threshold": st.integers(0, 40),
        "edgeitems": st.integers(1, 4),
        "linewidth": st.integers(20, 120),
        "sci_mode": st.booleans() | st.none(),
        "profile": st.sampled_from(["default", "short", "full"]),
    },
)


@settings(max_examples=300, deadline=None)
@given(arrays(), OPTIONS)
@example(("float32", 0.0), {"sci_mode": True})
@example(("float32", [0.0, float("inf")]), {"sci_mode": True})
def test_options(array: tuple[str, Any], options: dict[str, Any]) -> None:
    ours, theirs = both(*array)
    try:
        rushlight.set_printoptions(**options)
        torch.set_printoptions(**options)
        same(ours, theirs)
    finally:
        rushlight.set_printoptions(profile="default", sci_mode=None)
        torch.set_printoptions(profile="default", sci_mode=None)


@pytest.mark.parametrize("shape", [(1001,), (30, 40), (3, 20, 30), (2000, 1), (1, 1, 1, 1001)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "bool"])
def test_summaries(shape: tuple[int, ...], dtype: str) -> None:
    data = (np.arange(np.prod(shape)).reshape(shape) * 1.5 - 100).tolist()
    ours, theirs = both(dtype, data)
    same(ours, theirs)
