"""What a pickled tensor names."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _C
from rushlight._C import Tensor, dtype


def rebuild(data: bytes, dtype: dtype, sizes: Sequence[int]) -> Tensor:
    """A tensor with the given row-major elements."""
    return _C.tensor_from_bytes(data, dtype, sizes)
