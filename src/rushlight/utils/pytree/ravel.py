"""A tree of arrays as one flat array."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.utils.pytree._pytree_c import tree_flatten
from rushlight.utils.pytree.typing import PyTree

# Libraries whose arrays concatenate with cat() and convert with to(); the others follow NumPy.
_TENSOR_LIBRARIES = ("rushlight", "torch")


def _library(leaves: list[Any]) -> ModuleType:
    """The library all array leaves come from; NumPy when there are only numbers."""
    names = set()
    for leaf in leaves:
        if isinstance(leaf, (bool, int, float, complex)):
            continue
        name = type(leaf).__module__.partition(".")[0]
        names.add("jax" if name == "jaxlib" else name)
    if len(names) > 1:
        raise TypeError(f"ravel_pytree: arrays of one library expected, got {sorted(names)}")
    name = names.pop() if names else "numpy"
    if name == "jax":
        import jax.numpy as jnp

        module: ModuleType = jnp
        return module
    if name == "numpy":
        import numpy as np

        return np
    module = sys.modules[name]
    if not any(hasattr(module, function) for function in ("cat", "concatenate")):
        raise TypeError(f"ravel_pytree: arrays expected, got {name}")
    return module


def _ravel_tensors(lib: Any, leaves: list[Any]) -> tuple[Any, Callable[[Any], list[Any]]]:
    tensors = [lib.as_tensor(leaf) for leaf in leaves]
    shapes = [tuple(t.shape) for t in tensors]
    dtypes = [t.dtype for t in tensors]
    common = dtypes[0]
    for dtype in dtypes[1:]:
        common = lib.promote_types(common, dtype)
    flat = lib.cat([t.reshape(-1).to(common) for t in tensors])

    def split(vector: Any) -> list[Any]:
        parts, start = [], 0
        for shape, dtype in zip(shapes, dtypes, strict=True):
            size = math.prod(shape)
            parts.append(vector[start : start + size].reshape(shape).to(dtype))
            start += size
        return parts

    return flat, split


def _ravel_arrays(lib: Any, leaves: list[Any]) -> tuple[Any, Callable[[Any], list[Any]]]:
    arrays = [lib.asarray(leaf) for leaf in leaves]
    shapes = [a.shape for a in arrays]
    dtypes = [a.dtype for a in arrays]
    common = lib.result_type(*dtypes)
    flat = lib.concatenate([a.reshape(-1).astype(common) for a in arrays])

    def split(vector: Any) -> list[Any]:
        parts, start = [], 0
        for shape, dtype in zip(shapes, dtypes, strict=True):
            size = math.prod(shape)
            parts.append(vector[start : start + size].reshape(shape).astype(dtype))
            start += size
        return parts

    return flat, split


def ravel_pytree(pytree: PyTree[Any]) -> tuple[Any, Callable[[Any], Any]]:
    """One vector of all leaves, and the function that takes such a vector back to the tree.

    The leaves are arrays of one library (ours, NumPy, JAX or PyTorch) or numbers, which become
    arrays. The vector has the dtype they promote to; going back restores each leaf's own shape
    and dtype.

    Raises:
        TypeError: leaves of several libraries, or that are no arrays.
        ValueError: from the returned function, for a vector of another length.
    """
    leaves, treespec = tree_flatten(pytree)
    lib = _library(leaves)
    split: Callable[[Any], list[Any]]
    if not leaves:
        flat, split = lib.zeros(0), lambda _: []
    elif lib.__name__ in _TENSOR_LIBRARIES:
        flat, split = _ravel_tensors(lib, leaves)
    else:
        flat, split = _ravel_arrays(lib, leaves)
    expected = tuple(flat.shape)

    def unravel(vector: Any) -> Any:
        if tuple(vector.shape) != expected:
            raise ValueError(
                f"unravel: a vector of shape {expected} expected, got {tuple(vector.shape)}"
            )
        return treespec.unflatten(split(vector))

    return flat, unravel
