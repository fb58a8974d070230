"""Results in the array library of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from rushlight import _C

Convert: TypeAlias = Callable[[_C.Tensor], Any]


def _numpy(tensor: _C.Tensor) -> Any:
    # NumPy has no bfloat16: such results stay ours.
    return tensor if tensor.dtype is _C.bfloat16 else tensor.numpy()


def converter(values: Sequence[Any]) -> Convert | None:
    """How to give results back, judged by the first array among `values`; None: as they are."""
    for value in values:
        if isinstance(value, np.ndarray):
            return _numpy
        if isinstance(value, _C.Tensor):
            return None
        if hasattr(value, "__dlpack__"):
            return _from_dlpack(value)
    return _numpy


def _from_dlpack(value: Any) -> Convert | None:
    """The function ``from_dlpack`` of the library that `value` belongs to, if it has one."""
    if hasattr(value, "__array_namespace__"):
        found = getattr(value.__array_namespace__(), "from_dlpack", None)
    else:
        library = sys.modules.get(type(value).__module__.partition(".")[0])
        found = getattr(library, "from_dlpack", None)
    return found if callable(found) else None
