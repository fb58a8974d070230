"""Rows of a table, picked or summed in bags."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, accumulate, cast, dtype_of
from ..indices import checked


def embedding_default(
    weight: Array,
    indices: Array,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Array:
    if indices.size and indices.min() < 0:
        raise IndexError("index out of range in self")
    return weight[checked(indices, len(weight))]


def embedding_bag_padding_idx(
    weight: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Array | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> tuple[Array, Array, Array, Array]:
    return _embedding_bag_default(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
        include_last_offset, -1 if padding_idx is None else padding_idx % len(weight),
    )  # fmt: skip


def embedding_bag_default(
    weight: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Array | None = None,
    include_last_offset: bool = False,
) -> tuple[Array, Array, Array, Array]:
    return _embedding_bag_default(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
        include_last_offset,
    )  # fmt: skip


def _embedding_bag_default(
    weight: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Array | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Array, Array, Array, Array]:
    """`mode`: 0 sum, 1 mean, 2 max. A bag is the indices from its offset to the next one.

    The other results (bag of each index, sizes of bags, places of maxima) serve the gradient;
    the reference gives the first two of them and no places.
    """
    dtype = dtype_of(weight)
    starts = [int(start) for start in offsets]
    ends = [*starts[1:], len(indices)]
    if include_last_offset:
        starts, ends = starts[:-1], starts[1:]
    out = np.zeros((len(starts), weight.shape[1]))
    bag_of = np.zeros(len(indices), dtype=np.int64)
    sizes = np.zeros(len(starts), dtype=np.int64)
    for bag, (start, end) in enumerate(zip(starts, ends, strict=True)):
        bag_of[start:end] = bag
        rows = [i for i in range(start, end) if indices[i] != padding_idx]
        sizes[bag] = len(rows)
        if rows:
            picked = accumulate(weight[indices[rows]], dtype)
            if per_sample_weights is not None:
                picked = picked * accumulate(per_sample_weights[rows], dtype)[:, None]
            out[bag] = (np.sum, np.mean, np.max)[mode](picked, axis=0)
    places = np.zeros(0, dtype=np.int64)
    return cast(out, dtype), cast(bag_of, dtype_of(indices)), sizes, places
