"""The numbers behind element types that NumPy does not have.

float8: Micikevicius et al., "FP8 Formats for Deep Learning" (2022), and the fnuz forms of Noune et
al., "8-bit Numerical Formats for Deep Neural Networks" (2022); e8m0: OCP Microscaling Formats 1.0.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rushlight import _C

# exponent bits, mantissa bits, bias, whether infinities exist, whether NaN is the negative zero
_FLOAT8 = {
    "float8_e4m3fn": (4, 3, 7, False, False),
    "float8_e5m2": (5, 2, 15, True, False),
    "float8_e4m3fnuz": (4, 3, 8, False, True),
    "float8_e5m2fnuz": (5, 2, 16, False, True),
}
_QUANTISED = {"qint8": np.int8, "quint8": np.uint8, "qint32": np.int32}


@cache
def float8_table(name: str) -> NDArray[np.float32]:
    """The value of each of the 256 bytes."""
    if name == "float8_e8m0fnu":
        table: NDArray[np.float32] = np.ldexp(1.0, np.minimum(np.arange(256), 254) - 127).astype(
            np.float32
        )
        table[255] = np.nan
        return table
    exponent_bits, mantissa_bits, bias, infinities, unsigned_zero = _FLOAT8[name]
    code = np.arange(256)
    mantissa = code & (1 << mantissa_bits) - 1
    exponent = code >> mantissa_bits & (1 << exponent_bits) - 1
    fraction = mantissa / (1 << mantissa_bits)
    value = np.where(
        exponent == 0,
        np.ldexp(fraction, 1 - bias),
        np.ldexp(1 + fraction, exponent - bias),
    )
    top = exponent == (1 << exponent_bits) - 1
    if infinities:
        value[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
    elif unsigned_zero:
        value[0x80] = np.nan
    else:
        value[top & (mantissa == (1 << mantissa_bits) - 1)] = np.nan
    return np.where(code >= 128, -value, value).astype(np.float32)


def values_of(raw: NDArray[Any], name: str) -> NDArray[Any]:
    """The values of elements given as unsigned integers of their size."""
    if name.startswith("float8"):
        numbers: NDArray[Any] = float8_table(name)[raw]
        return numbers
    if name == "complex32":
        pairs = np.ascontiguousarray(raw).view(np.float16).astype(np.float32)
        numbers = pairs.view(np.complex64)
        return numbers.reshape(raw.shape)
    if name == "bfloat16":
        wide: NDArray[Any] = (raw.astype(np.uint32) << 16).view(np.float32)
        return wide
    if name in _QUANTISED:
        integers: NDArray[Any] = raw.view(_QUANTISED[name])
        return integers
    if name in ("uint16", "uint32", "uint64"):
        return raw
    try:
        return raw.view(np.dtype(name))
    except TypeError:
        raise TypeError(f"NumPy has no type for values of {name}; raw() gives bytes") from None


def as_numpy(tensor: Any) -> NDArray[Any]:
    """A tensor's values; bfloat16, which NumPy does not have, as float32."""
    if tensor.dtype is _C.bfloat16:
        tensor = _C.call_op("aten._to_copy.default", tensor, dtype=_C.float32)
    array: NDArray[Any] = tensor.numpy()
    return array
