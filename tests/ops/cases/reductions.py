"""Reductions and scans."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .table import FLOATS, INTEGERS, Case, Source, dims_of, serves


@serves("sum.dim_IntList", "mean.dim", "amax.default", "amin.default", "logsumexp.default",
        "nansum.default", "nanmean.default", "linalg_vector_norm.default", "any.dims", "all.dims",
        "count_nonzero.dim_IntList")  # fmt: skip
def over_dims(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    nonempty = name in ("amax", "amin")
    first = (2,) if name == "linalg_vector_norm" else ()
    flags = [{}] if name == "count_nonzero" else [{}, {"keepdim": True}]
    for dtype in FLOATS:
        for x in source.forms(dtype):
            if (nonempty and x.size == 0) or (name == "logsumexp" and x.ndim == 0):
                continue
            for dim in dims_of(x):
                for kwargs in flags:
                    yield (x, *first, [dim]), kwargs
            if x.ndim >= 2:
                yield (x, *first, [0, -1]), {}
                yield (x, *first, [-1, -2]), flags[-1]
            if name not in ("any", "all", "count_nonzero", "logsumexp"):
                yield (x, *first, []), {}
    yield (np.array([[1, np.inf], [-np.inf, 2]], np.float32), *first, [1]), {}
    if name in ("sum", "amax", "amin", "any", "all"):
        for dtype in (*INTEGERS, "bool"):
            yield (source((3, 4), dtype), [0]), {}
            yield (source((3, 4), dtype), [1]), {"keepdim": True}
    if name in ("sum", "mean"):
        yield (source((3, 4), "int32"), [0]), {"dtype": "float32"}
        yield (source((3, 4), "float16"), None), {"dtype": "float64"}
        yield (source((200, 300)), [0, 1]), {}
    if name == "linalg_vector_norm":
        x = source((3, 4))
        for order in (0, 1, 2, 3, 0.5, math.inf, -math.inf):
            yield (x, order, [1]), {}
            yield (x, order), {}
        yield (x,), {"dtype": "float64"}


@serves("sum.default", "mean.default", "prod.default", "max.default", "min.default",
        "any.default", "all.default", "median.default", "count_nonzero.default", "var.default",
        "std.default")  # fmt: skip
def whole(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in FLOATS:
        for x in source.forms(dtype):
            if x.size > 1 or (name in ("sum", "prod", "any", "all") and x.size == 0):
                yield (x,), {}
    if name not in ("mean", "var", "std"):
        for dtype in (*INTEGERS, "bool"):
            if not (name == "median" and dtype == "bool"):
                yield (source((3, 4), dtype),), {}
    if name in ("sum", "prod"):
        yield (source((3,), "int32"),), {"dtype": "float32"}


@serves("prod.dim_int", "any.dim", "all.dim", "cumsum.default", "cumprod.default",
        "logcumsumexp.default", "cummax.default", "cummin.default", "argmax.default",
        "argmin.default", "max.dim", "min.dim")  # fmt: skip
def along_one(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    by_rank = name in ("argmax", "argmin", "max", "min")
    scans = name.startswith(("cum", "logcum"))
    for dtype in FLOATS:
        for x in source.forms(dtype):
            if by_rank and x.size == 0:
                continue
            value = source.distinct(x.shape, dtype) if by_rank and x.ndim else x
            for dim in dims_of(x):
                yield (value, dim), {}
                if not scans:
                    yield (value, dim, True), {}
    if name != "logcumsumexp":
        for dtype in INTEGERS:
            yield (source.distinct((3, 4), dtype) if by_rank else source((3, 4), dtype), 1), {}
    if by_rank:
        yield (np.array([[1, np.nan, 3], [2, 5, 5]], np.float32), 1), {}
    if name.startswith("arg"):
        yield (source.distinct((2, 3)),), {}
        yield (source.distinct((2, 3)), None, True), {}
    if name in ("cumsum", "cumprod", "prod"):
        yield (source((3, 4), "int32"), 0), {"dtype": "float32"}
        yield (source((3, 4), "bool"), 0), {}


@serves("var.correction", "std.correction", "var_mean.correction", "var.dim", "std.dim",
        "var_mean.dim", "std_mean.correction", "aminmax.default")  # fmt: skip
def spreads(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in FLOATS:
        x = source((4, 5), dtype)
        if "aminmax" in operator:
            yield (x,), {}
            yield (x,), {"dim": 1, "keepdim": True}
            continue
        for dim in ([0], [-1], [0, 1]):
            yield (x, dim), {}
            yield (x, dim), {"keepdim": True}
            if operator.endswith("correction"):
                yield (x, dim), {"correction": 0}
            else:
                yield (x, dim, False), {}
        if operator.endswith("correction"):
            yield (x,), {}
            yield (x,), {"correction": 0}
        yield (source((6, 4), dtype).T, [1]), {}


@serves("diff.default")
def differences(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "int64"):
        x = source((3, 5), dtype)
        yield (x,), {}
        yield (x, 2), {}
        yield (x, 1, 0), {}
        yield (x, 1, -1, source((3, 1), dtype), source((3, 2), dtype)), {}


@serves("dist.default", "trace.default", "norm.ScalarOpt_dim")
def norms(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((3, 4))
    if "dist" in operator:
        yield (x, source((3, 4))), {}
        yield (x, source((4,)), 1), {}
    elif "trace" in operator:
        yield (x,), {}
        yield (source((3, 3), "int32"),), {}
    else:
        yield (x, 2, [1]), {}
        yield (x, 1, [0], True), {}
