"""Views, padding-free movement of sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import Case, Source, dims_of, serves

DTYPES = ("float32", "int64", "bfloat16", "bool")


@serves("view.default", "reshape.default", "_unsafe_view.default")
def reshapes(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in DTYPES:
        for sizes, shape in (((2, 6), (3, 4)), ((2, 6), (-1,)), ((2, 6), (2, -1, 3)),
                             ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((4,), (4,))):  # fmt: skip
            yield (source(sizes, dtype), list(shape)), {}
    if "reshape" in operator:
        yield (source((4, 3)).T, [2, 6]), {}


@serves("permute.default", "transpose.int", "t.default", "unsqueeze.default", "squeeze.default",
        "squeeze.dim", "squeeze.dims", "flatten.using_ints", "unflatten.int", "numpy_T.default",
        "mT.default", "movedim.int", "swapaxes.default", "view_as.default", "reshape_as.default",
        "expand_as.default", "broadcast_to.default", "expand.default")  # fmt: skip
def shapes(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x, one = source((2, 3, 4), dtype), source((1, 3, 1, 2), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "permute": [(x, [2, 0, 1]), (x, [-1, 0, 1]), (source((), dtype), [])],
            "transpose": [(x, 0, 2), (x, -1, -2), (source((), dtype), 0, -1)],
            "t": [(x[0],), (x[0, 0],), (source((), dtype),)],
            "unsqueeze": [(x, 0), (x, 3), (x, -1), (x, -4), (source((), dtype), 0)],
            "flatten": [(x,), (x, 1), (x, 0, 1), (x, -2, -1), (source((), dtype),)],
            "unflatten": [(x, 2, [2, 2]), (x, -1, [-1, 2]), (x, 0, [1, 2])],
            "numpy_T": [(x[0],), (x,)],
            "mT": [(x,), (x[0],)],
            "movedim": [(x, 0, 2), (x, -1, 0)],
            "swapaxes": [(x, 0, 1), (x, -1, 0)],
            "view_as": [(x, source((4, 6)))],
            "reshape_as": [(x, source((4, 6))), (source((4, 6), dtype).T, source((24,)))],
            "expand_as": [(one, source((2, 3, 5, 2)))],
            "broadcast_to": [(one, [2, 3, 5, 2]), (x[0, 0], [2, 4])],
            "expand": [(one, [2, 3, 5, 2]), (one, [-1, 3, 4, -1]), (one, [7, 1, 3, 1, 2]),
                       (source((), dtype), [3]), (source((1,), dtype), [0])],
        }  # fmt: skip
        if operator == "aten.squeeze.default":
            table["squeeze"] = [(one,), (x,), (source((), dtype),)]
        elif operator == "aten.squeeze.dim":
            table["squeeze"] = [(one, 0), (one, 1), (one, -2), (source((), dtype), 0)]
        elif operator == "aten.squeeze.dims":
            table["squeeze"] = [(one, [0, 2]), (one, [0, 1]), (one, [-2]), (one, [])]
        for args in table[name]:
            yield args, {}


@serves("slice.Tensor", "select.int", "narrow.default", "diagonal.default", "unfold.default",
        "as_strided.default", "tril.default", "triu.default", "diag.default",
        "diag_embed.default")  # fmt: skip
def parts(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((4, 5, 6), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "slice": [(x,), (x, 0, 1, 3), (x, 1, -3, None), (x, -1, 0, 100, 2), (x, 0, 3, 1),
                      (x, 2, -100, -1, 3), (x, 1, None, 2)],
            "select": [(x, 0, 1), (x, -1, -2), (source((3,), dtype), 0, 2)],
            "narrow": [(x, 0, 1, 2), (x, -1, 0, 0), (x, 1, -2, 1)],
            "diagonal": [(x,), (x, 1), (x, -2, 1, 2), (x, 0, -1, 0)],
            "unfold": [(x, 0, 2, 1), (x, -1, 3, 2), (source((7,), dtype), 0, 3, 3)],
            "as_strided": [(source((12,), dtype), [2, 3], [3, 1]),
                           (source((12,), dtype), [3, 2], [1, 4], 2),
                           (source((12,), dtype), [], [], 5),
                           (source((4, 3), dtype), [5, 2], [2, 1])],
            "tril": [(x,), (x, 1), (x, -1), (source((0, 3), dtype),)],
            "triu": [(x,), (x, 1), (x, -2)],
            "diag": [(x[0, 0],), (x[0],), (x[0], 1), (x[0, 0], -2)],
            "diag_embed": [(x,), (x[0], 1), (x, -1, 0, 2)],
        }  # fmt: skip
        for args in table[name]:
            yield args, {}


@serves("split.Tensor", "split_with_sizes.default", "chunk.default", "unbind.int",
        "tensor_split.sections")  # fmt: skip
def lists(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((6, 5), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "split": [(x, 2), (x, 4), (x, 2, -1), (x, 10, 1)],
            "split_with_sizes": [(x, [1, 2, 3]), (x, [5, 0], 1), (x, [2, 3], -1)],
            "chunk": [(x, 2), (x, 4), (x, 3, 1), (x, 9)],
            "unbind": [(x,), (x, 1), (x, -1)],
            "tensor_split": [(x, 4), (x, 3, -1)],
        }
        for args in table[name]:
            yield args, {}


@serves("select_scatter.default", "slice_scatter.default", "diagonal_scatter.default",
        "as_strided_scatter.default")  # fmt: skip
def written(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((4, 5), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "select_scatter": [(x, source((5,), dtype), 0, 1), (x, source((4,), dtype), -1, -2)],
            "slice_scatter": [(x, source((2, 5), dtype), 0, 1, 3), (x, source((4, 5), dtype)),
                              (x, source((4, 3), dtype), 1, 0, None, 2)],
            "diagonal_scatter": [(x, source((4,), dtype)), (x, source((4,), dtype), 1)],
            "as_strided_scatter": [(x, source((2, 2), dtype), [2, 2], [5, 1], 3)],
        }  # fmt: skip
        for args in table[name]:
            yield args, {}


@serves("flip.default", "roll.default", "rot90.default", "repeat.default", "tile.default",
        "repeat_interleave.self_int", "pixel_shuffle.default", "pixel_unshuffle.default",
        "channel_shuffle.default", "fliplr.default")  # fmt: skip
def rearranged(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in DTYPES:
        x = source((2, 3, 4), dtype)
        image = source((2, 8, 4, 6), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "flip": [(x, [0]), (x, [-1, 1]), (x, []), (source((), dtype), [0])],
            "roll": [(x, [1], [0]), (x, [2, -1], [1, 2]), (x, [5])],
            "rot90": [(x,), (x, 2, [0, 2]), (x, -1, [1, 2])],
            "repeat": [(x, [1, 2, 3]), (x, [2, 1, 1, 1]), (source((), dtype), [3]),
                       (x, [0, 1, 1])],
            "tile": [(x, [2]), (x, [2, 1, 2])],
            "repeat_interleave": [(x, 2), (x, 3, 1), (x, 2, -1)],
            "pixel_shuffle": [(image, 2)],
            "pixel_unshuffle": [(image, 2)],
            "channel_shuffle": [(image, 4)],
            "fliplr": [(x,)],
        }  # fmt: skip
        for args in table[name]:
            yield args, {}


@serves("sym_size.int", "sym_numel.default")
def symbols(operator: str) -> Iterator[Case]:
    x = np.zeros((2, 3, 4), np.float32)
    if operator.endswith("int"):
        for dim in dims_of(x):
            yield (x, dim), {}
    else:
        yield (x,), {}
