"""PyTorch's type promotion, on dtype names.

https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc: tensors with
dimensions decide, then 0-d tensors, then Python numbers; a lower rank only matters when its
category (bool < integer < float < complex) is higher.
"""

from __future__ import annotations

from functools import reduce

from .arrays import Array, Number, Operand, dtype_of, is_complex, is_floating, real_type

DEFAULT_FLOAT = "float32"
_INTEGERS = ("int8", "int16", "int32", "int64")
_FLOATS = ("float16", "bfloat16", "float32", "float64")


def category(dtype: str) -> int:
    """0 bool, 1 integer, 2 float, 3 complex."""
    return 0 if dtype == "bool" else 3 if is_complex(dtype) else 2 if is_floating(dtype) else 1


def promote_types(a: str, b: str) -> str:
    """The type that holds both, for two tensors of the same rank in the rules."""
    if a == b:
        return a
    if category(a) > category(b):
        a, b = b, a
    if category(b) == 3:
        wide = "float64" in (real_type(a), real_type(b))
        return "complex128" if wide else "complex64"
    if category(a) != category(b):
        return b
    if category(a) == 2:  # float16 and bfloat16 meet in float32
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=_FLOATS.index)
    if "uint8" in (a, b):
        other = b if a == "uint8" else a
        return "int16" if other == "int8" else other
    return max(a, b, key=_INTEGERS.index)


def number_type(value: Number) -> str:
    """The dtype that a Python number has on its own."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    return "complex64" if isinstance(value, complex) else DEFAULT_FLOAT


def _combine(higher: str | None, lower: str | None) -> str | None:
    """Adds a lower rank of operands to what the higher ranks decided."""
    if higher is None or lower is None:
        return higher or lower
    if category(lower) <= category(higher):
        return higher
    if category(lower) == 3 and category(higher) == 2:  # a float keeps its width
        return "complex128" if higher == "float64" else "complex64"
    return promote_types(higher, lower)


def result_type(*operands: Operand) -> str:
    """torch.result_type, for any number of tensors and numbers."""
    ranks: list[list[str]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, (bool, int, float, complex)):
            ranks[2].append(number_type(operand))
        else:
            ranks[0 if operand.ndim else 1].append(dtype_of(operand))
    merged = [reduce(promote_types, names) if names else None for names in ranks]
    dtype = _combine(_combine(merged[0], merged[1]), merged[2])
    assert dtype is not None, "an operator has at least one operand"
    return dtype


def float_type(*operands: Operand) -> str:
    """`result_type`, with integers turned into the default float."""
    dtype = result_type(*operands)
    return dtype if category(dtype) >= 2 else DEFAULT_FLOAT


def integral_sum_type(value: Array, dtype: str | None) -> str:
    """The type of sums, products and their running kin: integers add up in int64."""
    own = dtype_of(value)
    return dtype or (own if category(own) >= 2 else "int64")
