"""Convolutions, poolings, normalisations, recurrent networks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import FLOATS, Case, Source, serves

MOST = ("float32", "float64", "bfloat16")


@serves("conv1d.default", "conv2d.default", "conv3d.default")
def convolutions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = int(operator[len("aten.conv")])
    sizes, kernel = (9, 8, 7)[:rank], (3, 2, 3)[:rank]
    for dtype in MOST:
        x, w, b = source((2, 4, *sizes), dtype), source((6, 4, *kernel), dtype), source((6,), dtype)
        yield (x, w), {}
        yield (x, w, b), {}
        yield (x[0], w, b), {}
        yield (x, w, b, [2] * rank, [1] * rank), {}
        yield (x, w, b, [1] * rank, [2] * rank, [2] * rank), {}
        yield (x, source((6, 2, *kernel), dtype), b, [1] * rank, [1] * rank, [1] * rank, 2), {}
        depthwise = source((8, 1, *kernel), dtype)
        yield (x, depthwise, None, [1] * rank, [0] * rank, [1] * rank, 4), {}
        yield (x, source((6, 4, *[1] * rank), dtype), b), {}
        yield (x.swapaxes(2, -1).copy().swapaxes(2, -1), w, b), {}


@serves("conv1d.padding", "conv2d.padding")
def padded_convolutions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = int(operator[len("aten.conv")])
    x, w = source((2, 4, *(9, 8)[:rank])), source((6, 4, *(3, 2)[:rank]))
    for padding in ("same", "valid"):
        yield (x, w, None, [1] * rank, padding), {}
        yield (x, w, source((6,)), [1] * rank, padding, [2] * rank), {}


@serves("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def transposed(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = int(operator[len("aten.conv_transpose")])
    for dtype in ("float32", "float64"):  # PyTorch adds up bfloat16 without a wider type here
        x = source((2, 4, *(5, 6, 4)[:rank]), dtype)
        w, b = source((4, 6, *(3, 2, 3)[:rank]), dtype), source((6,), dtype)
        yield (x, w), {}
        yield (x, w, b, [2] * rank, [1] * rank), {}
        yield (x, w, b, [2] * rank, [1] * rank, [1] * rank), {}
        yield (x, w, None, [1] * rank, [0] * rank, [0] * rank, 1, [2] * rank), {}
        grouped = source((4, 3, *(3, 2, 3)[:rank]), dtype)
        yield (x, grouped, b, [2] * rank, [0] * rank, [0] * rank, 2), {}


@serves("convolution.default")
def general_convolution(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x, w, b = source((2, 4, 7, 7)), source((6, 4, 3, 3)), source((6,))
    yield (x, w, b, [1, 2], [1, 0], [1, 1], False, [0, 0], 1), {}
    yield (x, source((4, 3, 3, 3)), b, [2, 2], [1, 1], [1, 1], True, [1, 0], 2), {}
    yield (source((2, 4, 9)), source((6, 4, 3)), None, [1], [1], [1], False, [0], 1), {}


@serves("im2col.default", "col2im.default")
def columns(operator: str) -> Iterator[Case]:
    source = Source(operator)
    if "im2col" in operator:
        yield (source((2, 3, 6, 7)), [3, 2], [1, 1], [1, 0], [2, 1]), {}
        yield (source((3, 6, 7)), [2, 2], [2, 2], [0, 0], [1, 1]), {}
    else:
        yield (source((2, 12, 12)), [4, 5], [2, 2], [1, 1], [0, 0], [1, 1]), {}
        yield (source((2, 12, 9)), [4, 4], [2, 2], [1, 1], [1, 1], [2, 2]), {}


@serves("max_pool1d.default", "max_pool2d.default", "max_pool3d.default",
        "max_pool2d_with_indices.default", "max_pool3d_with_indices.default",
        "avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")  # fmt: skip
def pools(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = int(operator[operator.index("pool") + 4])
    largest = "max" in operator
    types = (*FLOATS, "int64") if largest and rank > 1 else FLOATS
    for dtype in types if rank < 3 else ("float32", "float64"):
        for shape in ((2, 3, *(8, 7, 6)[:rank]), (3, *(8, 7, 6)[:rank])):
            x = source.distinct(shape, dtype) if largest else source(shape, dtype)
            yield (x, [3] * rank), {}
            yield (x, [2] * rank, [2] * rank), {}
            yield (x, [3] * rank, [2] * rank, [1] * rank), {}
            last = ([1] * rank, True) if largest else (True,)
            yield (x, [3] * rank, [2] * rank, [1] * rank, *last), {}
            if largest:
                yield (x, [2] * rank, [1] * rank, [0] * rank, [2] * rank), {}
            else:
                yield (x, [3] * rank, [2] * rank, [1] * rank, True, False), {}
                yield (x, [3] * rank, [2] * rank, [1] * rank, False, False), {}
                if rank > 1:
                    yield (x, [2] * rank, [2] * rank, [0] * rank, False, True, 3), {}


@serves("adaptive_avg_pool1d.default", "adaptive_avg_pool2d.default",
        "_adaptive_avg_pool2d.default", "adaptive_avg_pool3d.default",
        "adaptive_max_pool1d.default", "adaptive_max_pool2d.default")  # fmt: skip
def adaptive_pools(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = int(operator[operator.index("pool") + 4])
    for dtype in ("float32", "float64"):
        for shape in ((2, 3, *(8, 7, 6)[:rank]), (3, *(8, 7, 6)[:rank])):
            x = source.distinct(shape, dtype)
            for sizes in ((1, 1, 1), (3, 2, 4), (8, 7, 6)):
                yield (x, list(sizes[:rank])), {}


@serves("layer_norm.default", "native_layer_norm.default", "rms_norm.default")
def layer_norms(operator: str) -> Iterator[Case]:
    source = Source(operator)
    native = "native" in operator
    for dtype in FLOATS:
        x = source((2, 3, 8), dtype)
        for sizes in ([8], [3, 8]):
            w, b = source(sizes, dtype), source(sizes, dtype)
            if "rms" in operator:
                yield (x, sizes), {}
                yield (x, sizes, w, 1e-5), {}
                continue
            yield (x, sizes, w, b, 1e-5), {}
            if not native:
                yield (x, sizes), {}
            yield (x, sizes, w, None, 1e-3), {}


@serves("group_norm.default", "native_group_norm.default", "instance_norm.default")
def group_norms(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64", "bfloat16"):
        x, w, b = source((2, 6, 4, 5), dtype), source((6,), dtype), source((6,), dtype)
        if name == "group_norm":
            yield (x, 3), {}
            yield (x, 2, w, b, 1e-3), {}
            yield (source((2, 6), dtype), 2, w, b), {}
        elif name == "native_group_norm":
            yield (x, w, b, 2, 6, 20, 3, 1e-5), {}
        else:
            yield (x, w, b, None, None, True, 0.1, 1e-5, False), {}
            yield (x, None, None, None, None, True, 0.1, 1e-5, False), {}


@serves("batch_norm.default", "_native_batch_norm_legit_no_training.default",
        "_native_batch_norm_legit.no_stats", "native_batch_norm.default")  # fmt: skip
def batch_norms(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64", "bfloat16"):
        for shape in ((3, 4, 5, 6), (3, 4), (3, 4, 5)):
            x = source(shape, dtype)
            w, b, mean = (source((4,), dtype) for _ in range(3))
            var = source((4,), dtype, 0.5, 2)
            if name == "batch_norm":
                yield (x, w, b, mean, var, False, 0.1, 1e-5, False), {}
                yield (x, None, None, mean, var, False, 0.1, 1e-3, False), {}
                yield (x, w, b, None, None, True, 0.1, 1e-5, False), {}
            elif name.endswith("no_training"):
                yield (x, w, b, mean, var, 0.1, 1e-5), {}
            elif name == "native_batch_norm":
                yield (x, w, b, mean, var, False, 0.1, 1e-5), {}
            elif dtype != "bfloat16":
                yield (x, w, b, True, 0.1, 1e-5), {}


@serves("_weight_norm.default")
def weight_norm(operator: str) -> Iterator[Case]:
    source = Source(operator)
    yield (source((4, 3, 2)), source((4, 1, 1)), 0), {}
    yield (source((4, 3)), source((1, 3)), 1), {}


@serves("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
def recurrent(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    gates = {"lstm": 4, "gru": 3}.get(name, 1)
    for dtype in ("float32", "float64"):
        for layers, both, biases, first in ((1, False, True, False), (2, True, True, True),
                                            (2, False, False, True)):  # fmt: skip
            directions = 2 if both else 1
            params = []
            for layer in range(layers):
                for _ in range(directions):
                    width = 3 if layer == 0 else 4 * directions
                    params += [source((gates * 4, width), dtype, -1, 1)]
                    params += [source((gates * 4, 4), dtype, -1, 1)]
                    params += [source((gates * 4,), dtype, -1, 1)] * (2 if biases else 0)
            x = source((5, 2, 3), dtype)
            if first:
                x = np.ascontiguousarray(x.swapaxes(0, 1))
            h = source((layers * directions, 2, 4), dtype)
            state = [h, source(h.shape, dtype)] if name == "lstm" else h
            yield (x, state, params, biases, layers, 0.0, False, both, first), {}


@serves("lstm_cell.default", "gru_cell.default", "rnn_relu_cell.default", "rnn_tanh_cell.default")
def cells(operator: str) -> Iterator[Case]:
    source = Source(operator)
    gates = {"lstm_cell": 4, "gru_cell": 3}.get(operator.split(".")[1], 1)
    x, h = source((2, 3)), source((2, 4))
    w, u, b = source((gates * 4, 3)), source((gates * 4, 4)), source((gates * 4,))
    yield (x, [h, source((2, 4))] if gates == 4 else h, w, u, b, b), {}
    yield (x, [h, source((2, 4))] if gates == 4 else h, w, u), {}
