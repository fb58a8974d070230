"""Where rushlight and PyTorch are known to differ, and why. The operator page prints this."""

from __future__ import annotations

from typing import Any

import torch

# Operators whose values are not defined: only dtype and shape are compared.
UNDEFINED = {
    "aten.empty.memory_format",
    "aten.empty_like.default",
    "aten.empty_permuted.default",
    "aten.empty_strided.default",
    "aten.new_empty.default",
    "aten.new_empty_strided.default",
}

# What remains, with its reason.
_ROUNDED = "half types are rounded once, where PyTorch rounds after every step"
_FIXED_POINT = "uint8: PyTorch resizes with fixed-point weights, which may be off by one"
_COMPLEX = "complex numbers are not implemented"
_TIES = "of equal values another position than PyTorch's selection finds"
_BESSEL = "float64: to the last digits, where PyTorch's approximation has about eight"
REASONS: dict[str, str] = {
    "aten.cov.default": "half types beside float32 weights keep their dtype",
    "aten.linalg_pinv.atol_rtol_tensor": "complex: PyTorch's result inside a dispatch mode, where "
    "the samples run; outside of one both agree",
    "aten.logcumsumexp.default": "complex: the imaginary part may differ by a multiple of 2 pi",
    "aten.median.dim": _TIES,
    "aten.nanmedian.dim": _TIES,
    "aten.pairwise_distance.default": "refuses integers",
    "aten.rrelu.default": "does not check its bounds in evaluation",
    "aten.special_bessel_j0.default": _BESSEL,
    "aten.special_bessel_j1.default": _BESSEL,
    "aten.special_bessel_y0.default": _BESSEL,
    "aten.special_bessel_y1.default": _BESSEL,
    "aten.triplet_margin_loss.default": "refuses integers",
    "aten.argsort.default": "ties keep their order, where PyTorch's unstable sort need not",
    "aten.cosine_similarity.default": _ROUNDED,
    "aten.einsum.default": "a sum of integers keeps their dtype, where PyTorch's becomes int64",
    "aten.grid_sampler.default": _ROUNDED,
    "aten.grid_sampler_2d.default": _ROUNDED,
    "aten.grid_sampler_3d.default": _ROUNDED,
    "aten.hinge_embedding_loss.default": _ROUNDED,
    "aten.l1_loss.default": _COMPLEX,
    "aten.linalg_lstsq.default": "complex residuals are sums of squared absolute values, where "
    "PyTorch squares the numbers themselves",
    "aten.linalg_matrix_exp.default": "bfloat16: PyTorch's powers overflow to NaN",
    "aten.matrix_exp.default": "bfloat16: PyTorch's powers overflow to NaN",
    "aten.mode.default": "of equal values another position than PyTorch's unstable sort finds",
    "aten.native_group_norm.default": "takes strided inputs, which PyTorch's kernel refuses",
    "aten.narrow.Tensor": "takes a bool as start",
    "aten.poisson_nll_loss.default": _ROUNDED,
    "aten.rms_norm.default": _COMPLEX,
    "aten.soft_margin_loss.default": "float16: exponentials do not overflow on the way",
    "aten.sort.default": "ties keep their order, where PyTorch's unstable sort need not",
    "aten.trace.default": "takes more than two dimensions",
    "aten.upsample_bicubic2d.default": _FIXED_POINT,
    "aten.upsample_bicubic2d.vec": _FIXED_POINT,
    "aten.upsample_bilinear2d.default": _FIXED_POINT,
    "aten.upsample_bilinear2d.vec": _FIXED_POINT,
    "aten._upsample_bicubic2d_aa.default": _FIXED_POINT,
    "aten._upsample_bicubic2d_aa.vec": _FIXED_POINT,
    "aten._upsample_bilinear2d_aa.default": _FIXED_POINT,
    "aten._upsample_bilinear2d_aa.vec": _FIXED_POINT,
}

_SVD = {"aten._linalg_svd.default", "aten.linalg_svd.default", "aten.svd.default"}
_EIGEN = {"aten._linalg_eigh.default", "aten.linalg_eigh.default", "aten.linalg_eig.default"}
# Further outputs serve PyTorch's gradients: what they hold is its kernels' own affair.
FIRST_OUTPUTS = {
    "aten._linalg_det.default": 1,
    "aten._linalg_slogdet.default": 2,
    "aten._linalg_solve_ex.default": 1,
    "aten._ctc_loss.default": 1,
    "aten.embedding_bag.default": 1,
    "aten.embedding_bag.padding_idx": 1,
    "aten._embedding_bag.default": 1,
    "aten.nll_loss_forward.default": 1,
    "aten.nll_loss2d_forward.default": 1,
}


def defined_part(name: str, outputs: Any) -> Any:
    """What of an operator's outputs its definition fixes.

    Eigenvectors and singular vectors are defined up to a factor of absolute value 1, and those
    beyond the rank only as a basis.
    """
    if name in _EIGEN:
        return [outputs[0], _size(outputs[1])]
    if name in _SVD:
        u, s, v = outputs
        k = s.shape[-1]
        if u.dim() < 2:  # singular values only
            return list(outputs)
        v = v[..., :k] if name == "aten.svd.default" else v[..., :k, :]
        return [_size(u[..., :k]), s, _size(v)]
    return outputs


def _size(t: torch.Tensor) -> torch.Tensor:
    return t.abs() if t.numel() else t
