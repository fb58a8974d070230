"""Tensors that the oracle tests share: one of every dtype, layouts and sizes at the edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

generator = torch.Generator().manual_seed(0)
BASE = torch.randn(2, 3, 4, generator=generator)
INTS = torch.arange(24).reshape(2, 3, 4)
POSITIVE = BASE > 0

REAL = {
    "float32": BASE,
    "strided": torch.randn(4, 3, 2, generator=generator).permute(2, 1, 0),
    "float64": BASE.double(),
    "float16": BASE.half(),
    "bfloat16": BASE.bfloat16(),
    "int64": INTS,
    "int32": INTS.int() % 5,
    "int16": INTS.short() % 7,
    "int8": INTS.to(torch.int8) - 9,
    "uint8": INTS.to(torch.uint8),
}
ALL = REAL | {"bool": POSITIVE, "complex64": torch.complex(BASE, BASE + 1)}
EMPTY = torch.empty(0, 3)
SCALAR = torch.tensor(3.5)

Calls = Callable[[Any], list[tuple[Any, ...]]]


def tolerance(t: torch.Tensor) -> float:
    return 1e-2 if t.dtype in (torch.float16, torch.bfloat16) else 1e-6
