"""A tree of arrays as one flat array."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.utils.pytree._pytree_c import tree_flatten
from rushlight.utils.pytree.typing import PyTree


class _Library(NamedTuple):
    """What is done with the arrays of one library."""

    array: Callable[[Any], Any]  # of an array or a number
    promote: Callable[[Any, Any], Any]  # two dtypes
    convert: Callable[[Any, Any, Any], Any]  # array, shape, dtype
    concatenate: Callable[[list[Any]], Any]
    part: Callable[[Any, int, int], Any]  # vector, start, stop


def _part(vector: Any, start: int, stop: int) -> Any:
    return vector[start:stop]


def _numpy_like(lib: Any) -> _Library:
    return _Library(
        lib.asarray,
        lib.result_type,
        lambda array, shape, dtype: array.reshape(shape).astype(dtype),
        lib.concatenate,
        _part,
    )


def _torch(lib: Any) -> _Library:
    return _Library(
        lib.as_tensor,
        lib.promote_types,
        lambda tensor, shape, dtype: tensor.reshape(shape).to(dtype),
        lib.cat,
        _part,
    )


def _rushlight(lib: Any) -> _Library:
    aten = importlib.import_module("rushlight.ops").aten
    np = importlib.import_module("numpy")

    def array(value: Any) -> Any:
        if isinstance(value, lib.Tensor):
            return value
        # PyTorch's dtypes for numbers.
        kinds = ((bool, np.bool_), (int, np.int64), (float, np.float32), (complex, np.complex64))
        dtype = next(kind for cls, kind in kinds if isinstance(value, cls))
        return lib.from_numpy(np.asarray(value, dtype=dtype))

    def convert(tensor: Any, shape: Any, dtype: Any) -> Any:
        return aten._to_copy(aten.reshape(tensor, list(shape)), dtype=dtype)

    def part(vector: Any, start: int, stop: int) -> Any:
        return aten.slice.Tensor(vector, 0, start, stop)

    return _Library(array, lib.promote_types, convert, aten.cat, part)


def _library(leaves: list[Any]) -> _Library:
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
    if name in ("numpy", "jax"):
        return _numpy_like(importlib.import_module("numpy" if name == "numpy" else "jax.numpy"))
    module = sys.modules[name]
    if name in ("torch", "rushlight"):
        cls = module.Tensor
        other = next(
            (leaf for leaf in leaves if not isinstance(leaf, (cls, int, float, complex))), 0
        )
        if not isinstance(other, int):
            raise TypeError(f"ravel_pytree: arrays expected, got {type(other).__name__}")
        return _torch(module) if name == "torch" else _rushlight(module)
    if not hasattr(module, "concatenate"):
        raise TypeError(f"ravel_pytree: arrays expected, got {name}")
    return _numpy_like(module)


def ravel_pytree(pytree: PyTree[Any]) -> tuple[Any, Callable[[Any], Any]]:
    """One vector of all leaves, and the function that takes such a vector back to the tree.

    The leaves are arrays of one library (ours, NumPy, JAX, PyTorch, or one with NumPy's interface
    such as CuPy) or numbers, which become arrays. The vector has the dtype they promote to; going
    back restores each leaf's own shape and dtype.

    Raises:
        TypeError: leaves of several libraries, or that are no arrays.
        ValueError: from the returned function, for a vector of another length.

    Example:
        >>> flat, unravel = ravel_pytree({"w": np.ones((2, 2)), "b": 3.0})
        >>> unravel(2 * flat)["b"].item()
        6.0
    """
    leaves, treespec = tree_flatten(pytree)
    lib = _library(leaves)
    arrays = [lib.array(leaf) for leaf in leaves]
    shapes = [tuple(a.shape) for a in arrays]
    dtypes = [a.dtype for a in arrays]
    sizes = [math.prod(shape) for shape in shapes]
    if arrays:
        common = functools.reduce(lib.promote, dtypes)
        flat = lib.concatenate([lib.convert(a, (-1,), common) for a in arrays])
    else:
        flat = importlib.import_module("numpy").zeros(0)
    expected = tuple(flat.shape)

    def unravel(vector: Any) -> Any:
        if tuple(vector.shape) != expected:
            raise ValueError(
                f"unravel: a vector of shape {expected} expected, got {tuple(vector.shape)}"
            )
        parts, start = [], 0
        for size, shape, dtype in zip(sizes, shapes, dtypes, strict=True):
            parts.append(lib.convert(lib.part(vector, start, start + size), shape, dtype))
            start += size
        return treespec.unflatten(parts)

    return flat, unravel
