"""Comparing results of operators, with tolerances by dtype; tensors of the engine as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight
from rushlight.reference import BFloat16Array, cast, dtype_of

# relative and absolute tolerance, for numbers of the size of the expected result
TOLERANCE = {
    "float16": (2e-3, 2e-3),
    "bfloat16": (2e-2, 2e-2),
    "float32": (2e-5, 2e-5),
    "float64": (1e-10, 1e-10),
    "complex64": (2e-5, 2e-5),
    "complex128": (1e-10, 1e-10),
}


def assert_close(actual: Any, expected: Any, dtype: str, where: str) -> None:
    """Equal, or for floats close: the absolute tolerance grows with the middle of the numbers."""
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


def results_of(operator: str, result: Any) -> list[Any]:
    """The results to compare; the others of these operators only serve PyTorch's gradients."""
    first_only = "embedding_bag" in operator or operator.startswith(
        ("aten._linalg_det.", "aten._linalg_solve_ex.")
    )
    return flat(result)[:1] if first_only else flat(result)


def flat(result: Any) -> list[Any]:
    """The results of an operator as one list."""
    if isinstance(result, (list, tuple)):
        return [part for item in result for part in flat(item)]
    return [result]


def describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{dtype_of(value)}{list(value.shape)}"
    if isinstance(value, list):
        return f"[{', '.join(map(describe, value))}]"
    return repr(value)


def describe_case(operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call as a reader of the failure would write it."""
    shown = [describe(arg) for arg in args]
    shown += [f"{name}={describe(value)}" for name, value in kwargs.items()]
    return f"{operator}({', '.join(shown)})"


def to_engine(value: Any) -> Any:
    """Arrays become tensors with the same strides, names of dtypes the engine's dtypes."""
    if isinstance(value, BFloat16Array):
        bits = (np.asarray(value).view(np.int32) >> 16).astype(np.int16, order="K")
        return rushlight.ops.aten.view.dtype(rushlight.Tensor(bits), rushlight.bfloat16)
    if isinstance(value, np.ndarray):
        return rushlight.Tensor(value)
    if isinstance(value, list):
        return [to_engine(part) for part in value]
    if isinstance(value, str) and isinstance(getattr(rushlight, value, None), rushlight.dtype):
        return getattr(rushlight, value)
    return value


def from_engine(tensor: rushlight.Tensor) -> Any:
    """The tensor as the reference would have it."""
    if tensor.dtype == rushlight.bfloat16:
        bits = rushlight.ops.aten.view.dtype(tensor, rushlight.int16).numpy()
        return cast((bits.astype(np.int32) << 16).view(np.float32), "bfloat16")
    return tensor.numpy()
