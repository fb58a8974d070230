"""Softmax on plain arrays, and the masks of attention."""

from __future__ import annotations

import numpy as np

from .arrays import Array, at_least_1d, axis_of


def log_softmax(values: Array, dim: int) -> Array:
    """x - log(sum(exp(x))), the largest element subtracted first."""
    rows = at_least_1d(values)
    axis = axis_of(dim, values.ndim)
    if rows.size == 0:
        return values
    shifted = rows - rows.max(axis=axis, keepdims=True)
    result = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return np.asarray(result.reshape(values.shape))


def softmax(values: Array, dim: int) -> Array:
    rows = at_least_1d(values)
    axis = axis_of(dim, values.ndim)
    if rows.size == 0:
        return values
    powers = np.exp(rows - rows.max(axis=axis, keepdims=True))
    return np.asarray((powers / powers.sum(axis=axis, keepdims=True)).reshape(values.shape))


def masked_scores(scores: Array, mask: Array | None, is_causal: bool) -> Array:
    """Attention scores with masked places at -inf."""
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    if mask is None:
        return scores
    if mask.dtype == np.bool_:
        return np.where(mask, scores, -np.inf)
    return np.asarray(scores + np.asarray(mask))
