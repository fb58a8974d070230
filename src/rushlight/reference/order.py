"""Stable orders and runs of equal rows."""

from __future__ import annotations

import numpy as np

from .arrays import Array


def stable_order(values: Array, axis: int, descending: bool) -> Array:
    """The order that sorts along `axis`; equal elements keep theirs, NaN is the largest."""
    plain = np.asarray(values)
    if not descending:
        return np.argsort(plain, axis=axis, kind="stable")
    # Sorting the reversed row upwards and reading it backwards keeps equal elements in order.
    backwards = np.argsort(np.flip(plain, axis), axis=axis, kind="stable")
    return np.asarray(plain.shape[axis] - 1 - np.flip(backwards, axis))


def unique_rows(values: Array) -> tuple[Array, Array, Array]:
    """For runs of equal neighbours along dimension 0: first places, run of each row, lengths."""
    if len(values) == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    rows = values.reshape(len(values), -1)
    starts = np.concatenate([[True], np.any(rows[1:] != rows[:-1], axis=1)])
    keep = np.flatnonzero(starts)
    inverse = np.cumsum(starts) - 1
    return keep, inverse, np.diff(np.append(keep, len(values)))
