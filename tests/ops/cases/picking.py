"""Indexing, gathering, scattering, embedding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import Case, Source, dims_of, serves

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool")


@serves("index.Tensor", "_unsafe_index.Tensor")
def indexed(operator: str) -> Iterator[Case]:
    source = Source(operator)
    mask = np.array([True, False, True, True])
    for dtype in DTYPES:
        x = source((4, 5, 6), dtype)
        i4, i5, i6 = source.index((3,), 4), source.index((3,), 5), source.index((3,), 6)
        yield (x, [i4]), {}
        yield (x, [source.index((2, 3), 4)]), {}
        yield (x, [None, i5]), {}
        yield (x, [i4, i5]), {}
        yield (x, [i4, None, i6]), {}
        yield (x, [None, i5, i6]), {}
        yield (x, [i4[:, None], i5]), {}
        yield (x, [i4 - 4, None]), {}
        yield (x, [source.index((), 4)]), {}
        yield (x, [np.zeros((0,), np.int64)]), {}
        if "unsafe" not in operator:
            yield (x, [mask]), {}
            yield (x, [source((4, 5), "bool")]), {}
            yield (x, [source((4, 5, 6), "bool")]), {}
        yield (x.T, [source.index((3,), 6, "int32")]), {}


@serves("index_put.default")
def index_put(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "float64", "int64", "bool", "bfloat16"):
        x = source((4, 5), dtype)
        yield (x, [np.array([0, 2])], source((2, 5), dtype)), {}
        yield (x, [np.array([0, 2])], source((), dtype)), {}
        yield (x, [None, np.array([-1, 2])], source((4, 2), dtype)), {}
        yield (x, [np.array([0, 3]), np.array([1, 1])], source((2,), dtype)), {}
        yield (x, [source((4, 5), "bool")], source((1,), dtype)), {}
        if dtype != "bool":
            yield (x, [np.array([1, 1, 2])], source((3, 5), dtype), True), {}


@serves("gather.default", "index_select.default", "take_along_dim.default")
def gathered(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((4, 5, 3), dtype)
        for dim in dims_of(x):
            size = x.shape[dim]
            if name == "index_select":
                yield (x, dim, source.index((6,), size)), {}
                yield (x, dim, source.index((2,), size, "int32")), {}
            elif name == "gather":
                yield (x, dim, source.index((2, 3, 2), size)), {}
            else:
                shape = [4, 5, 3]
                shape[dim] = 2
                yield (x, source.index(shape, size), dim), {}
        yield (x[0, 0], source.index((2,), 3), 0) if name == "take_along_dim" else (
            x[0, 0], 0, source.index((2,), 3)), {}  # fmt: skip


@serves("scatter.src", "scatter.value", "scatter_add.default", "scatter_reduce.two")
def scattered(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.removeprefix("aten.")
    index = np.array([[0, 2, 1], [3, 0, 2]])  # every column has distinct rows
    for dtype in ("float32", "float64", "int64", "int32", "bfloat16"):
        x, values = source((4, 5), dtype), source((3, 4), dtype)
        if name == "scatter.src":
            yield (x, 0, index, values), {}
            yield (x, -1, np.array([[0, 4, 1], [3, 0, 2]]), values), {}
        elif name == "scatter.value":
            yield (x, 0, index, 2), {}
            yield (x, 1, index, 1), {}
        elif name == "scatter_add.default":
            yield (x, 0, np.zeros((2, 3), np.int64), values), {}
            yield (x, -1, index, values), {}
        elif dtype != "bfloat16":
            for reduce in ("sum", "prod", "mean", "amax", "amin"):
                if reduce == "mean" and dtype.startswith("int"):
                    continue
                yield (x, 0, np.array([[0, 1, 1], [0, 1, 2]]), values, reduce), {}
                yield (x, 1, index, values, reduce), {"include_self": False}


@serves("index_add.default", "index_copy.default", "index_fill.int_Scalar")
def along_index(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64", "int64", "bfloat16"):
        x = source((4, 5), dtype)
        if name == "index_fill":
            yield (x, 0, np.array([0, 2]), 1), {}
            yield (x, -1, np.array([4]), -1), {}
            continue
        yield (x, 0, np.array([0, 2]), source((2, 5), dtype)), {}
        yield (x, -1, np.array([4, 1]), source((4, 2), dtype)), {}
        if name == "index_add":
            yield (x, 0, np.array([1, 1]), source((2, 5), dtype)), {"alpha": 2}


@serves("masked_select.default", "masked_scatter.default", "nonzero.default", "take.default",
        "where.default")  # fmt: skip
def masked(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((3, 4), dtype)
        if name == "masked_select":
            yield (x, source((3, 4), "bool")), {}
            yield (x, source((4,), "bool")), {}
        elif name == "masked_scatter":
            yield (x, source((3, 4), "bool"), source((12,), dtype)), {}
        elif name == "take":
            yield (x, source.index((2, 2), 12)), {}
        elif name == "nonzero":
            yield (source((3, 4), dtype, 0, 1),), {}
            yield (source((), dtype),), {}
            yield (source((0, 3), dtype),), {}
        else:
            yield (source((3, 4), "bool"),), {}


@serves("embedding.default")
def embedding(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        table = source((7, 4), dtype)
        for shape in ((3,), (2, 3), (), (0,)):
            yield (table, source.index(shape, 7)), {}
        yield (table, source.index((3,), 7, "int32"), 2), {}


@serves("tril.default")
def square(operator: str) -> Iterator[Case]:
    yield (Source(operator)((5, 5), "float64"),), {}
