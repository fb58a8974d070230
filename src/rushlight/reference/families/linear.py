"""Matrix products. Floats multiply and add up in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Number, Sizes, accumulate, axis_of, cast, dtype_of, real_type, widen
from ..matrix import product, require_same_dtype
from ..promotion import float_type, result_type


def mm_default(self: Array, mat2: Array) -> Array:
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"mm: expected two matrices, got {self.ndim}D and {mat2.ndim}D tensors")
    return product("mm", self, mat2)


def bmm_default(self: Array, mat2: Array) -> Array:
    if self.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError("bmm: batch1 and batch2 must be 3D tensors")
    if self.shape[0] != mat2.shape[0]:
        raise RuntimeError(f"bmm: batch sizes {self.shape[0]} and {mat2.shape[0]} differ")
    return product("bmm", self, mat2)


def matmul_default(self: Array, other: Array) -> Array:
    return product("matmul", self, other)


def mv_default(self: Array, vec: Array) -> Array:
    return product("mv", self, vec)


def dot_default(self: Array, tensor: Array) -> Array:
    return product("dot", self, tensor)


def vdot_default(self: Array, other: Array) -> Array:
    return product("vdot", np.conj(self), other)


def _int_mm_default(self: Array, mat2: Array) -> Array:
    return cast(self.astype(np.int32) @ mat2.astype(np.int32), "int32")


def addmm_default(
    self: Array, mat1: Array, mat2: Array, *, beta: Number = 1, alpha: Number = 1
) -> Array:
    """beta * self + alpha * (mat1 @ mat2); with beta 0, NaNs in self do not matter."""
    require_same_dtype("addmm", mat1, mat2)
    dtype = dtype_of(mat1)
    value = accumulate(alpha, dtype) * (accumulate(mat1, dtype) @ accumulate(mat2, dtype))
    if beta != 0:
        value = value + accumulate(beta, dtype) * accumulate(self, dtype)
    return cast(value, dtype)


def _addmm_activation_default(
    self: Array,
    mat1: Array,
    mat2: Array,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    use_gelu: bool = False,
) -> Array:
    from .activations import gelu_default, relu_default

    value = addmm_default(self, mat1, mat2, beta=beta, alpha=alpha)
    return gelu_default(value, approximate="tanh") if use_gelu else relu_default(value)


def baddbmm_default(
    self: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1
) -> Array:
    return addmm_default(self, batch1, batch2, beta=beta, alpha=alpha)


def addmv_default(
    self: Array, mat: Array, vec: Array, *, beta: Number = 1, alpha: Number = 1
) -> Array:
    return addmm_default(self, mat, vec, beta=beta, alpha=alpha)


def addbmm_default(
    self: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1
) -> Array:
    dtype = dtype_of(self)
    products = accumulate(batch1, dtype) @ accumulate(batch2, dtype)
    value = accumulate(alpha, dtype) * products.sum(axis=0)
    if beta != 0:
        value = value + accumulate(beta, dtype) * accumulate(self, dtype)
    return cast(value, dtype)


def addr_default(
    self: Array, vec1: Array, vec2: Array, *, beta: Number = 1, alpha: Number = 1
) -> Array:
    dtype = result_type(self, vec1, vec2)
    outer = widen(alpha, dtype) * np.outer(widen(vec1, dtype), widen(vec2, dtype))
    return cast(outer + widen(beta, dtype) * widen(self, dtype) if beta != 0 else outer, dtype)


def linear_default(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """input @ weight.T + bias"""
    require_same_dtype("linear", input, weight)
    dtype = dtype_of(input)
    if input.shape[-1:] != weight.shape[-1:]:
        raise RuntimeError(
            f"linear: input has {input.shape[-1:]} features, weight expects {weight.shape[-1:]}"
        )
    value = accumulate(input, dtype) @ accumulate(weight, dtype).T
    return cast(value if bias is None else value + accumulate(bias, dtype), dtype)


def bilinear_default(
    input1: Array, input2: Array, weight: Array, bias: Array | None = None
) -> Array:
    dtype = dtype_of(input1)
    parts = (accumulate(x, dtype) for x in (input1, weight, input2))
    value = np.einsum("...i,oij,...j->...o", *parts)
    return cast(value if bias is None else value + accumulate(bias, dtype), dtype)


def _trilinear_default(
    i1: Array,
    i2: Array,
    i3: Array,
    expand1: Sizes,
    expand2: Sizes,
    expand3: Sizes,
    sumdim: Sizes,
    unroll_dim: int = 1,
) -> Array:
    """The product of three tensors after unsqueezing each, summed over `sumdim`."""
    dtype = dtype_of(i1)
    value = np.ones((), dtype=np.float64)
    for tensor, expand in ((i1, expand1), (i2, expand2), (i3, expand3)):
        value = value * np.expand_dims(accumulate(tensor, dtype), tuple(expand))
    return cast(value.sum(axis=tuple(sumdim)), dtype)


def outer_default(self: Array, vec2: Array) -> Array:
    dtype = result_type(self, vec2)
    return cast(np.outer(widen(self, dtype), widen(vec2, dtype)), dtype)


def ger_default(self: Array, vec2: Array) -> Array:
    return outer_default(self, vec2)


def inner_default(self: Array, other: Array) -> Array:
    dtype = dtype_of(self)
    return cast(np.inner(accumulate(self, dtype), accumulate(other, dtype)), dtype)


def kron_default(self: Array, other: Array) -> Array:
    dtype = result_type(self, other)
    return cast(np.kron(widen(self, dtype), widen(other, dtype)), dtype)


def tensordot_default(self: Array, other: Array, dims_self: Sizes, dims_other: Sizes) -> Array:
    dtype = dtype_of(self)
    axes = (list(dims_self), list(dims_other))
    return cast(np.tensordot(accumulate(self, dtype), accumulate(other, dtype), axes), dtype)


def einsum_default(equation: str, tensors: Sequence[Array], *, path: Sizes | None = None) -> Array:
    dtype = dtype_of(tensors[0])
    parts = [accumulate(tensor, dtype) for tensor in tensors]
    return cast(np.einsum(equation.replace(" ", ""), *parts), dtype)


def linalg_multi_dot_default(tensors: Sequence[Array]) -> Array:
    dtype = dtype_of(tensors[0])
    return cast(np.linalg.multi_dot([accumulate(t, dtype) for t in tensors]), dtype)


def chain_matmul_default(matrices: Sequence[Array]) -> Array:
    return linalg_multi_dot_default(matrices)


def linalg_cross_default(self: Array, other: Array, *, dim: int = -1) -> Array:
    dtype = result_type(self, other)
    a, b = np.broadcast_arrays(widen(self, dtype), widen(other, dtype))
    a, b = np.moveaxis(a, dim, 0), np.moveaxis(b, dim, 0)
    value = np.stack([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])
    return cast(np.moveaxis(value, 0, dim), dtype)


def cross_default(self: Array, other: Array, dim: int | None = None) -> Array:
    if dim is None:
        dim = self.shape.index(3)
    return linalg_cross_default(self, other, dim=axis_of(dim, self.ndim))


def _cdist_forward_default(x1: Array, x2: Array, p: float, compute_mode: int | None) -> Array:
    """The p-norm distance of every row of x1 to every row of x2."""
    dtype = dtype_of(x1)
    gaps = np.abs(accumulate(x1, dtype)[..., :, None, :] - accumulate(x2, dtype)[..., None, :, :])
    if p == np.inf:
        return cast(gaps.max(axis=-1, initial=0.0), dtype)
    if p == 0:
        return cast((gaps != 0).sum(axis=-1), dtype)
    return cast((gaps**p).sum(axis=-1) ** (1 / p), dtype)


def cdist_default(x1: Array, x2: Array, p: float = 2, compute_mode: int | None = None) -> Array:
    return _cdist_forward_default(x1, x2, p, compute_mode)


def pairwise_distance_default(
    x1: Array, x2: Array, p: float = 2, eps: float = 1e-06, keepdim: bool = False
) -> Array:
    dtype = result_type(x1, x2)
    gap = np.abs(accumulate(x1, dtype) - accumulate(x2, dtype) + eps)
    return cast(np.sum(gap**p, axis=-1, keepdims=keepdim) ** (1 / p), dtype)


def cosine_similarity_default(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-08) -> Array:
    dtype = float_type(x1, x2)
    a, b = np.broadcast_arrays(accumulate(x1, dtype), accumulate(x2, dtype))
    axis = axis_of(dim, a.ndim)
    lengths = [np.maximum(np.sqrt((v * v).sum(axis, keepdims=True)), eps) for v in (a, b)]
    return cast(((a / lengths[0]) * (b / lengths[1])).sum(axis), real_type(dtype))
