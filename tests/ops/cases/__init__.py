"""Generated inputs for operators: ``cases("aten.add.Tensor")`` yields ``(args, kwargs)``.

Arrays are NumPy's (bfloat16 ones of the class `rushlight.reference.BFloat16Array`) and cover 0-d,
empty, broadcast and non-contiguous tensors, negative dimensions and all dtypes that PyTorch's CPU
accepts for the operator. The same operator always gets the same cases. Each family has a module
here whose generators name the operators they serve.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import (
    joining,
    linear,
    losses,
    networks,
    picking,
    pointwise,
    reductions,
    resampling,
    sorting,
    transforms,
    variants,
    views,
)
from .table import GENERATORS, Case

__all__ = ["Case", "cases", "covered"]

_FAMILIES = (
    joining, linear, losses, networks, picking, pointwise, reductions, resampling, sorting, views,
    transforms, variants,
)  # fmt: skip


def cases(operator: str) -> Iterator[Case]:
    """Inputs for an operator; none when no family knows it."""
    for generator in GENERATORS.get(operator, ()):
        yield from generator(operator)


def covered() -> list[str]:
    """The operators that have cases."""
    return sorted(GENERATORS)
