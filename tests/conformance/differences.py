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
REASONS: dict[str, str] = {}

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
