"""Padding widths in PyTorch's order: the last dimension first, before and after."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .arrays import Array, Number, Sizes, cast, dtype_of


def _widths(value: Array, pad: Sizes) -> list[tuple[int, int]]:
    if len(pad) % 2 or len(pad) > 2 * value.ndim:
        raise RuntimeError(
            f"pad: {len(pad)} widths do not fit a tensor with {value.ndim} dimensions"
        )
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    return [(0, 0)] * (value.ndim - len(pairs)) + pairs


def constant_pad(value: Array, pad: Sizes, fill: Number) -> Array:
    dtype = dtype_of(value)
    plain = np.asarray(value)
    widths = _widths(value, pad)
    cut = tuple(
        slice(max(0, -before), n - max(0, -after))
        for (before, after), n in zip(widths, plain.shape, strict=True)
    )
    grow = [(max(0, before), max(0, after)) for before, after in widths]
    number = np.asarray(cast(fill, dtype))[()]
    return cast(np.pad(plain[cut], grow, constant_values=number), dtype)


def pad_by(value: Array, pad: Sizes, mode: str) -> Array:
    """`mode` is NumPy's: "reflect", "edge" or "wrap"."""
    names: dict[str, Literal["reflect", "edge", "wrap"]] = {
        "reflect": "reflect", "edge": "edge", "wrap": "wrap",
    }  # fmt: skip
    padded = np.pad(np.asarray(value), _widths(value, pad), mode=names[mode])
    return cast(padded, dtype_of(value))
