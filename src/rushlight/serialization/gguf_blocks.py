"""The quantised blocks of ggml: each is a few scales and small integers.

The layouts are those of ggml's ``ggml-common.h``; K-quants: https://github.com/ggml-org/llama.cpp
/pull/1684; MXFP4: OCP Microscaling Formats 1.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

# NumPy arrays of uint8 and float32, whose arithmetic type checkers cannot follow.
_Bytes: TypeAlias = Any
_Floats: TypeAlias = Any

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
    values: Callable[[_Bytes], _Floats]


def _half(b: _Bytes, at: int) -> _Floats:
    return b[:, at : at + 2].copy().view(np.float16).astype(np.float32)


def _nibbles(q: _Bytes) -> _Bytes:
    """Low nibbles, then high ones."""
    return np.concatenate([q & 15, q >> 4], axis=1)


def _high_bits(b: _Bytes, at: int) -> _Bytes:
    return np.unpackbits(b[:, at : at + 4], axis=1, bitorder="little") << 4


def _q4_0(b: _Bytes) -> _Floats:
    return _half(b, 0) * (_nibbles(b[:, 2:]).astype(np.float32) - 8)


def _q4_1(b: _Bytes) -> _Floats:
    return _half(b, 0) * _nibbles(b[:, 4:]) + _half(b, 2)


def _q5_0(b: _Bytes) -> _Floats:
    q = _nibbles(b[:, 6:]) | _high_bits(b, 2)
    return _half(b, 0) * (q.astype(np.float32) - 16)


def _q5_1(b: _Bytes) -> _Floats:
    return _half(b, 0) * (_nibbles(b[:, 8:]) | _high_bits(b, 4)) + _half(b, 2)


def _q8_0(b: _Bytes) -> _Floats:
    return _half(b, 0) * b[:, 2:].view(np.int8)


def _q8_1(b: _Bytes) -> _Floats:
    return _half(b, 0) * b[:, 4:].view(np.int8)


def _two_bits(q: _Bytes) -> _Bytes:
    """64 bytes -> 16 groups of 16 elements, as Q2_K and Q3_K order them."""
    parts = q.reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    return (parts & 3).reshape(-1, 16, 16)


def _q2_k(b: _Bytes) -> _Floats:
    scales = b[:, :16]
    d, least = _half(b, 80), _half(b, 82)
    q = _two_bits(b[:, 16:80])
    steps = (d * (scales & 15))[:, :, None]
    return steps * q - (least * (scales >> 4))[:, :, None]


def _q3_k(b: _Bytes) -> _Floats:
    raw = b[:, 96:108]
    low = np.concatenate([raw[:, :8] & 15, raw[:, :8] >> 4], axis=1)
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 4, 1)
    high = (raw[:, None, 8:] >> shifts & 3).reshape(-1, 16)
    scales = (low | high << 4).astype(np.float32) - 32
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    mask = (b[:, None, :32] >> bits & 1).reshape(-1, 16, 16)
    q = _two_bits(b[:, 32:96]).astype(np.float32) - 4 * (mask == 0)
    return (_half(b, 108) * scales)[:, :, None] * q


def _six_bits(raw: _Bytes) -> tuple[_Bytes, _Bytes]:
    """Scales and minima of Q4_K and Q5_K."""
    first, second, third = raw[:, :4], raw[:, 4:8], raw[:, 8:12]
    scales = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=1)
    least = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=1)
    return scales, least


def _pairs(q: _Bytes) -> _Bytes:
    """128 bytes -> 8 groups of 32: low nibbles of 32 bytes, then their high ones."""
    parts = q.reshape(-1, 4, 1, 32) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
    return (parts & 15).reshape(-1, 8, 32)


def _k_values(b: _Bytes, q: _Bytes) -> _Floats:
    scales, least = _six_bits(b[:, 4:16])
    return (_half(b, 0) * scales)[:, :, None] * q - (_half(b, 2) * least)[:, :, None]


def _q4_k(b: _Bytes) -> _Floats:
    return _k_values(b, _pairs(b[:, 16:]))


def _q5_k(b: _Bytes) -> _Floats:
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    high = b[:, None, 16:48] >> bits & 1
    return _k_values(b, _pairs(b[:, 48:]) | high << 4)


def _q6_k(b: _Bytes) -> _Floats:
    low = b[:, :128].reshape(-1, 2, 1, 64) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
    high = b[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(
        1, 1, 4, 1
    )
    q = (low & 15).reshape(-1, 16, 16) | ((high & 3) << 4).reshape(-1, 16, 16)
    scales = b[:, 192:208].view(np.int8)
    return (_half(b, 208) * scales)[:, :, None] * (q.astype(np.float32) - 32)


def _q8_k(b: _Bytes) -> _Floats:
    return b[:, :4].copy().view(np.float32) * b[:, 4:260].view(np.int8)


def _iq4_nl(b: _Bytes) -> _Floats:
    return _half(b, 0) * _LEVELS[_nibbles(b[:, 2:])]


def _iq4_xs(b: _Bytes) -> _Floats:
    high = b[:, 2:4].copy().view(np.uint16) >> np.arange(0, 16, 2, dtype=np.uint16) & 3
    low = (b[:, 4:8, None] >> np.array([0, 4], np.uint8) & 15).reshape(-1, 8)
    scales = _half(b, 0) * ((low | high << 4).astype(np.float32) - 32)
    q = b[:, 8:].reshape(-1, 8, 16)
    return scales[:, :, None] * _LEVELS[np.concatenate([q & 15, q >> 4], axis=2)]


def _tq2_0(b: _Bytes) -> _Floats:
    q = _two_bits(b[:, :64]).reshape(-1, 256).astype(np.float32)
    return _half(b, 64) * (q - 1)


def _mxfp4(b: _Bytes) -> _Floats:
    scale = np.ldexp(np.float32(1), b[:, :1].astype(np.int32) - 128).astype(np.float32)
    return scale * _FP4[_nibbles(b[:, 1:])]


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
    20: Block("IQ4_NL", 32, 18, _iq4_nl),
    23: Block("IQ4_XS", 256, 136, _iq4_xs),
    35: Block("TQ2_0", 256, 66, _tq2_0),
    39: Block("MXFP4", 32, 17, _mxfp4),
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
