"""Element types as files name them, with those that the engine does not compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rushlight import _C


@dataclass(frozen=True)
class StoredDType:
    """An element type that files may hold and the engine does not compute, such as
    ``float8_e4m3fn``. ``name`` is PyTorch's, ``itemsize`` in bytes."""

    name: str
    itemsize: int

    def __repr__(self) -> str:
        return f"rushlight.serialization.StoredDType({self.name!r})"


AnyDType: TypeAlias = "_C.dtype | StoredDType"

_STORED_SIZES = {
    "uint16": 2, "uint32": 4, "uint64": 8, "complex32": 4,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1,
    "qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1, "quint2x4": 1,
    "bits8": 1, "bits16": 2, "bits1x8": 1, "bits2x4": 1, "bits4x2": 1,
    **{f"{sign}int{bits}": 1 for sign in ("", "u") for bits in range(1, 8)},
}  # fmt: skip

#: PyTorch's name of a dtype -> the dtype.
BY_NAME: dict[str, AnyDType] = {
    **{
        name: getattr(_C, name)
        for name in (
            "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
            "float64", "complex64", "complex128",
        )
    },
    **{name: StoredDType(name, size) for name, size in _STORED_SIZES.items()},
}  # fmt: skip

#: The classes that older PyTorch had for each dtype, as pickles still name them.
STORAGE_CLASSES = {
    "FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16", "LongStorage": "int64", "IntStorage": "int32",
    "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8", "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
    "QInt8Storage": "qint8", "QUInt8Storage": "quint8", "QInt32Storage": "qint32",
    "QUInt4x2Storage": "quint4x2", "QUInt2x4Storage": "quint2x4",
}  # fmt: skip

#: The inverse: dtype's name -> class. Dtypes without one are stored as bytes.
CLASS_OF_DTYPE = {dtype: name for name, dtype in STORAGE_CLASSES.items()}

#: Names that are shorthands of others.
ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
    "short": "int16", "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip


def element_parts(name: str) -> int:
    """Numbers in one element, each with a byte order of its own."""
    return 2 if name.startswith("complex") else 1
