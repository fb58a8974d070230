"""Sorting, ranking, searching, counting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import FLOATS, INTEGERS, Case, Source, dims_of, serves


@serves("sort.default", "sort.stable", "argsort.default", "argsort.stable", "topk.default",
        "kthvalue.default", "median.dim", "msort.default")  # fmt: skip
def ordered(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    stable = {"stable": True} if operator.endswith("stable") else {}
    for dtype in (*FLOATS, *INTEGERS):
        x = source.distinct((3, 4, 5), dtype)
        if name == "msort":
            yield (x,), {}
            continue
        for dim in dims_of(x):
            if stable:
                yield (x,), {"dim": dim, **stable}
                yield (x,), {"dim": dim, "descending": True, **stable}
            elif name in ("sort", "argsort"):
                yield (x, dim), {}
                yield (x, dim, True), {}
            elif name == "topk":
                yield (x, 2, dim), {}
                yield (x, 3, dim, False), {}
                yield (x, 0, dim), {}
            elif name == "kthvalue":
                yield (x, 2, dim), {}
                yield (x, 1, dim, True), {}
            else:
                yield (x, dim), {}
                yield (x, dim, True), {}
    x = np.array([[3, np.nan, 1, 2], [np.inf, 0, -np.inf, -1]], np.float32)
    if stable:
        yield (x,), stable
        yield (np.array([2, 1, 2, 1, 2]),), {"descending": True, **stable}
        yield (source((3, 4), "bool"),), {"dim": 0, **stable}
    elif name in ("sort", "argsort"):
        yield (x,), {}
        yield (x, -1, True), {}
        yield (np.array(2.0, np.float32), 0), {}
        yield (np.zeros((2, 0), np.float32), 1), {}
    elif name == "median":
        yield (x, 1), {}


@serves("searchsorted.Tensor", "bucketize.Tensor")
def searched(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "float64", "int64", "int32"):
        row = np.sort(source((6,), dtype))
        values = np.concatenate([source((4,), dtype), row[:3]])
        for right in (False, True):
            kwargs = {"right": right, "out_int32": right}
            args = (row, values) if "searchsorted" in operator else (values, row)
            yield args, kwargs
    if "searchsorted" in operator:
        yield (np.sort(source((2, 5)), axis=-1), source((2, 3))), {}
        yield (np.sort(source((5,))), source((2, 3))), {"side": "right"}


@serves("_unique2.default", "unique_consecutive.default", "bincount.default", "histc.default",
        "unique_dim.default")  # fmt: skip
def counted(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    numbers = source((12,), "int64", 0, 4)
    if name == "bincount":
        yield (numbers,), {}
        yield (numbers, source((12,))), {}
        yield (numbers, None, 9), {}
    elif name == "histc":
        x = source((50,))
        yield (x, 5), {}
        yield (x, 4, -1, 2), {}
    elif name == "unique_dim":
        yield (source((6, 2), "int64", 0, 1), 0, True, True, True), {}
    else:
        for x in (numbers, numbers.reshape(3, 4), np.round(source((10,)))):
            yield ((x, True, True, True) if name == "_unique2" else (x, True, True)), {}
        yield (numbers,), {}
