"""Laws of operators that move data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rushlight

aten = rushlight.ops.aten
Array = np.ndarray[Any, Any]

arrays = hnp.arrays(
    st.sampled_from([np.dtype(t) for t in ("bool", "int8", "int16", "float32", "complex128")]),
    hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5),
)


def same(ours: Any, expected: Array) -> None:
    np.testing.assert_array_equal(np.asarray(ours.numpy()), expected)


@given(arrays, st.data())
@settings(max_examples=60, deadline=None)
def test_split_then_cat_is_the_whole(x: Array, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    size = data.draw(st.integers(1, 6))
    same(aten.cat.default(list(aten.split.Tensor(x, size, dim)), dim), x)


@given(arrays, st.data())
@settings(max_examples=60, deadline=None)
def test_flip_and_roll_undo_themselves(x: Array, data: st.DataObject) -> None:
    dims = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True))
    same(aten.flip.default(x, dims), np.flip(x, dims))
    same(aten.flip.default(aten.flip.default(x, dims), dims), x)
    shift = data.draw(st.integers(-9, 9))
    dim = data.draw(st.integers(0, x.ndim - 1))
    rolled = aten.roll.default(x, [shift], [dim])
    same(rolled, np.roll(x, shift, dim))
    same(aten.roll.default(rolled, [-shift], [dim]), x)


@given(arrays, st.data())
@settings(max_examples=60, deadline=None)
def test_permute_and_reshape_as_numpy(x: Array, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(x.ndim)))
    same(aten.permute.default(x, order), x.transpose(order))
    same(aten.reshape.default(aten.permute.default(x, order), [x.size]), x.transpose(order).ravel())


@given(arrays, st.data())
@settings(max_examples=60, deadline=None)
def test_scatter_undoes_gather(x: Array, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, x.ndim - 1))
    seed = data.draw(st.integers(0, 1000))
    order = np.random.default_rng(seed).permuted(
        np.broadcast_to(np.arange(x.shape[dim]).reshape([-1] + [1] * (x.ndim - 1 - dim)), x.shape),
        axis=dim,
    )
    moved = aten.gather.default(x, dim, order)
    same(moved, np.take_along_axis(x, order, dim))
    same(aten.scatter.src(np.zeros_like(x), dim, order, moved), x)


@given(arrays)
@settings(max_examples=60, deadline=None)
def test_masks(x: Array) -> None:
    mask = np.asarray(x != 0)
    same(aten.index.Tensor(x, [mask]), x[mask])
    same(aten.masked_select.default(x, mask), x[mask])
    same(aten.nonzero.default(x), np.argwhere(x))


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1)), st.data())
@settings(max_examples=60, deadline=None)
def test_sort_orders_and_topk_agrees(x: Array, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, x.ndim - 1))
    values, indices = aten.sort.stable(x, stable=True, dim=dim)
    same(values, np.sort(x, dim))  # NumPy puts NaN last too
    same(aten.gather.default(x, dim, indices), np.sort(x, dim))
    k = data.draw(st.integers(1, x.shape[dim]))
    top, at = aten.topk.default(x, k, dim)
    same(top, np.flip(np.sort(x, dim), dim).take(range(k), dim))
    same(aten.gather.default(x, dim, at), np.asarray(top.numpy()))


def test_index_error_names_the_place() -> None:
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        aten.index.Tensor(np.zeros((2, 3)), [None, np.array([0, 3])])


def test_kernels_on_several_threads_agree() -> None:
    x = np.random.default_rng(0).standard_normal((300, 700)).astype(np.float32)
    before = rushlight.get_num_threads()
    try:
        results = []
        for n in (1, 4):
            rushlight.set_num_threads(n)
            results.append(
                [
                    np.asarray(t.numpy())
                    for t in (
                        aten.cumsum.default(x, 0),
                        aten.sort.default(x, 1)[0],
                        aten.pad.default(x, [3, 3, 2, 2], "reflect"),
                        aten.cat.default([x, x[:, :9]], 1),
                        aten.index_add.default(x, 1, np.arange(700) % 7, x),
                    )
                ]
            )
        for one, many in zip(*results, strict=True):
            np.testing.assert_array_equal(one, many)
    finally:
        rushlight.set_num_threads(before)
