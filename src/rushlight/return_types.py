"""The named tuples that functions such as `max` and `sort` return."""

from __future__ import annotations

from rushlight import _C
from rushlight._C import Tensor


def __getattr__(name: str) -> type[tuple[Tensor, ...]]:
    try:
        return _C.return_type(name)
    except KeyError:
        raise AttributeError(f"module 'rushlight.return_types' has no attribute '{name}'") from None
