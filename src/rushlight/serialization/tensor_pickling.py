"""How tensors and storages are named in a pickle, and which storages it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight import _C

from .compact import Placement
from .dtypes import CLASS_OF_DTYPE, AnyDType
from .locations import location_tag
from .tensors import (
    Parameter,
    QuantizedTensor,
    SparseTensor,
    StoredTensor,
    TypedStorage,
    stored_dtype,
)

if TYPE_CHECKING:
    from .pickler import Pickler

_BYTES = stored_dtype("uint8")


class SharedAsTwoTypesError(Exception):
    """A storage has tensors of two dtypes: it must be written as bytes, from the start."""

    def __init__(self, storage: _C.UntypedStorage) -> None:
        super().__init__()
        self.storage = storage


class TensorWriter:
    """Numbers the storages of a pickle.

    ``as_bytes`` are those that tensors of several dtypes share; ``placements`` say which part of a
    storage is written (see ``compact``); ``legacy`` chooses the identifiers of the old format.
    """

    def __init__(
        self,
        as_bytes: set[_C.UntypedStorage],
        placements: dict[_C.UntypedStorage, Placement],
        legacy: bool = False,
    ) -> None:
        self.keys: dict[_C.UntypedStorage, str] = {}
        self.dtypes: dict[_C.UntypedStorage, AnyDType] = {}
        #: Views of each storage: dtype, offset, sizes and strides.
        self.views: dict[_C.UntypedStorage, list[tuple[Any, ...]]] = {}
        self._as_bytes = as_bytes
        self._placements = placements
        self._legacy = legacy

    def persistent(self, p: Pickler, storage: Any) -> None:
        """A storage on its own."""
        if isinstance(storage, TypedStorage):
            untyped, dtype = storage.untyped_storage(), storage.dtype
        else:
            untyped, dtype = storage, None
        self.views.setdefault(untyped, []).append(())
        self._identifier(p, untyped, dtype)

    def _identifier(self, p: Pickler, untyped: _C.UntypedStorage, dtype: AnyDType | None) -> None:
        if dtype is None or untyped in self._as_bytes or dtype.name not in CLASS_OF_DTYPE:
            # PyTorch's reader of the old format knows no storages without a dtype.
            module, kind, size = "torch.storage", "UntypedStorage", 1
            if self._legacy:
                module, kind = "torch", "ByteStorage"
            dtype = _BYTES
        else:
            module, kind, size = "torch", CLASS_OF_DTYPE[dtype.name], dtype.itemsize
        first = self.dtypes.setdefault(untyped, dtype)
        if first is not dtype:
            raise SharedAsTwoTypesError(untyped)
        key = self.keys.get(untyped)
        if key is None:
            key = self.keys[untyped] = str(len(self.keys))
        placement = self._placements.get(untyped)
        nbytes = placement.nbytes if placement else untyped.nbytes()
        p.write(b"(")
        p.word("storage")
        p.name(module, kind)
        p.save(key)
        p.word(location_tag(untyped))
        p.save(nbytes // size)
        p.write(b"NtQ" if self._legacy else b"tQ")

    def tensor(self, p: Pickler, tensor: Any) -> None:
        """Any tensor."""
        if isinstance(tensor, SparseTensor):
            return self._sparse(p, tensor)
        if isinstance(tensor, Parameter):
            return self._parameter(p, tensor)
        if isinstance(tensor, StoredTensor) and tensor.is_meta:
            return self._meta(p, tensor)
        by_bytes = tensor.dtype.name not in CLASS_OF_DTYPE
        untyped = tensor.untyped_storage()
        if isinstance(tensor, QuantizedTensor):
            p.name("torch._utils", "_rebuild_qtensor")
        elif by_bytes or untyped in self._as_bytes:
            by_bytes = True
            p.name("torch._utils", "_rebuild_tensor_v3")
        else:
            p.name("torch._utils", "_rebuild_tensor_v2")
        p.write(b"(")
        self._view(p, tensor, untyped)
        if isinstance(tensor, QuantizedTensor):
            self._quantizer(p, tensor)
        p.write(b"\x89")
        p.name("collections", "OrderedDict")
        p.write(b")R")
        if by_bytes:
            p.name("torch", tensor.dtype.name)
        p.write(b"tR")
        return None

    def _view(self, p: Pickler, tensor: Any, untyped: _C.UntypedStorage) -> None:
        offset, size, stride = tensor.storage_offset(), tuple(tensor.shape), tensor.stride()
        self.views.setdefault(untyped, []).append((tensor.dtype, offset, size, stride))
        placement = self._placements.get(untyped)
        if placement is not None:
            offset, stride = placement.moved(tensor.dtype.itemsize, offset, stride)
        self._identifier(p, untyped, tensor.dtype)
        p.save(offset)
        p.tuple_of(size)
        p.tuple_of(stride)

    def _quantizer(self, p: Pickler, tensor: QuantizedTensor) -> None:
        p.write(b"(")
        p.name("torch", tensor.qscheme)
        p.save(tensor.scale)
        p.save(tensor.zero_point)
        if tensor.axis is not None:
            p.save(tensor.axis)
        p.write(b"t")

    def _parameter(self, p: Pickler, parameter: Parameter) -> None:
        attributes = {k: v for k, v in vars(parameter).items() if k != "requires_grad"}
        suffix = "_with_state" if attributes else ""
        p.name("torch._utils", f"_rebuild_parameter{suffix}")
        p.write(b"(")
        p.save(_C.Tensor(parameter))
        p.write(b"\x88" if parameter.requires_grad else b"\x89")
        p.name("collections", "OrderedDict")
        p.write(b")R")
        if attributes:
            p.save(attributes)
        p.write(b"tR")

    def _meta(self, p: Pickler, tensor: StoredTensor) -> None:
        p.name("torch._utils", "_rebuild_meta_tensor_no_storage")
        p.write(b"(")
        p.name("torch", tensor.dtype.name)
        p.tuple_of(tensor.shape)
        p.tuple_of(tensor.stride())
        p.write(b"\x89tR")

    def _sparse(self, p: Pickler, tensor: SparseTensor) -> None:
        p.name("torch._utils", "_rebuild_sparse_tensor")
        p.name("torch.serialization", "_get_layout")
        p.save(f"torch.{tensor.layout}")
        p.write(b"\x85R(")
        for part in (*tensor._indices, tensor.values()):
            p.save(part)
        p.name("torch", "Size")
        p.tuple_of((tuple(tensor.shape),))
        p.write(b"R")
        if tensor.layout == "sparse_coo":
            p.save(tensor.is_coalesced())
        p.write(b"t\x86R")
