"""Collating: a list of samples becomes one batch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, cast

import numpy as np

from rushlight import Tensor
from rushlight.utils import pytree
from rushlight.utils.data.arrays import is_torch_tensor
from rushlight.utils.data.collate_functions import (
    collate_float_fn,
    collate_int_fn,
    collate_numpy_array_fn,
    collate_numpy_scalar_fn,
    collate_str_fn,
    collate_tensor_fn,
    collate_torch_tensor_fn,
)
from rushlight.utils.data.collate_settings import (
    CollateMap,
    Path,
    fail,
    place_text,
    settings,
)
from rushlight.utils.data.conversion import holds_torch, like_sequence


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch from samples: arrays and numbers are stacked along a new first dimension.

    Dictionaries, named tuples, lists, tuples (which become lists) and containers known to
    :mod:`rushlight.utils.pytree` are collated entry by entry; strings and bytes are left as they
    are. Arrays and numbers become :class:`rushlight.Tensor`, or PyTorch tensors where the samples
    hold PyTorch tensors, or what ``DataLoader(arrays=...)`` says. Python ints become int64, floats
    float64.

    Raises:
        TypeError: a value of another type; the message starts with its place in the sample.
        RuntimeError: arrays of different shapes, or lists of different lengths.

    Example::

        default_collate([{"x": np.ones(2), "y": 1}, {"x": np.zeros(2), "y": 2}])
    """
    if settings.kind is not None:
        return collate(batch, collate_fn_map=default_collate_fn_map)
    settings.kind = "torch" if batch and holds_torch(batch[0]) else "rushlight"
    try:
        return collate(batch, collate_fn_map=default_collate_fn_map)
    finally:
        settings.kind = None


def collate(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Any:
    """Collates with a map from types to functions.

    Args:
        batch: samples.
        collate_fn_map: from a type, or a tuple of types, to a function
            ``f(batch, *, collate_fn_map)``. The exact type of the first sample is looked up first,
            then the entries in order by ``isinstance``. Containers that no entry takes are collated
            entry by entry.
    """
    before = settings.path
    try:
        return _collate(batch, collate_fn_map or {}, before)
    finally:
        settings.path = before


def _collate(batch: Sequence[Any], table: CollateMap, path: Path) -> Any:
    elem = batch[0]
    function = table.get(type(elem)) or _by_instance(elem, table)
    if function is not None:
        settings.path = path
        return function(batch, collate_fn_map=table)
    if isinstance(elem, Mapping):
        return _collate_mapping(batch, table, path)
    if isinstance(elem, tuple) and hasattr(elem, "_fields"):
        columns = zip(elem._fields, _columns(batch, path), strict=True)
        return type(elem)(*(_collate(c, table, (*path, _attribute(f))) for f, c in columns))
    if isinstance(elem, Sequence) and not isinstance(elem, str | bytes):
        return _collate_sequence(batch, table, path)
    if table is default_collate_fn_map and is_torch_tensor(elem):
        settings.path = path
        return collate_torch_tensor_fn(batch)
    if not pytree.tree_is_leaf(elem) and elem is not None:
        _, structure = pytree.tree_flatten(elem)
        rows = [structure.flatten_up_to(sample) for sample in batch]
        paths = pytree.tree_paths(elem)
        columns = zip(paths, zip(*rows, strict=True), strict=True)
        return structure.unflatten([_collate(c, table, (*path, *p)) for p, c in columns])
    if table is default_collate_fn_map and hasattr(elem, "__dlpack__"):
        settings.path = path
        return collate_numpy_array_fn(batch)
    return fail(path, type(elem))


def _by_instance(elem: Any, table: CollateMap) -> Callable[..., Any] | None:
    return next((f for types, f in table.items() if isinstance(elem, types)), None)


def _collate_mapping(batch: Sequence[Mapping[Any, Any]], table: CollateMap, path: Path) -> Any:
    elem = batch[0]
    collated = {}
    for key in elem:
        at = (*path, pytree.MappingKey(key))
        for i, sample in enumerate(batch):
            if key not in sample:
                raise KeyError(f"{place_text(at)}missing in sample {i} of the batch")
        collated[key] = _collate([sample[key] for sample in batch], table, at)
    if type(elem) is dict:
        return collated
    try:
        if isinstance(elem, MutableMapping):  # a copy keeps what else the type holds
            clone = copy.copy(elem)
            clone.update(collated)
            return clone
        return cast(Any, type(elem))(collated)
    except TypeError:
        return collated


def _collate_sequence(batch: Sequence[Sequence[Any]], table: CollateMap, path: Path) -> Any:
    elem = batch[0]
    collated = [
        _collate(column, table, (*path, pytree.SequenceKey(i)))
        for i, column in enumerate(_columns(batch, path))
    ]
    return like_sequence(elem, collated)


def _columns(batch: Sequence[Iterable[Any]], path: Path) -> list[tuple[Any, ...]]:
    try:
        return list(zip(*batch, strict=True))
    except ValueError:
        sizes = [len(cast(Any, sample)) for sample in batch]
        raise RuntimeError(
            f"{place_text(path)}each element in list of batch should be of equal size, "
            f"sizes are {sizes[:20]}"
        ) from None


default_collate_fn_map: CollateMap = {
    np.ndarray: collate_numpy_array_fn,
    Tensor: collate_tensor_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def _attribute(name: str) -> Any:
    return pytree.GetAttrKey(name)
