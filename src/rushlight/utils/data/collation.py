"""Collating: a list of samples becomes one batch."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np

from rushlight import Tensor
from rushlight.utils import pytree
from rushlight.utils.data.arrays import (
    Array,
    Kind,
    as_kind,
    host_array,
    is_text_or_object,
    is_torch_tensor,
    torch_module,
)

CollateMap: TypeAlias = dict[type | tuple[type, ...], Callable[..., Any]]
Allocate: TypeAlias = Callable[[tuple[int, ...], Any], Array]
Path: TypeAlias = tuple[Any, ...]

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


class _Settings(threading.local):
    """What the loader that a thread collates for wants."""

    kind: Kind | None = None
    allocate: Allocate | None = None
    path: Path = ()


settings = _Settings()


@contextmanager
def collating(kind: Kind | None, allocate: Allocate | None = None) -> Any:
    """Batches made in this block are of the given kind, in memory from ``allocate``."""
    before = settings.kind, settings.allocate
    settings.kind, settings.allocate = kind, allocate
    try:
        yield
    finally:
        settings.kind, settings.allocate = before


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
    settings.kind = "torch" if batch and _holds_torch(batch[0]) else "rushlight"
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
    return _fail(path, type(elem))


def _by_instance(elem: Any, table: CollateMap) -> Callable[..., Any] | None:
    return next((f for types, f in table.items() if isinstance(elem, types)), None)


def _collate_mapping(batch: Sequence[Mapping[Any, Any]], table: CollateMap, path: Path) -> Any:
    elem = batch[0]
    collated = {}
    for key in elem:
        at = (*path, pytree.MappingKey(key))
        for i, sample in enumerate(batch):
            if key not in sample:
                raise KeyError(f"{_place(at)}missing in sample {i} of the batch")
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
    if type(elem) in {tuple, list}:
        return collated  # tuples too, as in PyTorch
    try:
        if isinstance(elem, MutableSequence):
            clone = copy.copy(elem)
            for i, value in enumerate(collated):
                clone[i] = value
            return clone
        return collated if isinstance(elem, tuple) else cast(Any, type(elem))(collated)
    except TypeError:
        return collated


def _columns(batch: Sequence[Iterable[Any]], path: Path) -> list[tuple[Any, ...]]:
    try:
        return list(zip(*batch, strict=True))
    except ValueError:
        sizes = [len(cast(Any, sample)) for sample in batch]
        raise RuntimeError(
            f"{_place(path)}each element in list of batch should be of equal size, "
            f"sizes are {sizes[:20]}"
        ) from None


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Arrays of any library that NumPy can read, stacked."""
    arrays: Any = batch if {*map(type, batch)} == {np.ndarray} else [host_array(x) for x in batch]
    for i, array in enumerate(arrays):
        if array is None:
            _fail(settings.path, type(batch[i]), f"sample {i}, ")
    for dtype in {array.dtype for array in arrays}:
        if is_text_or_object(dtype):
            _fail(settings.path, dtype)
    return as_kind(stack(list(arrays)), settings.kind or "rushlight")


def collate_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Tensors, stacked."""
    if is_torch_tensor(batch[0]):
        return collate_torch_tensor_fn(batch)
    try:
        return collate_numpy_array_fn(batch)
    except TypeError:  # bfloat16, which NumPy lacks
        from rushlight import ops

        if settings.kind == "torch" or not all(isinstance(t, Tensor) for t in batch):
            raise
        return ops.aten.stack.default(list(batch), 0)


def collate_torch_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """PyTorch tensors, stacked by PyTorch, into memory of the loader where there is one."""
    torch = torch_module()
    elem = batch[0]
    if elem.is_nested or elem.layout != torch.strided:
        kind = "nested" if elem.is_nested else "sparse"
        raise RuntimeError(
            f"{_place(settings.path)}batches of {kind} tensors need a collate_fn of your own"
        )
    try:
        return torch.stack(list(batch), 0, out=_torch_memory(torch, batch))
    except (RuntimeError, TypeError) as error:
        raise type(error)(f"{_place(settings.path)}{error}") from None


def _torch_memory(torch: Any, batch: Sequence[Any]) -> Any:
    elem = batch[0]
    if settings.allocate is None or elem.device.type != "cpu" or elem.requires_grad:
        return None
    if any(t.dtype != elem.dtype or t.shape != elem.shape for t in batch):
        return None
    bytes_ = settings.allocate((elem.numel() * len(batch) * elem.element_size(),), np.uint8)
    return torch.from_numpy(bytes_).view(elem.dtype).view(len(batch), *elem.shape)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """NumPy scalars."""
    return _numbers(batch, None)


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Python floats, as float64."""
    return _numbers(batch, np.float64)


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Python ints, as int64; bools, as bool."""
    return _numbers(batch, None)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Strings and bytes stay what they are."""
    return batch


