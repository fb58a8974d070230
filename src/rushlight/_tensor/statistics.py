"""Covariance, quantiles, histograms, integrals."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor

__all__ = [
    "corrcoef",
    "cov",
    "cumulative_trapezoid",
    "gradient",
    "nanquantile",
    "quantile",
    "renorm",
    "trapezoid",
    "trapz",
]


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariance matrix of variables in rows and observations in columns: ``[n, n]``."""
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input "
                           f"with {input.ndim} dimensions")
    x = input.reshape(1, -1) if input.ndim < 2 else input
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        x = x.to(_C.get_default_dtype())
    weights: Tensor | None = None
    if fweights is not None:
        weights = fweights.to(x.dtype)
    if aweights is not None:
        weights = aweights.to(x.dtype) if weights is None else weights * aweights
    total = x.new_tensor(x.shape[1]) if weights is None else weights.sum()
    mean = x.mean(1, keepdim=True) if weights is None else (x * weights).sum(1, keepdim=True) / total
    centred = x - mean
    weighted = centred if weights is None else centred * weights
    if aweights is not None and weights is not None and correction:
        norm = total - correction * (weights * aweights).sum() / total
    else:
        norm = total - correction
    norm = ops.clamp(norm.real if norm.dtype.is_complex else norm, min=0)
    out = ops.matmul(weighted, ops.conj(centred).t()) / norm
    return out.squeeze()


def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation coefficients of variables in rows: ``[n, n]``, 1 on the diagonal."""
    c = cov(input)
    if c.ndim == 0:
        return c / c
    d = ops.sqrt(ops.real(c.diag()) if c.dtype.is_complex else c.diag())
    c = c / d[:, None] / d[None, :]
    return c if c.dtype.is_complex else ops.clamp(c, -1, 1)


def _quantile(
    name: str,
    input: Tensor,
    q: float | Tensor,
    dim: int | None,
    keepdim: builtins.bool,
    interpolation: str,
    ignore_nan: builtins.bool,
) -> Tensor:
    if not input.dtype.is_floating_point or input.dtype in (_C.float16, _C.bfloat16):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    points = q if isinstance(q, Tensor) else input.new_tensor(q)
    if points.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if points.dtype != input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if bool(((points < 0) | (points > 1)).any()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    x = input.flatten() if dim is None else ops.movedim(input, dim, -1) if input.ndim else input
    if x.ndim == 0:
        x = x.reshape(1)
    ordered = ops.sort(x, -1)[0]
    nan = ops.isnan(ordered)
    if ignore_nan:
        valid = ops.logical_not(nan).sum(-1, keepdim=True)
        last = ops.clamp(valid - 1, min=0).to(x.dtype)
    else:
        last = ops.full([*x.shape[:-1], 1], x.shape[-1] - 1, dtype=x.dtype)
    rank = last * points.reshape(-1)  # [..., number of quantiles]
    if interpolation == "lower":
        rank = ops.floor(rank)
    elif interpolation == "higher":
        rank = ops.ceil(rank)
    elif interpolation == "nearest":
        rank = ops.round(rank)
    below = ops.floor(rank)
    weight = ops.full_like(rank, 0.5) if interpolation == "midpoint" else rank - below
    low = ops.gather(ordered, -1, below.to(_C.int64))
    high = ops.gather(ordered, -1, ops.ceil(rank).to(_C.int64))
    out = ops.lerp(low, high, weight)
    if not ignore_nan:
        out = ops.where(nan.any(-1, keepdim=True), float("nan"), out)
    out = ops.movedim(out, -1, 0)  # quantiles first
    if keepdim:
        out = (
            out.reshape(-1, *[1] * input.ndim) if dim is None else out.unsqueeze(dim % input.ndim + 1)
        )
    return out if points.ndim else out[0]


def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The values below which the fractions ``q`` (a number or a vector) of the elements lie."""
    value = _quantile("quantile", input, q, dim, keepdim, interpolation, False)
    return value if out is None else out.copy_(value)


def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of the elements that are not NaN."""
    value = _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)
    return value if out is None else out.copy_(value)


def _pairs(y: Tensor, x: Tensor | None, dx: float, dim: int) -> Tensor:
    n = y.shape[dim]
    left, right = ops.narrow(y, dim, 0, n - 1), ops.narrow(y, dim, 1, n - 1)
    if x is None:
        return (left + right) * (dx / 2.0)
    if x.ndim == 1 and y.ndim > 1:
        shape = [1] * y.ndim
        shape[dim] = x.shape[0]
        x = x.reshape(shape)
    m = x.shape[dim]
    steps = ops.narrow(x, dim, 1, m - 1) - ops.narrow(x, dim, 0, m - 1)
    return (left + right) * steps / 2.0


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral of ``y`` along ``dim`` by the trapezoidal rule, at the points ``x`` or ``dx``
    apart."""
    if y.shape[dim] == 0:
        return y.sum(dim)
    return _pairs(y, x, dx, dim % y.ndim).sum(dim)


def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """`trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1
) -> Tensor:
    """The integral up to each point but the first."""
    return ops.cumsum(_pairs(y, x, dx, dim % y.ndim), dim)


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
        raise RuntimeError(f"gradient only supports edge_order=1 and edge_order=2, got {edge_order}")
    return tuple(_gradient(input, d % input.ndim, s, edge_order) for d, s in zip(dims, steps, strict=True))


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


def renorm(
    input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None
) -> Tensor:
    """``input`` with every slice along ``dim`` whose p-norm exceeds ``maxnorm`` scaled down to it."""
    from rushlight import linalg

    others = [d for d in builtins.range(input.ndim) if d != dim % input.ndim]
    norms = linalg.vector_norm(input, p, others, True)
    scale = ops.where(norms > maxnorm, maxnorm / (norms + 1e-7), ops.ones_like(norms))
    value = input * scale
    return value if out is None else out.copy_(value)
