"""Makes random programs."""

from __future__ import annotations

import random
import warnings
from typing import Any

from .calls import Program
from .families import FAMILIES, start
from .maker import Maker


def generate(
    rng: random.Random, guide: Any, size: int | None = None, errors: float = 0.3
) -> Program:
    """A program of ``size`` calls (5 to 60 by default)."""
    maker = Maker(rng, guide, errors)
    size = rng.randint(5, 60) if size is None else size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start(maker)
        names, weights = zip(*FAMILIES.items(), strict=True)
        for _ in range(4 * size):
            if len(maker.program) >= size:
                break
            rng.choices(names, weights)[0](maker)
    return maker.program
