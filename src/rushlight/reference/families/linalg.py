"""Decompositions, solutions and norms of matrices (or batches of them), in double precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..arrays import Array, Number, Sizes, accumulate, axes_of, cast, dtype_of, real_type
from ..matrix import in_double, lu_factor, symmetric
from ..promotion import float_type
from .reductions import linalg_vector_norm_default


def linalg_inv_ex_default(A: Array, *, check_errors: bool = False) -> tuple[Array, Array]:
    """The inverse, and 0 for every matrix that has one."""
    value = in_double(np.linalg.inv, A)
    return cast(value, dtype_of(A)), np.zeros(A.shape[:-2], dtype=np.int32)


def linalg_inv_default(A: Array) -> Array:
    return linalg_inv_ex_default(A)[0]


def inverse_default(self: Array) -> Array:
    return linalg_inv_default(self)


def _linalg_det_default(A: Array) -> tuple[Array, Array, Array]:
    """The determinant and the LU decomposition it is read from."""
    factors, pivots = lu_factor(accumulate(A, dtype_of(A)))
    det = np.linalg.det(accumulate(A, dtype_of(A)))
    return cast(det, dtype_of(A)), cast(factors, dtype_of(A)), pivots


def linalg_det_default(A: Array) -> Array:
    return cast(np.linalg.det(accumulate(A, dtype_of(A))), dtype_of(A))


def det_default(self: Array) -> Array:
    return linalg_det_default(self)


def linalg_slogdet_default(A: Array) -> tuple[Array, Array]:
    sign, logarithm = np.linalg.slogdet(accumulate(A, dtype_of(A)))
    return cast(sign, dtype_of(A)), cast(logarithm, real_type(dtype_of(A)))


def logdet_default(self: Array) -> Array:
    sign, logarithm = np.linalg.slogdet(accumulate(self, dtype_of(self)))
    return cast(np.where(sign < 0, np.nan, logarithm), dtype_of(self))


def linalg_solve_default(A: Array, B: Array, *, left: bool = True) -> Array:
    """X with A X = B, or X A = B; B is a vector or a batch of them where its shape says so."""
    dtype = dtype_of(A)
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and A.shape[:-1] == B.shape)
    a, b = accumulate(A, dtype), accumulate(B, dtype)
    if vector:
        return cast(in_double(np.linalg.solve, a, b[..., None])[..., 0], dtype)
    if left:
        return cast(in_double(np.linalg.solve, a, b), dtype)
    turned = in_double(np.linalg.solve, np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2))
    return cast(np.swapaxes(turned, -1, -2), dtype)


def _linalg_solve_ex_default(
    A: Array, B: Array, *, left: bool = True, check_errors: bool = False
) -> tuple[Array, Array, Array, Array]:
    factors, pivots = lu_factor(accumulate(A, dtype_of(A)))
    info = np.zeros(A.shape[:-2], dtype=np.int32)
    return linalg_solve_default(A, B, left=left), cast(factors, dtype_of(A)), pivots, info


def linalg_cholesky_ex_default(
    self: Array, *, upper: bool = False, check_errors: bool = False
) -> tuple[Array, Array]:
    """L with L L^H = self, or its conjugate transpose; only the lower triangle is read."""
    lower = in_double(np.linalg.cholesky, symmetric(self, "U" if upper else "L"))
    value = np.conj(np.swapaxes(lower, -1, -2)) if upper else lower
    return cast(value, dtype_of(self)), np.zeros(self.shape[:-2], dtype=np.int32)


def linalg_cholesky_default(self: Array, *, upper: bool = False) -> Array:
    return linalg_cholesky_ex_default(self, upper=upper)[0]


def _linalg_eigh_default(A: Array, UPLO: str = "L", compute_v: bool = True) -> tuple[Array, Array]:
    """Eigenvalues upwards and eigenvectors as columns, each of either sign."""
    values, vectors = np.linalg.eigh(symmetric(A, UPLO))
    shown = vectors if compute_v else np.zeros(0)
    return cast(values, real_type(dtype_of(A))), cast(shown, dtype_of(A))


def linalg_eigh_default(self: Array, UPLO: str = "L") -> tuple[Array, Array]:
    return _linalg_eigh_default(self, UPLO)


def linalg_eigvalsh_default(self: Array, UPLO: str = "L") -> Array:
    return _linalg_eigh_default(self, UPLO)[0]


def _linalg_svd_default(
    A: Array, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None
) -> tuple[Array, Array, Array]:
    """U, singular values downwards, and V^H; each pair of vectors of either sign."""
    dtype = dtype_of(A)
    u, s, vh = np.linalg.svd(accumulate(A, dtype), full_matrices)
    if not compute_uv:
        u = vh = np.zeros(0)
    return cast(u, dtype), cast(s, real_type(dtype)), cast(vh, dtype)


def linalg_svd_default(
    A: Array, full_matrices: bool = True, *, driver: str | None = None
) -> tuple[Array, Array, Array]:
    return _linalg_svd_default(A, full_matrices)


def linalg_svdvals_default(A: Array, *, driver: str | None = None) -> Array:
    return _linalg_svd_default(A)[1]


def linalg_qr_default(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    value = accumulate(A, dtype_of(A))
    if mode == "r":
        return cast(np.zeros(0), dtype_of(A)), cast(np.linalg.qr(value, "r"), dtype_of(A))
    q, r = np.linalg.qr(value, "complete" if mode == "complete" else "reduced")
    return cast(q, dtype_of(A)), cast(r, dtype_of(A))


def linalg_matrix_power_default(self: Array, n: int) -> Array:
    return cast(np.linalg.matrix_power(accumulate(self, dtype_of(self)), n), dtype_of(self))


def linalg_matrix_norm_str_ord(
    self: Array,
    ord: str = "fro",
    dim: Sizes = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: str | None = None,
) -> Array:
    """ "fro" is the root of the sum of squares, "nuc" the sum of the singular values."""
    out = dtype or float_type(self)
    axes = axes_of(dim, self.ndim)
    kind: Literal["nuc", "fro"] = "nuc" if ord == "nuc" else "fro"
    value = np.linalg.norm(accumulate(self, out), kind, axis=(axes[0], axes[1]), keepdims=keepdim)
    return cast(value, real_type(out))


def linalg_matrix_norm_default(
    self: Array,
    ord: Number,
    dim: Sizes = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: str | None = None,
) -> Array:
    """`ord`: +-1 sums of columns, +-inf sums of rows, +-2 singular values."""
    out = dtype or float_type(self)
    axes = axes_of(dim, self.ndim)
    value = np.linalg.norm(
        accumulate(self, out), float(ord.real), axis=(axes[0], axes[1]), keepdims=keepdim
    )
    return cast(value, real_type(out))


def linalg_norm_default(
    self: Array,
    ord: Number | None = None,
    dim: int | Sizes | None = None,
    keepdim: bool = False,
    *,
    dtype: str | None = None,
) -> Array:
    """Without `ord` the 2-norm of all elements; with one, of matrices where two dims are meant."""
    dims = [dim] if isinstance(dim, int) else dim
    matrix = (dims is not None and len(dims) == 2) or (dims is None and self.ndim == 2)
    if ord is not None and matrix:
        return linalg_matrix_norm_default(self, ord, dims or (-2, -1), keepdim, dtype=dtype)
    return linalg_vector_norm_default(self, 2 if ord is None else ord, dims, keepdim, dtype=dtype)
