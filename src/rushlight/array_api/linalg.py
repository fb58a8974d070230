"""Linear algebra: the standard's ``linalg`` extension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight.linalg as _linalg
from rushlight import _operators as ops
from rushlight._C import Tensor, dtype
from rushlight._tensor import functions as _functions

from .dtypes import common
from .statistical import sum as _sum


class EighResult(NamedTuple):
    """Results of `eigh`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """Results of `qr`."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """Results of `slogdet`."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """Results of `svd`."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of a positive definite matrix."""
    return _linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The products of vectors of three elements along ``axis``."""
    x1, x2 = common(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError("cross: expected a negative axis that both arrays have")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("cross: expected 3 elements along the axis")
    return _linalg.cross(*_functions.broadcast_tensors(x1, x2), dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Determinants."""
    return _linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices: a view."""
    return ops.diagonal(x, offset, -2, -1)


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues in order, and eigenvectors, of Hermitian matrices."""
    return EighResult(*_linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of Hermitian matrices, in order."""
    return _linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Inverses."""
    return _linalg.inv(x)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix products; 1-d arrays are a row on the left, a column on the right."""
    return ops.matmul(*common(x1, x2))


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices: ``"fro"``, ``"nuc"``, 1, -1, 2, -2, inf or -inf."""
    return _linalg.matrix_norm(x, ord, (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """The ``n``-th powers of square matrices."""
    return _linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """How many singular values are above ``rtol`` times the largest."""
    return _linalg.matrix_rank(x) if rtol is None else _linalg.matrix_rank(x, rtol=rtol)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dimensions swapped: a view."""
    if x.ndim < 2:
        raise ValueError("matrix_transpose: expected an array of two or more dimensions")
    return ops.transpose(x, -2, -1)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of every element of one vector with every of another."""
    return ops.outer(*common(x1, x2))


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Moore-Penrose inverses."""
    return _linalg.pinv(x) if rtol is None else _linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """An orthonormal and an upper triangular factor."""
    return QRResult(*_linalg.qr(x, mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    """The signs of determinants and the logarithms of their absolute values."""
    return SlogdetResult(*_linalg.slogdet(x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of linear systems; ``x2`` is a vector only if it has one dimension."""
    x1, x2 = common(x1, x2)
    if x2.ndim == 1:
        return ops.squeeze(_linalg.solve(x1, x2.unsqueeze(-1)), -1)
    lead = (
        _functions.broadcast_tensors(x1[..., 0, 0], x2[..., 0, 0])[0].shape if x1.numel() else None
    )
    if lead is not None:
        x1, x2 = x1.expand(*lead, *x1.shape[-2:]), x2.expand(*lead, *x2.shape[-2:])
    return _linalg.solve(x1, x2)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular vectors and values, the latter from large to small."""
    return SVDResult(*_linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values, from large to small."""
    return _linalg.svdvals(x)


def tensordot(
    x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Tensor:
    """Sums of products over the given dimensions."""
    x1, x2 = common(x1, x2)
    return _functions.tensordot(x1, x2, dims=axes)


def trace(x: Tensor, /, *, offset: int = 0, dtype: dtype | None = None) -> Tensor:
    """Sums along the diagonals of matrices."""
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Scalar products along ``axis``, the first factor conjugated."""
    x1, x2 = common(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError("vecdot: expected a negative axis that both arrays have")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError("vecdot: expected as many elements along the axis in both arrays")
    left = ops.conj(x1).resolve_conj() if x1.dtype.is_complex else x1
    return _sum(left * x2, axis=axis, dtype=x1.dtype)


def vector_norm(
    x: Tensor,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float = 2,
) -> Tensor:
    """Norms of vectors: the ``ord``-th root of the sum of powers; inf is the largest element."""
    if axis == ():
        return ops.abs(x) if ord else (x != 0).to(ops.abs(x).dtype)
    return _linalg.vector_norm(x, ord, axis, keepdims)
