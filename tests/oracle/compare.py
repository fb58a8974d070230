"""Calls PyTorch with the arrays of `tests.ops.cases` and compares results with NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.reference import BFloat16Array, dtype_of

# relative and absolute tolerance, for numbers of the size of the expected result
TOLERANCE = {
    "float16": (2e-3, 2e-3),
    "bfloat16": (2e-2, 2e-2),
    "float32": (2e-5, 2e-5),
    "float64": (1e-10, 1e-10),
    "complex64": (2e-5, 2e-5),
    "complex128": (1e-10, 1e-10),
}


def to_torch(value: Any) -> Any:
    """Arrays become tensors with the same strides, dtype names torch's dtypes."""
    import torch

    if isinstance(value, BFloat16Array):
        return _strided(np.asarray(value)).to(torch.bfloat16)
    if isinstance(value, np.ndarray):
        return _strided(value)
    if isinstance(value, list):
        return [to_torch(part) for part in value]
    if isinstance(value, str) and isinstance(getattr(torch, value, None), torch.dtype):
        return getattr(torch, value)
    return value


def _strided(array: np.ndarray) -> Any:
    import torch

    if array.flags.writeable:
        return torch.from_numpy(array)
    return torch.from_numpy(array.copy()).expand(array.shape)


def call_torch(operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    import torch

    namespace, name, overload = operator.split(".")
    function = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    return function(
        *(to_torch(arg) for arg in args), **{k: to_torch(v) for k, v in kwargs.items()}
    )


def flat(result: Any) -> list[Any]:
    """The results of an operator as one list."""
    if isinstance(result, (list, tuple)):
        return [part for item in result for part in flat(item)]
    return [result]


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


def assert_close(actual: Any, expected: Any, dtype: str, where: str) -> None:
    if dtype not in TOLERANCE:
        np.testing.assert_array_equal(actual, expected, err_msg=where)
        return
    relative, absolute = TOLERANCE[dtype]
    wide = "complex128" if dtype.startswith("complex") else "float64"
    finite = np.abs(expected[np.isfinite(expected)]) if expected.size else expected
    scale = min(max(1.0, float(np.median(finite)) if finite.size else 1.0), 1e6)
    np.testing.assert_allclose(
        actual.astype(wide), expected.astype(wide), rtol=relative, atol=absolute * scale,
        err_msg=where,
    )  # fmt: skip