def _numbers(batch: Sequence[Any], dtype: Any) -> Any:
    try:
        array = np.array(batch, dtype=dtype)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind in "OSUV" or array.ndim != 1:
        odd = next((i for i, x in enumerate(batch) if type(x) is not type(batch[0])), 0)
        if odd == 0:
            raise OverflowError(f"{_place(settings.path)}a number does not fit into 64 bits")
        _fail(settings.path, type(batch[odd]), f"sample {odd}, ")
    if settings.allocate is not None:
        shared = settings.allocate(array.shape, array.dtype)
        shared[...] = array
        array = shared
    return as_kind(array, settings.kind or "rushlight")


default_collate_fn_map: CollateMap = {
    np.ndarray: collate_numpy_array_fn,
    Tensor: collate_tensor_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def stack(arrays: list[Array]) -> Array:
    """Arrays of one shape along a new first dimension, in the loader's memory."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    for i, array in enumerate(arrays):
        if array.shape != shape:
            raise RuntimeError(
                f"{_place(settings.path)}stack expects each tensor to be equal size, "
                f"but got {list(shape)} at entry 0 and {list(array.shape)} at entry {i}"
            )
        if array.dtype != dtype:
            dtype = np.result_type(dtype, array.dtype)
    out = (settings.allocate or np.empty)((len(arrays), *shape), dtype)
    if shape:  # joining along the first dimension is quicker than np.stack
        np.concatenate(arrays, out=out.reshape(len(arrays) * shape[0], *shape[1:]))
    else:
        out[...] = arrays
    return out


def default_convert(data: Any) -> Any:
    """Arrays within a sample become tensors; everything else stays.

    Example::

        default_convert({"x": np.ones(2), "name": "a"})
    """
    kind: Kind = settings.kind or ("torch" if _holds_torch(data) else "rushlight")
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
        if type(data) in {tuple, list}:
            return items
        try:
            if isinstance(data, MutableSequence):
                clone_ = copy.copy(data)
                for i, item in enumerate(items):
                    clone_[i] = item
                return clone_
            return items if isinstance(data, tuple) else cast(Any, type(data))(items)
        except TypeError:
            return items
    if pytree.tree_is_leaf(data):
        return data
    return pytree.tree_map(lambda leaf: _convert(leaf, kind), data)  # a registered class


def _holds_torch(sample: Any) -> bool:
    torch = torch_module()
    if torch is None:
        return False
    if isinstance(sample, torch.Tensor):
        return True
    if isinstance(sample, Mapping):
        return any(map(_holds_torch, sample.values()))
    if isinstance(sample, Sequence) and not isinstance(sample, str | bytes):
        return any(map(_holds_torch, sample))
    return not pytree.tree_is_leaf(sample) and any(map(_holds_torch, pytree.tree_leaves(sample)))


def _attribute(name: str) -> Any:
    return pytree.GetAttrKey(name)


def _place(path: Path) -> str:
    return f"{pytree.keystr(path)}: " if path else ""


def _fail(path: Path, found: Any, where: str = "") -> NoReturn:
    name = found.__name__ if isinstance(found, type) else str(found)
    prefix = f"{_place(path)}{where}{name} cannot be collated: " if path or where else ""
    raise TypeError(prefix + default_collate_err_msg_format.format(found))
