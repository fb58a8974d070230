"""Branches, loops and scans: operators whose arguments are graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

Run: TypeAlias = Callable[..., list[Any]]
"""A graph as a function of its inputs."""


def cond(regions: Sequence[Run], pred: Any, operands: Sequence[Any]) -> list[Any]:
    """One of two branches."""
    return regions[0 if np.asarray(pred).item() else 1](*operands)


def while_loop(regions: Sequence[Run], carried: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The body again and again, as long as the condition holds."""
    condition, body = regions
    values = list(carried)
    while np.asarray(condition(*values, *others)[0]).item():
        values = body(*values, *others)
    return values


def scan(
    regions: Sequence[Run], init: Sequence[Any], xs: Sequence[Any], others: Sequence[Any]
) -> list[Any]:
    """Slice by slice along dimension 0, with values carried from one to the next."""
    carried, steps = list(init), []
    for i in range(len(xs[0])):
        results = regions[0](*carried, *(x[i] for x in xs), *others)
        carried = results[: len(carried)]
        steps.append(results[len(carried) :])
    return [*carried, *_stacked(steps)]


def map_impl(regions: Sequence[Run], xs: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Every slice along dimension 0 on its own."""
    return _stacked([regions[0](*(x[i] for x in xs), *others) for i in range(len(xs[0]))])


def associative_scan(regions: Sequence[Run], xs: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """All prefixes of slices combined."""
    steps = [[x[0] for x in xs]]
    for i in range(1, len(xs[0])):
        steps.append(regions[0](*steps[-1], *(x[i] for x in xs), *others))
    return _stacked(steps)


def _stacked(steps: Sequence[Sequence[Any]]) -> list[Any]:
    return [np.stack(parts) for parts in zip(*steps, strict=True)]


OPERATORS: dict[str, Callable[..., list[Any]]] = {
    f"higher_order.{function.__name__}": function
    for function in (cond, while_loop, scan, map_impl, associative_scan)
}
