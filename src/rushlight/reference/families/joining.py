"""Concatenation, stacking, tiling, flipping: new tensors from the elements of others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Sizes, at_least_1d, axis_of, cast, copy_of, dtype_of
from ..joining import join
from ..promotion import result_type


def cat_default(tensors: Sequence[Array], dim: int = 0) -> Array:
    return join(tensors, dim)


def concat_default(tensors: Sequence[Array], dim: int = 0) -> Array:
    return join(tensors, dim)


def concatenate_default(tensors: Sequence[Array], dim: int = 0) -> Array:
    return join(tensors, dim)


def stack_default(tensors: Sequence[Array], dim: int = 0) -> Array:
    axis = axis_of(dim, tensors[0].ndim + 1)
    dtype = result_type(*tensors)
    return cast(np.stack([np.asarray(cast(t, dtype)) for t in tensors], axis), dtype)


def hstack_default(tensors: Sequence[Array]) -> Array:
    parts = [at_least_1d(tensor) for tensor in tensors]
    return join(parts, 0 if parts[0].ndim == 1 else 1)


def vstack_default(tensors: Sequence[Array]) -> Array:
    return join([t.reshape(1, -1) if t.ndim < 2 else t for t in tensors], 0)


def dstack_default(tensors: Sequence[Array]) -> Array:
    return join([np.atleast_3d(tensor) for tensor in tensors], 2)


def column_stack_default(tensors: Sequence[Array]) -> Array:
    return join([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors], 1)


def repeat_default(self: Array, repeats: Sizes) -> Array:
    return np.tile(self.reshape((1,) * (len(repeats) - self.ndim) + self.shape), repeats)


def tile_default(self: Array, dims: Sizes) -> Array:
    return np.tile(self, dims)


def repeat_interleave_self_int(
    self: Array, repeats: int, dim: int | None = None, *, output_size: int | None = None
) -> Array:
    if dim is None:
        return np.repeat(self.reshape(-1), repeats)
    return np.repeat(at_least_1d(self), repeats, axis=axis_of(dim, self.ndim))


def repeat_interleave_self_Tensor(
    self: Array, repeats: Array, dim: int | None = None, *, output_size: int | None = None
) -> Array:
    if dim is None:
        return np.repeat(self.reshape(-1), np.broadcast_to(repeats, self.size))
    return np.repeat(self, repeats, axis=axis_of(dim, self.ndim))


def repeat_interleave_Tensor(repeats: Array, *, output_size: int | None = None) -> Array:
    return np.repeat(np.arange(repeats.size), repeats)


def flip_default(self: Array, dims: Sizes) -> Array:
    axes = tuple(axis_of(dim, self.ndim) for dim in dims)
    return copy_of(self) if self.ndim == 0 else copy_of(np.flip(self, axes))


def fliplr_default(self: Array) -> Array:
    return copy_of(np.fliplr(self))


def flipud_default(self: Array) -> Array:
    return copy_of(np.flipud(self))


def roll_default(self: Array, shifts: int | Sizes, dims: int | Sizes = ()) -> Array:
    axes = [dims] if isinstance(dims, int) else list(dims)
    if not axes:
        return np.roll(self, shifts)
    steps = [shifts] if isinstance(shifts, int) else list(shifts)
    return np.roll(self, steps, axis=[axis_of(axis, self.ndim) for axis in axes])


def rot90_default(self: Array, k: int = 1, dims: Sizes = (0, 1)) -> Array:
    return copy_of(np.rot90(self, k, (axis_of(dims[0], self.ndim), axis_of(dims[1], self.ndim))))


def broadcast_tensors_default(tensors: Sequence[Array]) -> list[Array]:
    shape = np.broadcast_shapes(*(tensor.shape for tensor in tensors))
    return [np.broadcast_to(t, shape, subok=True) for t in tensors]


def meshgrid_indexing(tensors: Sequence[Array], *, indexing: str) -> list[Array]:
    vectors = [at_least_1d(tensor) for tensor in tensors]
    grids = np.meshgrid(*vectors, indexing="xy" if indexing == "xy" else "ij")
    return [cast(g, dtype_of(t)) for g, t in zip(grids, tensors, strict=True)]


def meshgrid_default(tensors: Sequence[Array]) -> list[Array]:
    return meshgrid_indexing(tensors, indexing="ij")


def cartesian_prod_default(tensors: Sequence[Array]) -> Array:
    if len(tensors) == 1:
        return tensors[0]
    return stack_default([grid.reshape(-1) for grid in meshgrid_default(tensors)], 1)


def block_diag_default(tensors: Sequence[Array]) -> Array:
    blocks = [t.reshape(1, -1) if t.ndim < 2 else t for t in tensors]
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    dtype = result_type(*tensors)
    out = np.zeros((rows, columns), dtype=np.asarray(cast(0, dtype)).dtype)
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return cast(out, dtype)


def pixel_shuffle_default(self: Array, upscale_factor: int) -> Array:
    """(..., C r r, H, W) to (..., C, H r, W r)."""
    r = upscale_factor
    *batch, channels, height, width = self.shape
    blocks = self.reshape(-1, channels // (r * r), r, r, height, width)
    spread = np.transpose(blocks, (0, 1, 4, 2, 5, 3))
    return spread.reshape(*batch, channels // (r * r), height * r, width * r)


def pixel_unshuffle_default(self: Array, downscale_factor: int) -> Array:
    r = downscale_factor
    *batch, channels, height, width = self.shape
    blocks = self.reshape(-1, channels, height // r, r, width // r, r)
    gathered = np.transpose(blocks, (0, 1, 3, 5, 2, 4))
    return gathered.reshape(*batch, channels * r * r, height // r, width // r)


def channel_shuffle_default(self: Array, groups: int) -> Array:
    n, channels, *rest = self.shape
    mixed = np.swapaxes(self.reshape(n, groups, channels // groups, *rest), 1, 2)
    return mixed.reshape(self.shape)


def tril_default(self: Array, diagonal: int = 0) -> Array:
    return cast(np.tril(np.asarray(self), diagonal), dtype_of(self))


def triu_default(self: Array, diagonal: int = 0) -> Array:
    return cast(np.triu(np.asarray(self), diagonal), dtype_of(self))


def diag_default(self: Array, diagonal: int = 0) -> Array:
    """A vector as the diagonal of a matrix, or a copy of a matrix's diagonal."""
    return copy_of(cast(np.diag(np.asarray(self), diagonal), dtype_of(self)))


def diag_embed_default(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    size = self.shape[-1] + abs(offset)
    out = np.zeros((*self.shape[:-1], size, size), dtype=self.dtype)
    places = np.arange(self.shape[-1])
    out[..., places + max(0, -offset), places + max(0, offset)] = self
    axes = (axis_of(dim1, self.ndim + 1), axis_of(dim2, self.ndim + 1))
    return cast(np.moveaxis(out, (-2, -1), axes), dtype_of(self))
