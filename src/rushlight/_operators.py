"""The functions of ``torch`` that are operators of the op table, made in C++."""

from rushlight import _C

# rushlight/_tensor/ has these with the signatures of PyTorch's Python code.
_REPLACED = frozenset(
    [
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "block_diag",
        "broadcast_tensors",
        "cartesian_prod",
        "cdist",
        "einsum",
        "meshgrid",
        "norm",
        "normal",
        "split",
        "stft",
        "tensordot",
        "unique_consecutive",
    ]
)

_functions = _C.functions("torch")
globals().update(_functions)
__all__ = sorted(_functions.keys() - _REPLACED)  # noqa: PLE0605 - a list of str, as the stub says
