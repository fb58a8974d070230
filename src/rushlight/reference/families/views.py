"""Views: the same memory under other sizes and strides."""

from __future__ import annotations

import numpy as np

from ..arrays import (
    Array,
    BFloat16Array,
    Sizes,
    at_least_1d,
    axis_of,
    cast,
    dtype_of,
    is_complex,
    round_to_bfloat16,
)
from ..strided import strided


def view_default(self: Array, size: Sizes) -> Array:
    return self.reshape(tuple(size))


def reshape_default(self: Array, shape: Sizes) -> Array:
    return self.reshape(tuple(shape))


def _unsafe_view_default(self: Array, size: Sizes) -> Array:
    return self.reshape(tuple(size))


def _reshape_alias_default(self: Array, size: Sizes, stride: Sizes) -> Array:
    return self.reshape(tuple(size))


def view_as_default(self: Array, other: Array) -> Array:
    return self.reshape(other.shape)


def reshape_as_default(self: Array, other: Array) -> Array:
    return self.reshape(other.shape)


def view_dtype(self: Array, dtype: str) -> Array:
    """The same bytes read as another type; the last dimension grows or shrinks with its size."""
    source: Array = np.asarray(self)
    if isinstance(self, BFloat16Array):
        source = (np.ascontiguousarray(source).view(np.uint32) >> 16).astype(np.uint16)
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(source).view(np.uint16).astype(np.uint32) << 16
        return cast(round_to_bfloat16(bits.view(np.float32)), dtype)
    return np.ascontiguousarray(source).reshape(source.shape).view(dtype)


def view_as_real_default(self: Array) -> Array:
    """A complex tensor as pairs of real and imaginary part in a new last dimension."""
    return np.stack([self.real, self.imag], axis=-1)


def view_as_complex_default(self: Array) -> Array:
    dtype = "complex128" if dtype_of(self) == "float64" else "complex64"
    return cast(self[..., 0] + 1j * self[..., 1], dtype)


def flatten_using_ints(self: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    if self.ndim == 0:
        return self.reshape(1)
    start, end = axis_of(start_dim, self.ndim), axis_of(end_dim, self.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    merged = int(np.prod(self.shape[start : end + 1], dtype=np.int64))
    return self.reshape(*self.shape[:start], merged, *self.shape[end + 1 :])


def ravel_default(self: Array) -> Array:
    return self.reshape(-1)


def unflatten_int(self: Array, dim: int, sizes: Sizes) -> Array:
    axis = axis_of(dim, self.ndim)
    known = int(np.prod([size for size in sizes if size != -1], dtype=np.int64))
    filled = [self.shape[axis] // known if size == -1 else size for size in sizes]
    return self.reshape(*self.shape[:axis], *filled, *self.shape[axis + 1 :])


def permute_default(self: Array, dims: Sizes) -> Array:
    return np.transpose(self, [axis_of(dim, self.ndim) for dim in dims])


def transpose_int(self: Array, dim0: int, dim1: int) -> Array:
    if self.ndim == 0:
        axis_of(dim0, 0), axis_of(dim1, 0)
        return self
    return np.swapaxes(self, axis_of(dim0, self.ndim), axis_of(dim1, self.ndim))


def transpose__default(self: Array, dim0: int, dim1: int) -> Array:
    """The in-place twin of `transpose.int`: the same memory under the new sizes."""
    return transpose_int(self, dim0, dim1)


def swapaxes_default(self: Array, axis0: int, axis1: int) -> Array:
    return transpose_int(self, axis0, axis1)


def swapdims_default(self: Array, dim0: int, dim1: int) -> Array:
    return transpose_int(self, dim0, dim1)


def t_default(self: Array) -> Array:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return np.transpose(self)


def numpy_T_default(self: Array) -> Array:
    return np.transpose(self)


def matrix_H_default(self: Array) -> Array:
    return np.conj(np.transpose(self)) if is_complex(dtype_of(self)) else np.transpose(self)


def mT_default(self: Array) -> Array:
    return np.swapaxes(self, -2, -1)


def mH_default(self: Array) -> Array:
    return np.conj(mT_default(self)) if is_complex(dtype_of(self)) else mT_default(self)


def adjoint_default(self: Array) -> Array:
    return mH_default(self)


def movedim_intlist(self: Array, source: Sizes, destination: Sizes) -> Array:
    return np.moveaxis(self, tuple(source), tuple(destination))


def movedim_int(self: Array, source: int, destination: int) -> Array:
    if self.ndim == 0:
        return self
    return np.moveaxis(self, source, destination)


def squeeze_default(self: Array) -> Array:
    return self.squeeze()


def squeeze_dims(self: Array, dim: Sizes) -> Array:
    """Removes those of the given dimensions whose size is 1."""
    axes = {axis_of(d, self.ndim) for d in dim}
    return self.reshape([s for i, s in enumerate(self.shape) if i not in axes or s != 1])


def squeeze_dim(self: Array, dim: int) -> Array:
    return squeeze_dims(self, [dim])


def unsqueeze_default(self: Array, dim: int) -> Array:
    return np.expand_dims(self, axis_of(dim, self.ndim + 1))


def expand_default(self: Array, size: Sizes, *, implicit: bool = False) -> Array:
    """Repeats dimensions of size 1 without copying; -1 keeps a size."""
    offset = len(size) - self.ndim
    if offset < 0:
        raise RuntimeError(
            f"expand: {len(size)} sizes given for a tensor with {self.ndim} dimensions"
        )
    wanted = [self.shape[i - offset] if s == -1 else s for i, s in enumerate(size)]
    try:
        result: Array = np.broadcast_to(np.asarray(self), wanted)
    except ValueError as error:
        raise RuntimeError(f"expand: sizes {list(self.shape)} do not fit {wanted}") from error
    return result.view(type(self))


def expand_as_default(self: Array, other: Array) -> Array:
    return expand_default(self, other.shape)


def broadcast_to_default(self: Array, size: Sizes) -> Array:
    return expand_default(self, size)


def slice_Tensor(
    self: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    if self.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, self.ndim)
    return self[(slice(None),) * axis + (slice(start, end, step),)]


def narrow_default(self: Array, dim: int, start: int, length: int) -> Array:
    first = start + self.shape[axis_of(dim, self.ndim)] if start < 0 else start
    return slice_Tensor(self, dim, first, first + length)


def select_int(self: Array, dim: int, index: int) -> Array:
    if self.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, self.ndim)
    if not -self.shape[axis] <= index < self.shape[axis]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} "
            f"at dimension {axis}"
        )
    return self[(slice(None),) * axis + (index, Ellipsis)]


