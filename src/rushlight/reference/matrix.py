"""The matrix product with PyTorch's checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def in_double(function: Callable[..., Any], *matrices: Array) -> Array:
    """A function of numpy.linalg in double precision; a singular matrix is a RuntimeError."""
    try:
        return np.asarray(function(*(accumulate(m, dtype_of(m)) for m in matrices)))
    except np.linalg.LinAlgError as error:
        raise RuntimeError(f"linalg: {error}") from error


def symmetric(value: Array, triangle: str) -> Array:
    """The Hermitian matrix of which one triangle ("L" or "U") is given."""
    wide = accumulate(value, dtype_of(value))
    half = np.tril(wide, -1) if triangle == "L" else np.triu(wide, 1)
    diagonal = np.eye(wide.shape[-1]) * wide
    return np.asarray(half + np.conj(np.swapaxes(half, -1, -2)) + diagonal)


def lu_factor(matrices: Array) -> tuple[Array, Array]:
    """LAPACK's getrf: L (without its ones) and U in one matrix, and the rows swapped, from 1."""
    factors = matrices.copy()
    pivots = np.zeros((*matrices.shape[:-2], min(matrices.shape[-2:])), dtype=np.int32)
    for at in np.ndindex(matrices.shape[:-2]):
        m, swaps = factors[at], pivots[at]
        for k in range(min(m.shape)):
            best = k + int(np.argmax(np.abs(m[k:, k])))
            swaps[k] = best + 1
            m[[k, best]] = m[[best, k]]
            if m[k, k] != 0:
                m[k + 1 :, k] /= m[k, k]
                m[k + 1 :, k + 1 :] -= np.outer(m[k + 1 :, k], m[k, k + 1 :])
    return factors, pivots
