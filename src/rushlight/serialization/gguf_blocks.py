"""The quantised blocks of ggml: each is a few scales and small integers.

The layouts are those of ggml's ``ggml-common.h``; K-quants: https://github.com/ggml-org/llama.cpp
/pull/1684; MXFP4: OCP Microscaling Formats 1.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .gguf_iq import iq1_m, iq1_s, iq2_s, iq2_xs, iq2_xxs, iq3_s, iq3_xxs
from .gguf_numbers import Bytes, Floats, bits, half, interleaved_nibbles, nibbles, words

# Levels of IQ4_NL and IQ4_XS, and of MXFP4 (doubled).
_LEVELS = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)
_FP4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
_CHUNK = 1 << 15  # blocks at a time


@dataclass(frozen=True)
class Block:
    """A type of blocks: its name, elements and bytes, and their values."""

    name: str
    elements: int
    nbytes: int
    values: Callable[[Bytes], Floats]


def _high_bits(b: Bytes, at: int) -> Bytes:
    return bits(b[:, at : at + 4]) << 4


def _q4_0(b: Bytes) -> Floats:
    return half(b, 0) * (nibbles(b[:, 2:]).astype(np.float32) - 8)


def _q4_1(b: Bytes) -> Floats:
    return half(b, 0) * nibbles(b[:, 4:]) + half(b, 2)


def _q5_0(b: Bytes) -> Floats:
    q = nibbles(b[:, 6:]) | _high_bits(b, 2)
    return half(b, 0) * (q.astype(np.float32) - 16)


def _q5_1(b: Bytes) -> Floats:
    return half(b, 0) * (nibbles(b[:, 8:]) | _high_bits(b, 4)) + half(b, 2)


def _q8_0(b: Bytes) -> Floats:
    return half(b, 0) * b[:, 2:].view(np.int8)


def _q8_1(b: Bytes) -> Floats:
    return half(b, 0) * b[:, 4:].view(np.int8)


def _two_bits(q: Bytes) -> Bytes:
    """64 bytes -> 16 groups of 16 elements, as Q2_K and Q3_K order them."""
    parts = q.reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    return (parts & 3).reshape(-1, 16, 16)


def _q2_k(b: Bytes) -> Floats:
    scales = b[:, :16]
    d, least = half(b, 80), half(b, 82)
    q = _two_bits(b[:, 16:80])
    steps = (d * (scales & 15))[:, :, None]
    return steps * q - (least * (scales >> 4))[:, :, None]


def _q3_k(b: Bytes) -> Floats:
    raw = b[:, 96:108]
    low = np.concatenate([raw[:, :8] & 15, raw[:, :8] >> 4], axis=1)
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 4, 1)
    high = (raw[:, None, 8:] >> shifts & 3).reshape(-1, 16)
    scales = (low | high << 4).astype(np.float32) - 32
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    mask = (b[:, None, :32] >> bits & 1).reshape(-1, 16, 16)
    q = _two_bits(b[:, 32:96]).astype(np.float32) - 4 * (mask == 0)
    return (half(b, 108) * scales)[:, :, None] * q


def _six_bits(raw: Bytes) -> tuple[Bytes, Bytes]:
    """Scales and minima of Q4_K and Q5_K."""
    first, second, third = raw[:, :4], raw[:, 4:8], raw[:, 8:12]
    scales = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=1)
    least = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=1)
    return scales, least


def _pairs(q: Bytes) -> Bytes:
    """128 bytes -> 8 groups of 32: low nibbles of 32 bytes, then their high ones."""
    parts = q.reshape(-1, 4, 1, 32) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
    return (parts & 15).reshape(-1, 8, 32)


def _k_values(b: Bytes, q: Bytes) -> Floats:
    scales, least = _six_bits(b[:, 4:16])
    return (half(b, 0) * scales)[:, :, None] * q - (half(b, 2) * least)[:, :, None]


def _q4_k(b: Bytes) -> Floats:
    return _k_values(b, _pairs(b[:, 16:]))


def _q5_k(b: Bytes) -> Floats:
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    high = b[:, None, 16:48] >> bits & 1
    return _k_values(b, _pairs(b[:, 48:]) | high << 4)


def _q6_k(b: Bytes) -> Floats:
    low = b[:, :128].reshape(-1, 2, 1, 64) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
    high = b[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(
        1, 1, 4, 1
    )
    q = (low & 15).reshape(-1, 16, 16) | ((high & 3) << 4).reshape(-1, 16, 16)
    scales = b[:, 192:208].view(np.int8)
    return (half(b, 208) * scales)[:, :, None] * (q.astype(np.float32) - 32)


def _q8_k(b: Bytes) -> Floats:
    return b[:, :4].copy().view(np.float32) * b[:, 4:260].view(np.int8)


def _iq4_nl(b: Bytes) -> Floats:
    return half(b, 0) * _LEVELS[nibbles(b[:, 2:])]


def _iq4_xs(b: Bytes) -> Floats:
    high = words(b[:, 2:4], np.uint16) >> np.arange(0, 16, 2, dtype=np.uint16) & 3
    scales = half(b, 0) * ((interleaved_nibbles(b[:, 4:8]) | high << 4).astype(np.float32) - 32)
    q = b[:, 8:].reshape(-1, 8, 16)
    return scales[:, :, None] * _LEVELS[np.concatenate([q & 15, q >> 4], axis=2)]


def _trits(q: Bytes, count: int) -> Bytes:
    """The first trits of each byte, a fraction of 256, for all bytes one after another."""
    powers = np.array([1, 3, 9, 27, 81], np.uint8)[:count].reshape(1, count, 1)
    rest = (q[:, None, :] * powers).astype(np.uint16)
    return (rest * 3 >> 8).reshape(len(q), -1)


def _tq1_0(b: Bytes) -> Floats:
    parts = _trits(b[:, :32], 5), _trits(b[:, 32:48], 5), _trits(b[:, 48:52], 4)
    return half(b, 52) * (np.concatenate(parts, axis=1).astype(np.float32) - 1)


def _tq2_0(b: Bytes) -> Floats:
    q = _two_bits(b[:, :64]).reshape(-1, 256).astype(np.float32)
    return half(b, 64) * (q - 1)


def _mxfp4(b: Bytes) -> Floats:
    scale = np.ldexp(np.float32(1), b[:, :1].astype(np.int32) - 128).astype(np.float32)
    return scale * _FP4[nibbles(b[:, 1:])]


def _nvfp4(b: Bytes) -> Floats:
    exponent, fraction = (b[:, :4] >> 3 & 15).astype(np.int32), (b[:, :4] & 7).astype(np.float32)
    normal = exponent > 0
    scale = np.ldexp(fraction / 8 + normal, np.where(normal, exponent, 1) - 8)  # of doubled values
    scale = np.where(b[:, :4] == 0x7F, 0, scale).astype(np.float32)
    q = b[:, 4:].reshape(-1, 4, 8)
    return scale[:, :, None] * _FP4[np.concatenate([q & 15, q >> 4], axis=2)]


def _q1_0(b: Bytes) -> Floats:
    return half(b, 0) * (bits(b[:, 2:]).astype(np.float32) * 2 - 1)


#: Type number -> block.
BLOCKS: dict[int, Block] = {
    2: Block("Q4_0", 32, 18, _q4_0),
    3: Block("Q4_1", 32, 20, _q4_1),
    6: Block("Q5_0", 32, 22, _q5_0),
    7: Block("Q5_1", 32, 24, _q5_1),
    8: Block("Q8_0", 32, 34, _q8_0),
    9: Block("Q8_1", 32, 36, _q8_1),
    10: Block("Q2_K", 256, 84, _q2_k),
    11: Block("Q3_K", 256, 110, _q3_k),
    12: Block("Q4_K", 256, 144, _q4_k),
    13: Block("Q5_K", 256, 176, _q5_k),
    14: Block("Q6_K", 256, 210, _q6_k),
    15: Block("Q8_K", 256, 292, _q8_k),
    16: Block("IQ2_XXS", 256, 66, iq2_xxs),
    17: Block("IQ2_XS", 256, 74, iq2_xs),
    18: Block("IQ3_XXS", 256, 98, iq3_xxs),
    19: Block("IQ1_S", 256, 50, iq1_s),
    20: Block("IQ4_NL", 32, 18, _iq4_nl),
    21: Block("IQ3_S", 256, 110, iq3_s),
    22: Block("IQ2_S", 256, 82, iq2_s),
    23: Block("IQ4_XS", 256, 136, _iq4_xs),
    29: Block("IQ1_M", 256, 56, iq1_m),
    34: Block("TQ1_0", 256, 54, _tq1_0),
    35: Block("TQ2_0", 256, 66, _tq2_0),
    39: Block("MXFP4", 32, 17, _mxfp4),
    40: Block("NVFP4", 64, 36, _nvfp4),
    41: Block("Q1_0", 128, 18, _q1_0),
}


def dequantize(kind: int, data: Any) -> Any:
    """The values of whole blocks, as the bytes of float32."""
    block = BLOCKS[kind]
    blocks = np.frombuffer(data, np.uint8).reshape(-1, block.nbytes)
    out = np.empty((len(blocks), block.elements), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):  # a scale may be infinite
        for start in range(0, len(blocks), _CHUNK):
            part = blocks[start : start + _CHUNK]
            out[start : start + _CHUNK] = block.values(part).reshape(len(part), -1)
    return out.reshape(-1).view(np.uint8).data
