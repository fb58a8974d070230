"""The IQ1, IQ2 and IQ3 blocks of ggml: 256 elements as indices into a grid, with signs and scales.

https://github.com/ggml-org/llama.cpp/pull/4773 and its successors.
"""

from __future__ import annotations

import numpy as np

from .gguf_grids import grid
from .gguf_numbers import Bytes, Floats, bits, half, interleaved_nibbles, words

_DELTA = 0.125  # of IQ1, in steps


def _signs(b: Bytes) -> Floats:
    """A factor 1 or -1 for each bit."""
    return 1 - 2 * bits(b).astype(np.float32)


def _even_signs(sevens: Bytes) -> Bytes:
    """Seven signs as bytes: the eighth makes their number even."""
    parity = sevens ^ sevens >> 4
    parity ^= parity >> 2
    parity ^= parity >> 1
    return (sevens | (parity & 1) << 7).astype(np.uint8)


def _packed_signs(b: Bytes) -> tuple[Floats, Floats]:
    """Four times seven signs and a scale of 4 bits in each 32."""
    w = words(b, np.uint32)
    sevens = w[:, :, None] >> np.array([0, 7, 14, 21], np.uint32) & 127
    return _signs(_even_signs(sevens).reshape(len(w), -1)), (w >> 28).astype(np.float32)


def _values(name: str, index: Bytes, scales: Floats, signs: Floats) -> Floats:
    """Scaled and signed groups of a grid; the scales are for equally many elements each."""
    groups = grid(name)[index].reshape(len(index), scales.shape[1], -1)
    return (scales[:, :, None] * groups).reshape(len(index), -1) * signs


def iq2_xxs(b: Bytes) -> Floats:
    """Per 32 elements four indices, then signs and scale."""
    parts = b[:, 2:].reshape(-1, 8, 8)
    signs, scale = _packed_signs(parts[:, :, 4:].reshape(-1, 32))
    index = parts[:, :, :4].reshape(-1, 32)
    return _values("IQ2_XXS", index, half(b, 0) * (scale + 0.5) / 4, signs)


def iq2_xs(b: Bytes) -> Floats:
    """Indices of 9 bits with 7 signs; scales for 16 elements."""
    w = words(b[:, 2:66], np.uint16)
    signs = _signs(_even_signs(w >> 9))
    scale = interleaved_nibbles(b[:, 66:]).astype(np.float32)
    return _values("IQ2_XS", w & 511, half(b, 0) * (scale + 0.5) / 4, signs)


def iq2_s(b: Bytes) -> Floats:
    """Indices of 10 bits, the two high ones apart; signs; scales for 16 elements."""
    high = (b[:, 66:74, None] >> np.array([0, 2, 4, 6], np.uint8) & 3).reshape(-1, 32)
    index = b[:, 2:34] | high.astype(np.uint16) << 8
    scale = interleaved_nibbles(b[:, 74:]).astype(np.float32)
    return _values("IQ2_S", index, half(b, 0) * (scale + 0.5) / 4, _signs(b[:, 34:66]))


def iq3_xxs(b: Bytes) -> Floats:
    """Indices, then signs and scales per 32 elements."""
    signs, scale = _packed_signs(b[:, 66:])
    return _values("IQ3_XXS", b[:, 2:66], half(b, 0) * (scale + 0.5) / 2, signs)


def iq3_s(b: Bytes) -> Floats:
    """Indices of 9 bits, the high one apart; signs; scales for 32 elements."""
    index = b[:, 2:66] | bits(b[:, 66:74]).astype(np.uint16) << 8
    scale = interleaved_nibbles(b[:, 106:]).astype(np.float32)
    return _values("IQ3_S", index, half(b, 0) * (2 * scale + 1), _signs(b[:, 74:106]))


def _iq1_values(index: Bytes, scales: Floats, negative: Bytes) -> Floats:
    """``negative``: for each index, whether all its elements are an eighth less, not more."""
    delta = np.where(negative, -_DELTA, _DELTA).astype(np.float32)
    groups = grid("IQ1_S")[index] + delta[:, :, None]
    return (scales[:, :, None] * groups.reshape(len(index), scales.shape[1], -1)).reshape(
        len(index), -1
    )


def iq1_s(b: Bytes) -> Floats:
    """Indices of 11 bits; per 32 elements their high bits, a scale and the sign of the delta."""
    w = words(b[:, 34:], np.uint16)
    high = (w[:, :, None] >> np.array([0, 3, 6, 9], np.uint16) & 7).reshape(-1, 32)
    scale = (w >> 12 & 7).astype(np.float32)
    negative = np.repeat(w >> 15, 4, axis=1)
    return _iq1_values(b[:, 2:34] | high << 8, half(b, 0) * (2 * scale + 1), negative)


def iq1_m(b: Bytes) -> Floats:
    """As ``iq1_s``, with scales for 16 and deltas for 8 elements; the block's own scale is in the
    high nibbles of the others."""
    w = words(b[:, 48:], np.uint16)
    d = np.bitwise_or.reduce(w >> 12 << np.array([0, 4, 8, 12], np.uint16), axis=1, keepdims=True)
    scale = (w[:, :, None] >> np.array([0, 3, 6, 9], np.uint16) & 7).reshape(-1, 16)
    scales = d.astype(np.uint16).view(np.float16).astype(np.float32) * (
        2 * scale.astype(np.float32) + 1
    )
    high = interleaved_nibbles(b[:, 32:48]).astype(np.uint16)
    return _iq1_values(b[:, :32] | (high & 7) << 8, scales, high >> 3)
