"""Arrays of whichever library the caller works with."""

from __future__ import annotations

import sys
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rushlight import Tensor

Array = npt.NDArray[Any]
Kind = Literal["rushlight", "numpy", "torch", "jax"]
KINDS: tuple[str, ...] = get_args(Kind)


def torch_module() -> Any:
    """PyTorch if the program has imported it, else None."""
    return sys.modules.get("torch")


def is_torch_tensor(value: object) -> bool:
    torch = torch_module()
    return torch is not None and isinstance(value, torch.Tensor)


def is_text_or_object(dtype: np.dtype[Any]) -> bool:
    """Arrays of strings, bytes, records, times and Python objects are no library's tensors."""
    return dtype.kind in "SUOMm" or (dtype.kind == "V" and dtype.isbuiltin != 2)


def as_kind(array: Array, kind: Kind) -> Any:
    """The array as a tensor of a library, over the same memory where that library allows it.

    Dtypes that only NumPy has (such as ``uint16``) stay NumPy arrays as ours.
    """
    if kind == "numpy":
        return array
    if kind == "rushlight":
        try:
            return Tensor(array)
        except TypeError:
            return array
    if kind == "torch":
        import torch

        return torch.as_tensor(array)
    import jax.numpy

    return jax.numpy.asarray(array)


def block_array(block: Any, dtype: Any) -> Array:
    """A block of shared memory as an array, which keeps it alive."""
    return np.frombuffer(block, dtype)


def host_array(value: Any) -> Array | None:
    """An array of any library as a NumPy array over the same memory; None for other values."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, np.generic) or not hasattr(value, "__dlpack__"):
        return None
    return np.asarray(value)
