"""Other overloads and other names of operators whose family has cases already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .table import Case, Source, serves

_source = Source("variants")
X = _source((2, 3))
Y = _source((2, 3))
V = _source((3,))
P = _source((2, 3), "float32", 0.1, 0.9)
I = _source((2, 3), "int64", 1, 9)  # noqa: E741  a matrix of integers
M = _source((2, 3), "bool")
C = _source((2, 3), "complex64")
H = _source((2, 3), "bfloat16")
Z = _source((2, 3, 4))
SQUARE = _source((4, 4))
SPECIAL = np.float32([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5])

POINTWISE: dict[str, list[tuple[Any, ...]]] = {
    "multiply.Tensor": [(X, V), (I, X)],
    "divide.Tensor": [(X, V), (I, I)],
    "max.other": [(X, V), (I, X)],
    "min.other": [(X, V), (SPECIAL, np.array(1, np.float32))],
    "xlogy.Scalar_Other": [(X, 2.0)],
    "xlogy.Scalar_Self": [(2.0, P)],
    "copysign.Scalar": [(X, -1), (I, 2)],
    "floor_divide.Scalar": [(X, 0.7), (I, 4)],
    "float_power.Tensor_Scalar": [(P, 1.5), (I, 2)],
    "bitwise_left_shift.Tensor_Scalar": [(I, 2)],
    "bitwise_right_shift.Tensor_Scalar": [(I, 2)],
    "remainder.Scalar_Tensor": [(7, I), (7.5, X)],
    "clip.default": [(X, -1, 1)],
    "clamp_min.Tensor": [(X, V), (I, V)],
    "clamp_max.Tensor": [(X, V)],
    "heaviside.default": [(SPECIAL, np.float32([1, 2, 3, 4, 5, 6])), (X, V)],
    "logaddexp2.default": [(X, V), (SPECIAL, SPECIAL)],
    "isposinf.default": [(SPECIAL,), (I,)],
    "isneginf.default": [(SPECIAL,), (I,)],
    "isreal.default": [(C,), (X,), (C.real + 0j,)],
    "fix.default": [(X,), (I,)],
    "conj.default": [(C,), (X,)],
    "_conj_physical.default": [(C,)],
    "conj_physical.default": [(C,), (X,)],
    "resolve_conj.default": [(C,)],
    "resolve_neg.default": [(X,)],
    "imag.default": [(C,)],
    "polar.default": [(P, X)],
    "view_as_complex.default": [(_source((3, 2)),), (_source((3, 2), "float64"),)],
    "log_sigmoid_forward.default": [(X,)],
    "_prelu_kernel.default": [(X, np.float32([0.2]))],
    "zero.default": [(X,), (I,), (H,)],
    "equal.default": [(X, X.copy()), (X, Y)],
    "allclose.default": [(X, X + 1e-7), (X, Y)],
    "detach_copy.default": [(X,)],
    "lift_fresh.default": [(X,)],
    "to.other": [(X, I), (I, H)],
    "_safe_softmax.default": [(X, 1), (np.float32([[-np.inf, -np.inf], [0, 1]]), -1)],
    "dropout.default": [(X, 0.3, False)],
    "alpha_dropout.default": [(X, 0.3, False)],
    "feature_dropout.default": [(X, 0.3, False)],
    "native_dropout.default": [(X, 0.3, False)],
}

SHAPES: dict[str, list[tuple[Any, ...]]] = {
    "ravel.default": [(Z,), (X.T,)],
    "atleast_1d.default": [(np.array(2, np.float32),), (X,)],
    "atleast_2d.default": [(np.array(2, np.float32),), (V,), (Z,)],
    "atleast_3d.default": [(np.array(2, np.float32),), (V,), (X,), (Z,)],
    "adjoint.default": [(Z,), (C,)],
    "mH.default": [(X,), (C,)],
    "matrix_H.default": [(X,), (C,)],
    "movedim.intlist": [(Z, [0, 1], [2, 0]), (Z, [-1], [0])],
    "swapdims.default": [(Z, 0, -1)],
    "_reshape_alias.default": [(X, [3, 2], [2, 1])],
    "transpose_.default": [(X.copy(), 0, 1)],
    "split.sizes": [(Z, [1, 2], 1)],
    "unsafe_split.Tensor": [(Z, 2, 1)],
    "unsafe_chunk.default": [(Z, 2, -1)],
    "tensor_split.indices": [(Z, [1, 3], 2), (X, [1])],
    "flipud.default": [(X,), (V,)],
    "concatenate.default": [([X, Y],), ([X, Y], 1)],
    "dstack.default": [([X, Y],), ([V, V],), ([Z, Z],)],
    "column_stack.default": [([X, Y],), ([V, V],)],
    "meshgrid.default": [([V, _source((2,))],)],
    "repeat_interleave.Tensor": [(np.array([2, 0, 1]),)],
    "repeat_interleave.self_Tensor": [(X, np.array([2, 1, 0]), 1), (X, np.array([2]))],
    "_pad_circular.default": [(_source((1, 2, 4)), [1, 2])],
    "argwhere.default": [(I - 5,)],
    "nonzero_numpy.default": [(I - 5,)],
    "numel.default": [(Z,)],
    "dim.default": [(Z,)],
    "size.int": [(Z, 1)],
    "sym_stride.int": [(Z, 0)],
    "fill_diagonal_.default": [(SQUARE.copy(), 7), (_source((7, 2)), 3.0, True)],
    "hann_window.default": [(5,), (1,)],
    "hann_window.periodic": [(6, False), (6, True)],
}

PICKING: dict[str, list[tuple[Any, ...]]] = {
    "_index_put_impl.default": [(X.copy(), [np.array([0])], V)],
    "_unsafe_index_put.default": [(X, [np.array([1])], V)],
    "index_fill.int_Tensor": [(X, 1, np.array([0, 2]), np.array(5, np.float32))],
    "put.default": [(X, np.array([0, 4]), _source((2,))),
                    (X, np.array([1, 1]), _source((2,)), True)],
    "isin.Tensor_Tensor": [(I, np.array([1, 5])), (X, V)],
    "bucketize.Scalar": [(0.5, np.sort(V))],
    "searchsorted.Scalar": [(np.sort(V), 0.5)],
    "mode.default": [(I,), (np.array([[1, 2, 2], [3, 3, 1]]), 1, True)],
    "norm.Scalar": [(X,), (X, 1)],
    "std_mean.dim": [(X, [1]), (X, [0], False, True)],
    "var_mean.default": [(X,), (X, False)],
    "nll_loss.default": [(X, np.array([0, 2]))],
    "nll_loss2d_forward.default": [
        (_source((2, 3, 2, 2)), _source.index((2, 2, 2), 3), None, 1, -100)],
}  # fmt: skip

LINEAR: dict[str, list[tuple[Any, ...]]] = {
    "addbmm.default": [(_source((3, 5)), _source((2, 3, 4)), _source((2, 4, 5)))],
    "addr.default": [(X, _source((2,)), V)],
    "ger.default": [(V, V)],
    "chain_matmul.default": [([X, Z[0], SQUARE],)],
    "linalg_multi_dot.default": [([X, Z[0], SQUARE],)],
    "_cdist_forward.default": [(X, Y, 2.0, None), (X, Y, 0.0, None), (X, Y, np.inf, None)],
    "_addmm_activation.default": [(V, SQUARE, _source((4, 3)))],
    "_weight_norm_interface.default": [(_source((4, 3)), _source((4, 1)), 0)],
    "conv3d.padding": [
        (_source((1, 2, 4, 4, 4)), _source((3, 2, 2, 3, 3)), None, [1, 1, 1], "same")],
    "_adaptive_avg_pool3d.default": [(_source((2, 4, 5, 6)), [2, 2, 3])],
    "upsample_linear1d.default": [(_source((1, 2, 4)), [7], False)],
    "upsample_nearest1d.default": [(_source((1, 2, 4)), [7])],
    "upsample_nearest3d.default": [(_source((1, 2, 4, 3, 2)), [7, 2, 3])],
    "upsample_trilinear3d.default": [(_source((1, 2, 4, 3, 2)), [7, 2, 3], True)],
    "_upsample_nearest_exact3d.vec": [(_source((1, 2, 4, 3, 2)), [7, 2, 3], None)],
}  # fmt: skip


def _table() -> dict[str, list[tuple[Any, ...]]]:
    return {**POINTWISE, **SHAPES, **PICKING, **LINEAR}


@serves(*_table())
def variants(operator: str) -> Iterator[Case]:
    for args in _table()[operator.removeprefix("aten.")]:
        yield tuple(_copied(arg) for arg in args), {}


def _copied(value: Any) -> Any:
    """In-place operators must not change the arrays of other cases."""
    return np.array(value, subok=True) if isinstance(value, np.ndarray) else value


@serves("scatter.reduce", "scatter.value_reduce", "_int_mm.default", "_convolution.default",
        "_scaled_dot_product_flash_attention_for_cpu.default", "embedding_bag.padding_idx",
        "embedding_bag.default", "_embedding_bag.default",
        "_native_batch_norm_legit_functional.default",
        "_native_batch_norm_legit.default", "to.dtype_layout", "to.device")  # fmt: skip
def by_keyword(operator: str) -> Iterator[Case]:
    name = operator.removeprefix("aten.")
    index = np.array([[0, 1, 1], [1, 1, 0]])
    if name == "scatter.reduce":
        for reduce in ("add", "multiply"):
            yield (X, 0, index, Y), {"reduce": reduce}
    elif name == "scatter.value_reduce":
        yield (X, 0, index, 2.0), {"reduce": "multiply"}
    elif name == "_int_mm.default":
        yield (_source((32, 16), "int8", -9, 9), _source((16, 24), "int8", -9, 9)), {}
    elif name == "_convolution.default":
        ones = [1, 1]
        flags = (False, [0, 0], 1, False, False, False, False)
        yield (_source((1, 2, 5, 5)), _source((3, 2, 3, 3)), None, ones, ones, ones, *flags), {}
    elif name.startswith("_scaled"):
        q, k = _source((1, 2, 5, 8)), _source((1, 2, 6, 8))
        yield (q, k, k), {}
        yield (q, k, k), {"scale": 0.7, "attn_mask": _source((5, 6))}
        yield (q, q, q, 0.0, True), {}
    elif "embedding_bag" in name:
        table, rows, starts = _source((7, 3)), np.array([1, 2, 4, 5, 4, 3]), np.array([0, 2])
        padding = (2,) if "padding" in name else ()
        yield (table, rows, starts, False, 0, False, _source((6,)), False, *padding), {}
        for mode in (0, 1):
            yield (table, rows, starts, False, mode, False, None, False, *padding), {}
    elif "batch_norm" in name:
        for training in (True, False):
            statistics = (_source((3,)), _source((3,), "float32", 0.5, 2))
            yield (_source((4, 3, 2)), V, V, *statistics, training, 0.1, 1e-5), {}
    elif name == "to.device":
        yield (X, "cpu", "float64"), {}
    else:
        yield (X,), {"dtype": "float64"}
        yield (X,), {}
