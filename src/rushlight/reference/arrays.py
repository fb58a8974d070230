"""Tensors as NumPy arrays: names of types, conversions, and the bfloat16 that NumPy lacks.

A dtype is PyTorch's name as a string ("float32"). An operator widens its operands to the type it
computes in, computes with plain NumPy, and casts the result: ``cast(f(widen(x, dtype)), dtype)``.
Half types compute in float32; sums and products of many numbers accumulate in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Number: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Array | Number
Sizes: TypeAlias = Sequence[int]

_COMPUTE = {"float16": "float32", "bfloat16": "float32"}
_ACCUMULATE = {
    "float16": "float64",
    "bfloat16": "float64",
    "float32": "float64",
    "complex64": "complex128",
}


class BFloat16Array(np.ndarray[Any, np.dtype[Any]]):
    """A bfloat16 tensor: a float32 array whose every number fits into bfloat16.

    Views of it are of this class too, so writing through a view keeps the type; arithmetic is
    done on plain float32 (`widen`) and rounded at the end (`cast`).
    """


def round_to_bfloat16(values: Array) -> Array:
    """The nearest bfloat16 of each float32, ties to even; NaN stays NaN."""
    numbers = np.array(values, dtype=np.float32, order="C")
    bits = numbers.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
    return np.asarray(np.where(np.isnan(numbers), np.float32(np.nan), rounded.view(np.float32)))


def dtype_of(value: Array) -> str:
    """PyTorch's name of an array's type."""
    return "bfloat16" if isinstance(value, BFloat16Array) else value.dtype.name


def item_size(value: Array) -> int:
    return 2 if isinstance(value, BFloat16Array) else value.itemsize


def cast(value: Any, dtype: str) -> Array:
    """The value as a tensor of this dtype; the same memory when nothing changes."""
    if dtype == "bfloat16":
        if isinstance(value, BFloat16Array):
            return value
        return np.asarray(round_to_bfloat16(np.asarray(value))).view(BFloat16Array)
    plain = np.asarray(value)
    if plain.dtype.kind == "c" and not dtype.startswith("complex") and dtype != "bool":
        plain = plain.real
    return plain.astype(dtype, copy=False)


def widen(value: Operand, dtype: str) -> Array:
    """The plain array on which an operator of this dtype computes."""
    return cast(value, _COMPUTE.get(dtype, dtype))


def accumulate(value: Operand, dtype: str) -> Array:
    """Like `widen`, in the type in which many numbers are added up."""
    return cast(value, _ACCUMULATE.get(dtype, dtype))


def apply(function: Callable[..., Any], dtype: str, *operands: Operand, out: str = "") -> Array:
    """`function` over operands widened to `dtype`; the result is cast to `out` (or `dtype`)."""
    return cast(function(*(widen(operand, dtype) for operand in operands)), out or dtype)


def is_floating(dtype: str) -> bool:
    return dtype in ("float16", "bfloat16", "float32", "float64")


def is_complex(dtype: str) -> bool:
    return dtype.startswith("complex")


def is_integral(dtype: str) -> bool:
    return not is_floating(dtype) and not is_complex(dtype) and dtype != "bool"


def real_type(dtype: str) -> str:
    """The type of a complex number's parts; other types are their own."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def axis_of(dim: int, rank: int) -> int:
    """A dimension counted from the front; a 0-d tensor has the dimensions 0 and -1."""
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], "
            f"but got {dim})"
        )
    return dim % rank


def axes_of(dim: int | Sizes | None, rank: int) -> tuple[int, ...]:
    """The dimensions a reduction runs over; none or an empty list means all of them."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(rank))
    dims = [dim] if isinstance(dim, int) else list(dim)
    axes = tuple(axis_of(d, rank) for d in dims)
    if len(set(axes)) != len(axes):
        raise RuntimeError(f"dim {dims} appears multiple times in the list of dims")
    return axes if rank else ()


def ints(value: int | Sizes, count: int) -> tuple[int, ...]:
    """PyTorch's ``int[2]`` arguments: one number stands for all."""
    numbers = [value] if isinstance(value, int) else list(value)
    return tuple(numbers * count if len(numbers) == 1 else numbers)


def trailing(places: Iterable[Any]) -> Any:
    """The index that leaves all but the last dimensions whole."""
    return (Ellipsis, *places)


def copy_of(value: Array) -> Array:
    """A copy that stays a bfloat16 tensor if it was one."""
    return np.array(value, subok=True)


def at_least_1d(value: Array) -> Array:
    """A 0-d tensor as one with a single element, so that it has a dimension to work along."""
    return value.reshape(1) if value.ndim == 0 else value


def from_numpy(value: Any) -> Array:
    """Any array or NumPy number as a tensor; the bfloat16 of the package ml_dtypes is known."""
    if isinstance(value, BFloat16Array):
        return value
    array: Array = np.asarray(value)
    return cast(array.astype(np.float32), "bfloat16") if array.dtype.name == "bfloat16" else array
