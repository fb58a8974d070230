"""`finfo` and `iinfo`: the limits of number types."""

from __future__ import annotations

from rushlight import _C
from rushlight._C import dtype

__all__ = ["finfo", "iinfo"]

# bits, explicit mantissa bits, exponent range
_FLOATS = {
    "float16": (16, 10, -14, 15),
    "bfloat16": (16, 7, -126, 127),
    "float32": (32, 23, -126, 127),
    "float64": (64, 52, -1022, 1023),
}


class finfo:  # noqa: N801 - PyTorch's name
    """Limits of a floating point type (of a complex type: of its parts); the default dtype's
    without an argument."""

    def __init__(self, type: dtype | None = None) -> None:
        name = (type or _C.get_default_dtype()).name
        name = {"complex64": "float32", "complex128": "float64"}.get(name, name)
        if name not in _FLOATS:
            raise TypeError(
                f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'{name}'"
            )
        self.dtype = name
        self.bits, mantissa, low, high = _FLOATS[name]
        self.eps = 2.0**-mantissa
        self.max = (2.0 - self.eps) * 2.0**high
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.resolution = 10.0 ** -int(mantissa * 0.30103)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:  # noqa: N801 - PyTorch's name
    """Limits of an integer type."""

    def __init__(self, type: dtype) -> None:
        if type.is_floating_point or type.is_complex:
            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'{type.name}'"
            )
        self.dtype: str = type.name
        self.bits: int = 8 if type.name == "bool" else 8 * type.itemsize
        signed = type.is_signed
        self.min: int = -(2 ** (self.bits - 1)) if signed else 0
        self.max: int = 2 ** (self.bits - (1 if signed else 0)) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
