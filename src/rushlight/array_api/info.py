"""What the namespace can do."""

from __future__ import annotations

from typing import Any

from rushlight import _C
from rushlight._C import device, dtype

from .dtypes import KINDS, isdtype

_ALL = (*KINDS["bool"], *KINDS["numeric"])


class Info:
    """The object that ``__array_namespace_info__()`` returns."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing and shapes that depend on data are there; dimensions have no limit
        but the one of NumPy for those that go there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> device:
        """The CPU."""
        return _C.device("cpu")

    def default_dtypes(self, *, device: device | str | None = None) -> dict[str, dtype]:
        """The dtypes of new arrays: real floating as `rushlight.set_default_dtype` says."""
        real = _C.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": _C.complex128 if real == _C.float64 else _C.complex64,
            "integral": _C.int64,
            "indexing": _C.int64,
        }

    def dtypes(
        self,
        *,
        device: device | str | None = None,
        kind: str | tuple[str, ...] | None = None,
    ) -> dict[str, dtype]:
        """The standard's dtypes that are there, by name."""
        return {d.name: d for d in _ALL if kind is None or isdtype(d, kind)}

    def devices(self) -> list[device]:
        """The CPU alone."""
        return [self.default_device()]


def __array_namespace_info__() -> Info:  # noqa: N807
    """What dtypes, devices and capabilities there are."""
    return Info()
