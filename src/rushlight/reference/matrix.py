"""The matrix product with PyTorch's checks."""

from __future__ import annotations

import numpy as np

from .arrays import Array, accumulate, cast, dtype_of


def require_same_dtype(name: str, a: Array, b: Array) -> None:
    if dtype_of(a) != dtype_of(b):
        raise RuntimeError(
            f"{name}: expected both tensors to have the same dtype, "
            f"but got: {dtype_of(a)} != {dtype_of(b)}"
        )


def product(name: str, a: Array, b: Array) -> Array:
    """a @ b by the rules of torch.matmul."""
    require_same_dtype(name, a, b)
    dtype = dtype_of(a)
    try:
        return cast(np.matmul(accumulate(a, dtype), accumulate(b, dtype)), dtype)
    except ValueError as error:
        raise RuntimeError(
            f"{name}: sizes {list(a.shape)} and {list(b.shape)} cannot be multiplied"
        ) from error
