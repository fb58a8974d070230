"""Finite differences."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor

__all__ = [
    "gradient",
]


def gradient(
    input: Tensor,
    *,
    spacing: Any = 1,
    dim: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Central differences along each of ``dim``, one-sided at the edges (of order ``edge_order``).

    ``spacing`` is a number, one for each dimension, or coordinates as vectors.
    """
    dims = [dim] if isinstance(dim, int) else list(dim or builtins.range(input.ndim))
    if isinstance(spacing, (int, float)):
        steps: list[Any] = [spacing] * len(dims)
    else:
        steps = list(spacing)
    if len(steps) != len(dims):
        raise RuntimeError(
            f"gradient expected spacing to be unspecified, a scalar or a list of length equal to "
            f"{len(dims)}, got {len(steps)}"
        )
    if edge_order not in (1, 2):
        raise RuntimeError(
            f"gradient only supports edge_order=1 and edge_order=2, got {edge_order}"
        )
    return tuple(
        _gradient(input, d % input.ndim, s, edge_order) for d, s in zip(dims, steps, strict=True)
    )


def _gradient(input: Tensor, dim: int, spacing: Any, edge_order: int) -> Tensor:
    n = input.shape[dim]
    if n < edge_order + 1:
        raise RuntimeError(
            f"gradient expected each dimension size to be at least edge_order+1, got {n}"
        )
    f = ops.movedim(input, dim, -1)
    if not f.dtype.is_floating_point and not f.dtype.is_complex:
        f = f.to(_C.get_default_dtype())
    if isinstance(spacing, Tensor):
        h = (spacing[1:] - spacing[:-1]).to(f.dtype)
    else:
        h = ops.full((n - 1,), spacing, dtype=f.dtype)
    out = ops.empty_like(f)
    if n > 2:
        a, b = h[:-1], h[1:]
        out[..., 1:-1] = (
            f[..., :-2] * (-b / (a * (a + b)))
            + f[..., 1:-1] * ((b - a) / (a * b))
            + f[..., 2:] * (a / (b * (a + b)))
        )
    if edge_order == 1 or n < 3:
        out[..., 0] = (f[..., 1] - f[..., 0]) / h[0]
        out[..., -1] = (f[..., -1] - f[..., -2]) / h[-1]
    else:
        a, b = h[0], h[1]
        out[..., 0] = (
            f[..., 0] * (-(2 * a + b) / (a * (a + b)))
            + f[..., 1] * ((a + b) / (a * b))
            + f[..., 2] * (-a / (b * (a + b)))
        )
        a, b = h[-2], h[-1]
        out[..., -1] = (
            f[..., -3] * (b / (a * (a + b)))
            + f[..., -2] * (-(a + b) / (a * b))
            + f[..., -1] * ((a + 2 * b) / (b * (a + b)))
        )
    return ops.movedim(out, -1, dim).contiguous()
