"""A tree of arrays as one flat array."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.utils.pytree._pytree_c import tree_flatten, tree_leaves_with_path
from rushlight.utils.pytree.typing import PyTree

__all__ = ["ravel_pytree"]


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


def _library_name(leaf: Any) -> str | None:
    """Which library an array comes from; None for a number, "" for what is neither."""
    if isinstance(leaf, (bool, int, float, complex)):
        return None
    for name, attribute in (("torch", "Tensor"), ("rushlight", "Tensor"), ("numpy", "ndarray")):
        cls = getattr(sys.modules.get(name), attribute, None)
        if cls is not None and isinstance(leaf, cls):
            return name
    name = type(leaf).__module__.partition(".")[0]
    if name in ("jax", "jaxlib"):
        return "jax"
    # Others with NumPy's interface, such as CuPy.
    is_array = hasattr(leaf, "dtype") and hasattr(leaf, "shape")
    return name if is_array and hasattr(sys.modules.get(name), "concatenate") else ""


def _library(tree: PyTree[Any], leaves: list[Any]) -> _Library:
    """The library all array leaves come from; NumPy when there are only numbers."""
    found: str | None = None
    for i, leaf in enumerate(leaves):
        name = _library_name(leaf)
        if name is None or name == found:
            continue
        what = type(leaf).__name__
        if name == "":
            raise TypeError(f"ravel_pytree: at {_place(tree, i)}: an array expected, got {what}")
        if found is not None:
            raise TypeError(
                f"ravel_pytree: at {_place(tree, i)}: an array of {found} expected like those "
                f"before, got one of {name}"
            )
        found = name
    if found == "torch":
        return _torch(sys.modules["torch"])
    if found == "rushlight":
        return _rushlight(sys.modules["rushlight"])
    return _numpy_like(importlib.import_module("jax.numpy" if found == "jax" else found or "numpy"))


def _place(tree: PyTree[Any], index: int) -> str:
    return str(tree_leaves_with_path(tree)[index][0]) or "the root"


def ravel_pytree(pytree: PyTree[Any]) -> tuple[Any, Callable[[Any], Any]]:
    """One vector of all leaves, and the function that takes such a vector back to the tree.

    The leaves are arrays of one library (ours, NumPy, JAX, PyTorch, or one with NumPy's interface
    such as CuPy) or numbers, which become arrays. The vector has the dtype they promote to; going
    back restores each leaf's own shape and dtype.

    Raises:
        TypeError: leaves of several libraries, or that are no arrays; names the path.
        ValueError: from the returned function, for a vector of another length.

    Example:
        >>> flat, unravel = ravel_pytree({"w": np.ones((2, 2)), "b": 3.0})
        >>> unravel(2 * flat)["b"].item()
        6.0
    """
    leaves, treespec = tree_flatten(pytree)
    lib = _library(pytree, leaves)
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
