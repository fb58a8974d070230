"""Other shapes of the same elements."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight._tensor import functions as _functions

from .dtypes import common

Axes = int | tuple[int, ...]


def _tuple(axis: Axes) -> tuple[int, ...]:
    return (axis,) if isinstance(axis, int) else tuple(axis)


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays expanded to their common shape."""
    return list(_functions.broadcast_tensors(*arrays)) if arrays else []


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """The array expanded to ``shape``: a view."""
    return ops.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The arrays one after the other along ``axis``; flattened for None."""
    arrays = common(*arrays)
    if axis is None:
        return ops.cat([x.flatten() for x in arrays], 0)
    if any(x.ndim == 0 for x in arrays):
        raise ValueError("concat: 0-d arrays have no axis to concatenate along")
    # PyTorch takes empty vectors in whatever company.
    if len({x.ndim for x in arrays}) > 1:
        raise ValueError("concat: expected arrays of the same number of dimensions")
    return ops.cat(arrays, axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """A view with another dimension of size 1; ``IndexError`` for one that is out of range."""
    return ops.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """The elements in reverse order along ``axis``; along all for None."""
    if axis is None:
        return ops.flip(x, tuple(range(x.ndim)))
    return ops.flip(x, (axis,) if isinstance(axis, int) else axis)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """A view with dimensions moved to other places."""
    if isinstance(source, int) and isinstance(destination, int):
        return ops.movedim(x, source, destination)
    return ops.movedim(x, _tuple(source), _tuple(destination))


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """A view with the dimensions in another order."""
    return ops.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Every element (or slice along ``axis``) repeated."""
    if isinstance(repeats, Tensor) and repeats.numel() == 1:
        count = repeats.tolist()
        repeats = int(count[0] if isinstance(count, list) else count)
    return ops.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape: a view where possible, unless ``copy`` says otherwise."""
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError as error:
            raise ValueError(f"reshape: copy=False, but {error}") from None
    return ops.reshape(x.clone() if copy else x, shape)


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """The elements moved by ``shift`` places, those beyond the end to the beginning."""
    return ops.roll(x, shift) if axis is None else ops.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """A view without dimensions of size 1; ``ValueError`` for others."""
    axes = (axis,) if isinstance(axis, int) else axis
    if any(x.shape[a] != 1 for a in axes):
        raise ValueError(f"squeeze: the sizes of {tuple(x.shape)} at {axes} are not all 1")
    return ops.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """The arrays along a new dimension."""
    return ops.stack(common(*arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The array repeated along its dimensions."""
    return ops.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along ``axis``, without it."""
    return tuple(ops.unbind(x, axis))
