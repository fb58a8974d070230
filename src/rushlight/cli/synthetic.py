"""Random inputs of given sizes, for timing and for planning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rushlight import _C

from .errors import UsageError
from .inputs import ProgramInput


def parse_shapes(options: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """``x=1,3,224,224`` for each ``--shape``; ``x=`` is a tensor without dimensions."""
    shapes = {}
    for option in options:
        name, equals, text = option.partition("=")
        try:
            sizes = tuple(int(part) for part in text.split(",")) if text else ()
        except ValueError:
            sizes = (-1,)
        if not equals or any(s < 0 for s in sizes):
            raise UsageError(f"--shape: expected NAME=SIZE,SIZE,…, got {option!r}")
        shapes[name] = sizes
    return shapes


def random_inputs(
    inputs: Sequence[ProgramInput],
    shapes: Mapping[str, tuple[int, ...]],
    seed: int = 0,
) -> list[Any]:
    """One value for each flat input: floats are normal, integers 0 or 1, so that they are valid
    indices into most tables. Sizes not given follow from those that are (a symbol has one value
    everywhere), else they are those of the exported example."""
    names = {n for i in inputs if i.is_tensor for n in (i.name, i.path)}
    unknown = [name for name in shapes if name not in names]
    if unknown:
        known = ", ".join(i.name for i in inputs if i.is_tensor)
        raise UsageError(f"--shape: no tensor input {', '.join(unknown)}; there are: {known}")
    symbols: dict[str, int] = {}
    for spec in inputs:
        given = shapes.get(spec.name, shapes.get(spec.path))
        for declared, size in zip(spec.shape, given or (), strict=False):
            if isinstance(declared, str):
                symbols.setdefault(declared, size)
    rng = np.random.default_rng(seed)
    return [_value(spec, shapes, symbols, rng) for spec in inputs]


def _value(
    spec: ProgramInput,
    shapes: Mapping[str, tuple[int, ...]],
    symbols: Mapping[str, int],
    rng: np.random.Generator,
) -> Any:
    if spec.type == "constant":
        return spec.literal
    if spec.dtype is None:
        return {"int": 2, "float": 1.0, "bool": True}[spec.type]
    sizes = shapes.get(spec.name, shapes.get(spec.path))
    if sizes is None:
        sizes = tuple(
            symbols.get(declared, hint) if isinstance(declared, str) else declared
            for declared, hint in zip(spec.shape, spec.hint, strict=True)
        )
    if spec.dtype is _C.bool:
        return rng.integers(0, 2, sizes).astype(bool)
    if not (spec.dtype.is_floating_point or spec.dtype.is_complex):
        return rng.integers(0, 2, sizes).astype(spec.dtype.name)
    if spec.dtype is _C.bfloat16:
        narrow = rng.standard_normal(sizes).astype(np.float32)
        return _C.call_op("aten._to_copy.default", narrow, dtype=_C.bfloat16)
    return np.asarray(rng.standard_normal(sizes)).astype(spec.dtype.name)
