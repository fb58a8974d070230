"""What the functions of ``rushlight.nn.functional`` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _C
from rushlight._C import Tensor

Sizes = int | Sequence[int]


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """An operator by name and overload: ``call("glu.default", x, -1)``."""
    return _C.call_op(f"aten.{name}", *args, **kwargs)


def reduction_code(name: str) -> int:
    """ATen's number of ``'none'``, ``'mean'`` or ``'sum'``."""
    names = ("none", "mean", "sum")
    if name not in names:
        raise ValueError(f"{name} is not a valid value for reduction")
    return names.index(name)


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The losses themselves, their mean or their sum."""
    kind = reduction_code(reduction)
    return loss if kind == 0 else loss.mean() if kind == 1 else loss.sum()


def maybe_inplace(name: str, input: Tensor, inplace: bool, *args: Any, **kwargs: Any) -> Tensor:
    """The operator or its in-place twin."""
    found: Tensor = call(f"{name}{'_' if inplace else ''}.default", input, *args, **kwargs)
    return found
