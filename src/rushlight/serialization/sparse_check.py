"""The rules of sparse tensors, and their dense form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .stored_values import as_numpy

if TYPE_CHECKING:
    from .tensors import SparseTensor

_MAX_DENSE = 1 << 34  # bytes
_MAX_REPEATED = 1 << 20  # bytes of indices by which strides of 0 may exceed their storage


def check_sparse(tensor: SparseTensor) -> None:
    """RuntimeError unless the indices lie inside and the sizes agree."""
    if getattr(tensor._values, "is_meta", False):
        return
    try:
        (_check_coo if tensor.layout == "sparse_coo" else _check_compressed)(tensor)
    except (ValueError, IndexError, TypeError) as error:
        raise RuntimeError(f"a sparse tensor is not valid: {error}") from error


def _index_array(tensor: Any) -> NDArray[Any]:
    size = tensor.numel() * tensor.dtype.itemsize
    if size > max(tensor.untyped_storage().nbytes(), _MAX_REPEATED):
        raise ValueError(f"indices of {size} bytes in a storage that is smaller")
    array: NDArray[Any] = tensor.numpy()
    if array.dtype.kind != "i":
        raise ValueError(f"indices of dtype {array.dtype}")
    return array


def _inside(indices: NDArray[Any], bound: Any, what: str) -> None:
    if indices.size and (int(indices.min()) < 0 or bool((indices >= bound).any())):
        raise ValueError(f"{what} lie outside the sizes")


def _check_coo(tensor: SparseTensor) -> None:
    indices = _index_array(tensor._indices[0])
    if indices.ndim != 2 or indices.shape[0] > len(tensor.shape):
        raise ValueError(f"indices of sizes {indices.shape} for {len(tensor.shape)} dimensions")
    expected = (indices.shape[1], *tensor.shape[indices.shape[0] :])
    if tuple(tensor._values.shape) != expected:
        raise ValueError(f"values of sizes {tuple(tensor._values.shape)}, expected {expected}")
    bound = np.array(tensor.shape[: indices.shape[0]], np.int64).reshape(-1, 1)
    _inside(indices, bound, "indices")


def _check_compressed(tensor: SparseTensor) -> None:
    compressed, plain = (_index_array(i) for i in tensor._indices)
    batch = compressed.ndim - 1
    blocked = tensor.layout in ("sparse_bsr", "sparse_bsc")
    values = tuple(tensor._values.shape)
    if plain.ndim != batch + 1 or len(values) < batch + 1 + 2 * blocked:
        raise ValueError("indices and values differ in dimensions")
    if len(tensor.shape) < batch + 2 or values[: batch + 1] != plain.shape:
        raise ValueError(f"values of sizes {values} for {plain.shape} indices")
    rows, columns = tensor.shape[batch : batch + 2]
    if blocked:
        high, wide = values[batch + 1 : batch + 3]
        if not high or not wide or rows % high or columns % wide:
            raise ValueError(f"blocks of {high} x {wide} do not fill {rows} x {columns}")
        rows, columns = rows // high, columns // wide
    if tensor.layout in ("sparse_csc", "sparse_bsc"):
        rows, columns = columns, rows
    if compressed.shape[-1] != rows + 1:
        raise ValueError(f"{compressed.shape[-1]} compressed indices for {rows} rows")
    count = plain.shape[-1]
    steps = np.diff(compressed, axis=-1)
    if (compressed[..., 0] != 0).any() or (compressed[..., -1] != count).any() or (steps < 0).any():
        raise ValueError("compressed indices do not run from 0 to the number of values")
    _inside(plain, columns, "plain indices")


def to_dense(tensor: SparseTensor) -> NDArray[Any]:
    """The whole, zeros included."""
    values = tensor._values
    array = as_numpy(values)
    size = array.dtype.itemsize
    for n in tensor.shape:
        size *= n
    if size > _MAX_DENSE:
        raise RuntimeError(f"the dense form of sizes {tensor.shape} would take {size} bytes")
    dense: NDArray[Any] = np.zeros(tensor.shape, array.dtype)
    if tensor.layout == "sparse_coo":
        np.add.at(dense, tuple(tensor._indices[0].numpy()), array)
        return dense
    compressed, plain = (i.numpy() for i in tensor._indices)
    batch = compressed.ndim - 1
    blocked = tensor.layout in ("sparse_bsr", "sparse_bsc")
    by_column = tensor.layout in ("sparse_csc", "sparse_bsc")
    high, wide = array.shape[batch + 1 : batch + 3] if blocked else (1, 1)
    for at in np.ndindex(*compressed.shape[:-1]):
        rows = np.repeat(np.arange(compressed.shape[-1] - 1), np.diff(compressed[at]))
        pairs = (plain[at], rows) if by_column else (rows, plain[at])
        for k, (r, c) in enumerate(zip(*pairs, strict=True)):
            target = dense[at][r * high : (r + 1) * high, c * wide : (c + 1) * wide]
            target += array[at][k] if blocked else array[at][k][None, None]
    return dense
