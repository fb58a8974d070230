"""Calls PyTorch with the arrays of `tests.ops.cases` and compares results with NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.reference import BFloat16Array, dtype_of
from tests.ops.closeness import assert_close


def to_torch(value: Any) -> Any:
    """Arrays become tensors with the same strides, dtype names torch's dtypes."""
    import torch

    if isinstance(value, BFloat16Array):
        return _tensor(np.asarray(value)).to(torch.bfloat16)
    if isinstance(value, np.ndarray):
        return _tensor(value)
    if isinstance(value, list):
        return [to_torch(part) for part in value]
    if isinstance(value, str) and isinstance(getattr(torch, value, None), torch.dtype):
        return getattr(torch, value)
    return value


def _tensor(array: Any) -> Any:
    import torch

    return torch.from_numpy(array if array.flags.writeable else array.copy())


def call_torch(operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    import torch

    namespace, name, overload = operator.split(".")
    function = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    return function(*(to_torch(arg) for arg in args), **{k: to_torch(v) for k, v in kwargs.items()})


def assert_same(actual: Any, expected: Any, where: str) -> None:
    """Same dtype and shape; equal, or close within the tolerance of the dtype."""
    assert isinstance(actual, np.ndarray), f"{where}: {type(actual).__name__} is no array"
    dtype = dtype_of(actual)
    wanted = str(expected.dtype).removeprefix("torch.")
    assert dtype == wanted, f"{where}: dtype {dtype}, expected {wanted}"
    assert actual.shape == tuple(expected.shape), (
        f"{where}: shape {list(actual.shape)}, expected {list(expected.shape)}"
    )
    expected = expected.detach().resolve_conj()
    numbers = (expected.float() if wanted == "bfloat16" else expected).numpy()
    assert_close(np.asarray(actual), numbers, dtype, where)
