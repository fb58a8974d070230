"""Functions of ``torch`` written with other operators, or whose arguments PyTorch's Python code
rearranges."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Size, Tensor, dtype

if TYPE_CHECKING:
    from rushlight._C import Number

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "can_cast",
    "cartesian_prod",
    "cdist",
    "combinations",
    "einsum",
    "float_power",
    "ger",
    "is_complex",
    "is_floating_point",
    "is_same_size",
    "is_signed",
    "is_tensor",
    "isreal",
    "meshgrid",
    "norm",
    "result_type",
    "split",
    "stft",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a `Tensor`."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating point type."""
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return input.dtype.is_complex


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return input.dtype.is_signed


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both tensors have the same shape."""
    return input.shape == other.shape


def isreal(input: Tensor) -> Tensor:
    """True where the imaginary part is zero."""
    if input.dtype.is_complex:
        return ops.imag(input) == 0
    return ops.ones_like(input, dtype=_C.bool)


def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: `outer`."""
    return ops.outer(input, vec2, out=out)


def float_power(
    input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """``input ** exponent`` in float64, or complex128 if one of them is complex."""
    complex_ = any(
        v.dtype.is_complex if isinstance(v, Tensor) else isinstance(v, builtins.complex)
        for v in (input, exponent)
    )
    t = _C.complex128 if complex_ else _C.float64
    base = input.to(t) if isinstance(input, Tensor) else input
    power = exponent.to(t) if isinstance(exponent, Tensor) else exponent
    if not isinstance(base, Tensor):
        if not isinstance(power, Tensor):
            raise TypeError("float_power(): one of input and exponent must be a Tensor")
        value = ops.pow(base, power)
    else:
        value = ops.pow(base, power)
    return value if out is None else out.copy_(value)


def result_type(tensor1: Tensor | Number, tensor2: Tensor | Number) -> dtype:
    """The dtype that arithmetic on both gives."""

    def sample(value: Tensor | Number) -> Any:
        if isinstance(value, Tensor):
            return ops.zeros([1] * builtins.min(value.ndim, 1), dtype=value.dtype)
        return value

    a, b = sample(tensor1), sample(tensor2)
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        return _C.promote_types(_C.tensor(a).dtype, _C.tensor(b).dtype)
    if not isinstance(a, Tensor):
        a, b = b, a
    both_bool = a.dtype == _C.bool and (
        isinstance(b, builtins.bool) or (isinstance(b, Tensor) and b.dtype == _C.bool)
    )
    return ops.logical_or(a, a).dtype if both_bool else ops.mul(a, b).dtype


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether PyTorch allows an in-place operation to convert ``from_`` to ``to``: between
    categories only upwards from bool over integers and floats to complex."""

    def rank(t: dtype) -> int:
        if t.is_complex:
            return 3
        if t.is_floating_point:
            return 2
        return 0 if t == _C.bool else 1

    return rank(from_) <= rank(to)


def _tensors(arguments: Sequence[Any]) -> list[Tensor]:
    """The tensors of ``f(a, b)`` and of ``f([a, b])``."""
    if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        return list(arguments[0])
    return list(arguments)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of all tensors in their common shape."""
    found = _tensors(tensors)
    shape = broadcast_shapes(*[t.shape for t in found])
    return tuple(ops.broadcast_to(t, shape) for t in found)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of ``shapes`` (ints or tuples of ints) have together."""
    rows = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    out = [1] * builtins.max((len(row) for row in rows), default=0)
    for row in rows:
        for i in builtins.range(1, len(row) + 1):
            size = row[-i]
            if size < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({size})")
            if size == 1 or size == out[-i]:
                continue
            if out[-i] != 1:
                raise RuntimeError(
                    "Shape mismatch: objects cannot be broadcast to a single shape: "
                    f"{[list(r) for r in rows]}"
                )
            out[-i] = size
    return Size(out)


def atleast_1d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least one dimension."""
    return _each(ops.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least two dimensions."""
    return _each(ops.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least three dimensions."""
    return _each(ops.atleast_3d, tensors)


def _each(function: Any, tensors: Sequence[Any]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return function(tensors[0])
    return tuple(function(t) for t in _tensors(tensors))


def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones (numbers and vectors count as rows) along its diagonal."""
    return ops.block_diag(_tensors(tensors))


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element of each vector, one a row."""
    return ops.cartesian_prod(_tensors(tensors))


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinate grids of the given vectors; ``indexing`` is ``'ij'`` (matrix) or ``'xy'``."""
    return ops.meshgrid(_tensors(tensors), indexing=indexing)


def combinations(input: Tensor, r: int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """All combinations of ``r`` elements of a vector, in the order of `itertools.combinations`:
    shape ``[n over r, r]``."""
    import itertools

    if input.ndim != 1:
        raise RuntimeError("Expect a 1D vector, but got shape " + str(list(input.shape)))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(builtins.range(len(input)), r))
    if not rows:
        return ops.empty((0, r) if r else (0,), dtype=input.dtype)
    return input[_C.tensor(rows, dtype=_C.int64)]


def einsum(*args: Any) -> Tensor:
    """Einstein's summation: ``einsum('ij,jk->ik', a, b)``, or with lists of dimensions,
    ``einsum(a, [0, 1], b, [1, 2], [0, 2])``."""
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    if isinstance(args[0], str):
        return ops.einsum(args[0], _tensors(args[1:]))
    letters = [chr(ord("A") + i) if i < 26 else chr(ord("a") + i - 26) for i in builtins.range(52)]

    def subscript(dims: Sequence[Any]) -> str:
        return "".join("..." if d is Ellipsis else letters[d] for d in dims)

    pairs = len(args) // 2
    operands = [args[2 * i] for i in builtins.range(pairs)]
    equation = ",".join(subscript(args[2 * i + 1]) for i in builtins.range(pairs))
    if len(args) % 2:
        equation += "->" + subscript(args[-1])
    return ops.einsum(equation, operands)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The product of ``a`` and ``b`` summed over ``dims``: a number (the last ones of ``a``, the
    first ones of ``b``) or a pair of lists."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > builtins.min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = (list(builtins.range(a.ndim - dims, a.ndim)), list(builtins.range(dims)))
    first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    return ops.tensordot(a, b, first, second, out=out)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Views of pieces along ``dim``: of one size (the last may be smaller) or of given sizes."""
    return ops.split(tensor, split_size_or_sections, dim)


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The vector norm of order ``p`` over ``dim`` (all dimensions by default); ``'fro'`` is the
    Euclidean norm of all elements, ``'nuc'`` the sum of the singular values of a matrix."""
    if p == "nuc":
        dims = [0, 1] if dim is None else dim
        source = input if dtype is None else input.to(dtype)
        value: Tensor = _C.call_op("aten.nuclear_norm.dim", source, dims, keepdim)
    else:
        order = 2.0 if p in ("fro", None) else p
        if isinstance(order, str):
            raise RuntimeError(f"expected p to be a number, 'fro' or 'nuc', got '{order}'")
        from rushlight import linalg

        value = linalg.vector_norm(input, order, dim, keepdim, dtype=dtype)
    return value if out is None else out.copy_(value)


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Distances of order ``p`` between all rows: ``[..., P, M] x [..., R, M] -> [..., P, R]``."""
    modes = (
        "use_mm_for_euclid_dist_if_necessary",
        "use_mm_for_euclid_dist",
        "donot_use_mm_for_euclid_dist",
    )
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return ops.cdist(x1, x2, p, modes.index(compute_mode))


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None,
    align_to_window: builtins.bool | None = None,
) -> Tensor:
    """The short-time Fourier transform: ``[..., T] -> [..., frequencies, frames]``."""
    if center:
        from rushlight.nn import functional

        lead = 3 - builtins.min(input.ndim, 2) if input.ndim < 3 else 0
        shaped = input.view((1,) * lead + tuple(input.shape)) if lead else input
        half = n_fft // 2
        padded: Tensor = functional.pad(shaped, [half, half], pad_mode)
        input = padded.view(tuple(padded.shape[lead:])) if lead else padded
    return ops.stft(
        input,
        n_fft,
        hop_length,
        win_length,
        window,
        normalized,
        onesided,
        return_complex,
        align_to_window=align_to_window,
    )


def _picked(results: tuple[Tensor, ...], *wanted: builtins.bool) -> Any:
    kept = [results[0], *(r for r, keep in zip(results[1:], wanted, strict=True) if keep)]
    return kept[0] if len(kept) == 1 else tuple(kept)


def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements (of ``dim``: the different slices), with the position of every
    element among them and how often each occurs where asked for."""
    if dim is None:
        found = _C.call_op("aten._unique2.default", input, sorted, return_inverse, return_counts)
        return _picked(found, return_inverse, return_counts)
    rows = ops.movedim(input, dim, 0)
    count = rows.shape[0]
    flat = rows.reshape(count, -1)
    order = ops.arange(count)
    for column in builtins.range(
        flat.shape[1] - 1, -1, -1
    ):  # a stable sort by each key, last first
        order = order[ops.argsort(flat[order, column], stable=True)]
    ordered = flat[order]
    first = ops.ones(count, dtype=_C.bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(1)
    values = ops.movedim(rows[order[first]], 0, dim)
    group = ops.cumsum(first, 0) - 1
    inverse = ops.empty(count, dtype=_C.int64).scatter_(0, order, group)
    counts = ops.bincount(group, minlength=0)
    return _picked((values, inverse, counts), return_inverse, return_counts)


def unique_consecutive(
    input: Tensor,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: int | None = None,
) -> Any:
    """The elements without those equal to their predecessor."""
    found = ops.unique_consecutive(input, return_inverse, return_counts, dim)
    return _picked(found, return_inverse, return_counts)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Coordinates in ``shape`` of flat indices."""
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype == _C.bool:
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    total = math.prod(sizes)
    if indices.numel() and bool(((indices < -total) | (indices >= total)).any()):
        raise ValueError("one or more indices lie outside the shape")
    rest = ops.remainder(indices, builtins.max(total, 1))
    out: list[Tensor] = []
    for size in reversed(sizes):
        out.append(ops.remainder(rest, size))
        rest = ops.floor_divide(rest, size)
    return tuple(reversed(out))