def diagonal_default(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    view = np.diagonal(self, offset, axis_of(dim1, self.ndim), axis_of(dim2, self.ndim))
    view.flags.writeable = self.flags.writeable
    return view


def as_strided_default(
    self: Array, size: Sizes, stride: Sizes, storage_offset: int | None = None
) -> Array:
    return strided(self, size, stride, storage_offset)


def unfold_default(self: Array, dimension: int, size: int, step: int) -> Array:
    """Windows of `size` every `step`, in a new last dimension."""
    value = at_least_1d(self)
    axis = axis_of(dimension, self.ndim)
    windows = np.lib.stride_tricks.sliding_window_view(
        value, size, axis=axis, writeable=True, subok=True
    )
    result: Array = windows[(slice(None),) * axis + (slice(None, None, step),)]
    return result[0] if self.ndim == 0 else result


def split_with_sizes_default(self: Array, split_sizes: Sizes, dim: int = 0) -> list[Array]:
    axis = axis_of(dim, self.ndim)
    if sum(split_sizes) != self.shape[axis]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[axis]} "
            f"(input tensor's size at dimension {axis}), but got split_sizes={list(split_sizes)}"
        )
    ends = np.cumsum(split_sizes).tolist()
    return [
        slice_Tensor(self, axis, end - size, end)
        for end, size in zip(ends, split_sizes, strict=True)
    ]


def split_sizes(self: Array, split_size: Sizes, dim: int = 0) -> list[Array]:
    return split_with_sizes_default(self, split_size, dim)


def split_Tensor(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    length = self.shape[axis_of(dim, self.ndim)]
    if split_size == 0:
        return [self]
    starts = range(0, length, split_size) if length else range(1)
    return [slice_Tensor(self, dim, start, start + split_size) for start in starts]


def chunk_default(self: Array, chunks: int, dim: int = 0) -> list[Array]:
    length = self.shape[axis_of(dim, self.ndim)]
    if length == 0:
        return [self] * chunks
    return split_Tensor(self, -(-length // chunks), dim)


def tensor_split_sections(self: Array, sections: int, dim: int = 0) -> list[Array]:
    return list(np.array_split(self, sections, axis=axis_of(dim, self.ndim)))


def tensor_split_indices(self: Array, indices: Sizes, dim: int = 0) -> list[Array]:
    return [
        slice_Tensor(self, dim, start, end)
        for start, end in zip([0, *indices], [*indices, None], strict=True)
    ]


def unsafe_split_Tensor(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    return split_Tensor(self, split_size, dim)


def unsafe_chunk_default(self: Array, chunks: int, dim: int = 0) -> list[Array]:
    return chunk_default(self, chunks, dim)


def unbind_int(self: Array, dim: int = 0) -> list[Array]:
    axis = axis_of(dim, self.ndim)
    return [select_int(self, axis, i) for i in range(self.shape[axis])]


def alias_default(self: Array) -> Array:
    return self[...]


def detach_default(self: Array) -> Array:
    return self[...]


def lift_fresh_default(self: Array) -> Array:
    return self


def atleast_1d_default(self: Array) -> Array:
    return at_least_1d(self)


def atleast_2d_default(self: Array) -> Array:
    return self.reshape((1,) * (2 - self.ndim) + self.shape)


def atleast_3d_default(self: Array) -> Array:
    if self.ndim >= 3:
        return self
    return at_least_1d(self).reshape(1, -1, 1) if self.ndim < 2 else self[..., None]
