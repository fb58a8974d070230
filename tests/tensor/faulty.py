"""A library with a fault, which random programs have to find: its sums are too large by one."""

from __future__ import annotations

from typing import Any

import rushlight


def sum(x: rushlight.Tensor, *args: Any, **kwargs: Any) -> rushlight.Tensor:
    return rushlight.sum(x, *args, **kwargs) + 1


def __getattr__(name: str) -> Any:
    return getattr(rushlight, name)
