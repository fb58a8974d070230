"""Arrays within a sample become tensors, where samples are not made batches of."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, cast

import numpy as np

from rushlight import Tensor
from rushlight.utils import pytree
from rushlight.utils.data.arrays import (
    Kind,
    as_kind,
    is_text_or_object,
    is_torch_tensor,
    torch_module,
)
from rushlight.utils.data.collate_settings import settings


def default_convert(data: Any) -> Any:
    """Arrays within a sample become tensors; everything else stays.

    Example::

        default_convert({"x": np.ones(2), "name": "a"})
    """
    kind: Kind = settings.kind or ("torch" if holds_torch(data) else "rushlight")
    return _convert(data, kind)


def _convert(data: Any, kind: Kind) -> Any:
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        return data if is_text_or_object(array.dtype) else as_kind(array, kind)
    if isinstance(data, Tensor) or is_torch_tensor(data):
        return data
    if isinstance(data, Mapping):
        converted = {key: _convert(data[key], kind) for key in data}
        if type(data) is dict:
            return converted
        try:
            if isinstance(data, MutableMapping):
                clone = copy.copy(data)
                clone.update(converted)
                return clone
            return cast(Any, type(data))(converted)
        except TypeError:
            return converted
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(_convert(d, kind) for d in data))
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        items = [_convert(d, kind) for d in data]
        return like_sequence(data, items)
    if pytree.tree_is_leaf(data):
        return data
    return pytree.tree_map(lambda leaf: _convert(leaf, kind), data)  # a registered class


def holds_torch(sample: Any) -> bool:
    """Whether a sample has PyTorch tensors inside."""
    torch = torch_module()
    if torch is None:
        return False
    if isinstance(sample, torch.Tensor):
        return True
    if isinstance(sample, Mapping):
        return any(map(holds_torch, sample.values()))
    if isinstance(sample, Sequence) and not isinstance(sample, str | bytes):
        return any(map(holds_torch, sample))
    return not pytree.tree_is_leaf(sample) and any(map(holds_torch, pytree.tree_leaves(sample)))


def like_sequence(original: Sequence[Any], items: list[Any]) -> Any:
    """The items as a sequence of the original's kind; tuples become lists, as in PyTorch."""
    if type(original) in {tuple, list}:
        return items
    try:
        if isinstance(original, MutableSequence):
            clone = copy.copy(original)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        return items if isinstance(original, tuple) else cast(Any, type(original))(items)
    except TypeError:
        return items
