"""Softmax and attention."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, accumulate, axis_of, cast, dtype_of
from ..softmax import log_softmax, masked_scores, softmax


def _softmax_default(self: Array, dim: int, half_to_float: bool) -> Array:
    dtype = "float32" if half_to_float else dtype_of(self)
    return cast(softmax(accumulate(self, dtype_of(self)), dim), dtype)


def softmax_int(self: Array, dim: int, dtype: str | None = None) -> Array:
    return _softmax_default(cast(self, dtype or dtype_of(self)), dim, False)


def _safe_softmax_default(self: Array, dim: int, dtype: str | None = None) -> Array:
    """Rows that are -inf throughout become 0 instead of NaN."""
    value = softmax_int(self, dim, dtype)
    axis = axis_of(dim, self.ndim)
    masked = np.all(np.asarray(self) == -np.inf, axis=axis, keepdims=True)
    return cast(np.where(masked, 0, np.asarray(value)), dtype_of(value))


def _log_softmax_default(self: Array, dim: int, half_to_float: bool) -> Array:
    dtype = "float32" if half_to_float else dtype_of(self)
    return cast(log_softmax(accumulate(self, dtype_of(self)), dim), dtype)


def log_softmax_int(self: Array, dim: int, dtype: str | None = None) -> Array:
    return _log_softmax_default(cast(self, dtype or dtype_of(self)), dim, False)


def scaled_dot_product_attention_default(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Array:
    """softmax(query @ key.T * scale + mask) @ value; scale is 1 / sqrt(width) unless given.

    A boolean mask keeps what is true; rows that are masked throughout give 0.
    """
    if dropout_p > 0:
        raise NotImplementedError("attention: the reference interpreter draws no random numbers")
    dtype = dtype_of(query)
    q, k, v = (accumulate(x, dtype) for x in (query, key, value))
    if enable_gqa:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], axis=-3) for x in (k, v))
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = masked_scores(q @ np.swapaxes(k, -1, -2) * factor, attn_mask, is_causal)
    empty = np.all(scores == -np.inf, axis=-1, keepdims=True)
    weights = np.where(empty, 0, softmax(scores, -1))
    return cast(weights @ v, dtype)


def _scaled_dot_product_flash_attention_for_cpu_default(
    query: Array,
    key: Array,
    value: Array,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Array | None = None,
    scale: float | None = None,
) -> tuple[Array, Array]:
    """The attention, and the logarithm of every row's sum of exponentials."""
    dtype = dtype_of(query)
    out = scaled_dot_product_attention_default(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale
    )
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = accumulate(query, dtype) @ np.swapaxes(accumulate(key, dtype), -1, -2) * factor
    scores = masked_scores(scores, attn_mask, is_causal)
    largest = np.max(scores, axis=-1, keepdims=True)
    total = np.log(np.sum(np.exp(scores - largest), axis=-1)) + largest[..., 0]
    return out, cast(total, "float64" if dtype == "float64" else "float32")
