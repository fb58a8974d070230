"""Lazily conjugated and negated tensors: in PyTorch a view of the base with a flag, here a view of
final values."""

from __future__ import annotations

from typing import Any

from rushlight import _C

from .errors import require
from .tensors import TypedStorage, make_tensor


def with_metadata(storage: TypedStorage, tensor: Any, metadata: Any) -> Any:
    """The tensor with the flags of ``_rebuild_tensor_v2``. Each storage is worked out once for all
    of its views, so a file can't make more values than it holds."""
    require(
        type(metadata) is dict and set(metadata) <= {"conj", "neg"},
        "the metadata of a tensor is not valid",
    )
    conj, neg = bool(metadata.get("conj")), bool(metadata.get("neg"))
    if not (conj or neg) or not isinstance(tensor, _C.Tensor):
        return tensor
    dtype = tensor.dtype
    known = storage.resolved.get((dtype, conj, neg))
    if known is None:
        count = storage.nbytes() // dtype.itemsize
        values = make_tensor(storage, dtype, 0, (count,), (1,)).numpy()
        values = values.conj() if conj else values
        values = _C.Tensor(-values if neg else values)
        known = TypedStorage(values.untyped_storage(), dtype)
        storage.resolved[dtype, conj, neg] = known
    return make_tensor(
        known, dtype, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride())
    )
