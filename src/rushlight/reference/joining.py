"""Concatenation, which several families share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Array, axis_of, cast
from .promotion import result_type


def join(tensors: Sequence[Array], dim: int) -> Array:
    """torch.cat: promotes the types; 1-d tensors without elements are ignored."""
    dtype = result_type(*tensors)
    parts = [tensor for tensor in tensors if tensor.shape != (0,)] or list(tensors[:1])
    axis = axis_of(dim, parts[0].ndim)
    return cast(np.concatenate([np.asarray(cast(part, dtype)) for part in parts], axis), dtype)
