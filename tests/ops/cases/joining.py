"""Concatenation, padding, and tensors made from numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import ALL, Case, Source, serves


@serves("cat.default", "concat.default", "stack.default", "hstack.default", "vstack.default",
        "broadcast_tensors.default", "block_diag.default", "cartesian_prod.default")  # fmt: skip
def joined(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ALL:
        x, y = source((2, 3), dtype), source((2, 3), dtype)
        if name in ("cat", "concat"):
            yield ([x, y],), {}
            yield ([x, source((2, 1), dtype), y], -1), {}
            yield ([x.T, source((3, 5), dtype)], 1), {}
            yield ([source((0,), dtype), x], 0), {}
        elif name == "stack":
            yield ([x, y],), {}
            yield ([x, y, x], -1), {}
            yield ([source((), dtype), source((), dtype)], 0), {}
        elif name in ("hstack", "vstack", "block_diag"):
            yield ([x, y],), {}
            yield ([source((3,), dtype), source((3,), dtype)],), {}
        elif name == "broadcast_tensors":
            yield ([x, source((3,), dtype), source((4, 1, 1), dtype)],), {}
        else:
            yield ([source((2,), dtype), source((3,), dtype)],), {}
    if name in ("cat", "stack"):
        yield ([source((2, 3)), source((2, 3), "float64")],), {}
        yield ([source((2, 3), "int64"), source((2, 3), "float16")],), {}


@serves("meshgrid.indexing")
def grids(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for indexing in ("ij", "xy"):
        yield ([source((2,)), source((3,))],), {"indexing": indexing}


@serves("constant_pad_nd.default", "pad.default", "reflection_pad1d.default",
        "reflection_pad2d.default", "reflection_pad3d.default", "replication_pad1d.default",
        "replication_pad2d.default", "replication_pad3d.default")  # fmt: skip
def padded(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    if name == "constant_pad_nd":
        for dtype in ALL:
            x = source((2, 3, 4), dtype)
            yield (x, [1, 2]), {}
            yield (x, [1, 2, 0, 3], 1), {}
            yield (x, [-1, 0, 1, -1], 1), {}
            yield (x, [0, 0, 0, 0, 2, 1]), {}
    elif name == "pad":
        x = source((2, 3, 4, 5))
        yield (x, [1, 2]), {}
        yield (x, [1, 1, 2, 0], "constant", 3.5), {}
        yield (x, [1, 1, 2, 0], "reflect"), {}
        yield (x, [1, 1, 2, 4], "replicate"), {}
        yield (x, [1, 1, 2, 0], "circular"), {}
    else:
        rank = int(name[-2])
        widths = [1, 2, 2, 0, 1, 1][: 2 * rank]
        for dtype in ("float32", "float64"):
            yield (source((2, 3, *(4, 5, 3)[:rank]), dtype), widths), {}
            yield (source((3, *(4, 5, 3)[:rank]), dtype), widths), {}


@serves("zeros.default", "ones.default", "full.default", "arange.default", "arange.start",
        "arange.start_step", "linspace.default", "logspace.default", "eye.default", "eye.m",
        "scalar_tensor.default", "tril_indices.default", "triu_indices.default")  # fmt: skip
def created(operator: str) -> Iterator[Case]:
    name = operator.removeprefix("aten.")
    table: dict[str, list[tuple[object, ...]]] = {
        "zeros.default": [([2, 3],), ([],), ([0],)],
        "ones.default": [([2, 3],), ([],)],
        "full.default": [([2, 3], 2), ([2], 2.5), ([], True)],
        "arange.default": [(5,), (5.5,), (0,)],
        "arange.start": [(2, 7), (0.5, 3.0)],
        "arange.start_step": [(0, 10, 3), (10, 0, -4), (0.0, 1.0, 0.1), (0, 5)],
        "linspace.default": [(0, 1, 5), (-1.5, 2, 7), (3, 3, 1), (0, 1, 0)],
        "logspace.default": [(0, 2, 5), (0, 3, 4, 2.0)],
        "eye.default": [(3,), (0,)],
        "eye.m": [(2, 4)],
        "scalar_tensor.default": [(2,), (2.5,), (True,)],
        "tril_indices.default": [(3, 4), (3, 4, 1)],
        "triu_indices.default": [(3, 4), (3, 4, -1)],
    }
    for args in table[name]:
        yield args, {}
        if "indices" not in name:
            yield args, {"dtype": "float64"}
        if "space" not in name and args[-1] != 0.1:
            yield args, {"dtype": "int32" if "indices" in name else "int64"}


@serves("new_zeros.default", "new_ones.default", "new_full.default", "one_hot.default",
        "vander.default")  # fmt: skip
def created_like(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    if name == "one_hot":
        yield (source.index((2, 3), 4), 5), {}
        yield (np.array([0, 2, 1]),), {}
    elif name == "vander":
        yield (source((4,)),), {}
        yield (source((4,)), 3, True), {}
    else:
        value = (7,) if name == "new_full" else ()
        for dtype in ALL:
            yield (source((2,), dtype), [3, 2], *value), {}
            yield (source((2,), dtype), [], *value), {"dtype": "int32"}
