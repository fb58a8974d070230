"""Numbers in the blocks of GGUF files: arrays of bytes, one block a row."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

# NumPy arrays of uint8 and float32, whose arithmetic type checkers cannot follow.
Bytes: TypeAlias = Any
Floats: TypeAlias = Any


def half(b: Bytes, at: int) -> Floats:
    """The half-precision number at a place, as float32: one column."""
    return b[:, at : at + 2].copy().view(np.float16).astype(np.float32)


def words(b: Bytes, dtype: Any) -> Any:
    """Little-endian integers."""
    return np.ascontiguousarray(b).view(dtype)


def nibbles(q: Bytes) -> Bytes:
    """Low nibbles, then high ones."""
    return np.concatenate([q & 15, q >> 4], axis=1)


def interleaved_nibbles(q: Bytes) -> Bytes:
    """The low and the high nibble of each byte in turn."""
    return (q[:, :, None] >> np.array([0, 4], np.uint8) & 15).reshape(len(q), -1)


def bits(b: Bytes) -> Bytes:
    """The bits of each byte, the lowest first."""
    return np.unpackbits(np.ascontiguousarray(b), axis=1, bitorder="little")
