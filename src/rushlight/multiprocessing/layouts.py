"""PyTorch's names for taking apart typed storages, sparse tensors and tensors without data.

They are those of files (`rushlight.serialization`); a message may hold them as they are.
"""

from __future__ import annotations

from typing import Any

from rushlight._C import UntypedStorage
from rushlight.multiprocessing.reductions import Reduced, reduce_tensor
from rushlight.serialization.allowed_defaults import StorageType
from rushlight.serialization.tensors import SparseTensor, StoredTensor, TypedStorage


def reduce_typed_storage(storage: TypedStorage) -> Reduced:
    """The bytes and the dtype."""
    return rebuild_typed_storage, (storage.untyped_storage(), storage.dtype)


def rebuild_typed_storage(storage: UntypedStorage, dtype: Any) -> TypedStorage:
    """The storage of elements over bytes."""
    return TypedStorage(storage, dtype)


def reduce_typed_storage_child(storage: TypedStorage) -> Reduced:
    """The bytes and the class by which files name such a storage (``FloatStorage``)."""
    return rebuild_typed_storage_child, (storage.untyped_storage(), StorageType(storage.dtype))


def rebuild_typed_storage_child(storage: UntypedStorage, storage_type: StorageType) -> TypedStorage:
    """The storage of a class of elements over bytes."""
    return TypedStorage(storage, storage_type.dtype)


def reduce_sparse_tensor(sparse: SparseTensor) -> Reduced:
    """Moves the parts into shared memory and refers to them."""
    values = reduce_tensor(sparse.values())
    if sparse.layout == "sparse_coo":
        indices = reduce_tensor(sparse.indices())
        return rebuild_sparse_coo_tensor, (*indices, *values, sparse.shape, sparse.is_coalesced())
    compressed = reduce_tensor(sparse.compressed_indices())
    plain = reduce_tensor(sparse.plain_indices())
    parts = (*compressed, *plain, *values)
    return rebuild_sparse_compressed_tensor, (*parts, sparse.shape, sparse.layout)


def rebuild_sparse_coo_tensor(
    rebuild_indices_func: Any,
    rebuild_indices_args: Any,
    rebuild_values_func: Any,
    rebuild_values_args: Any,
    shape: tuple[int, ...],
    is_coalesced: bool | None,
) -> SparseTensor:
    """A tensor of the COO layout."""
    indices = rebuild_indices_func(*rebuild_indices_args)
    values = rebuild_values_func(*rebuild_values_args)
    return SparseTensor("sparse_coo", (indices,), values, shape, is_coalesced)


def rebuild_sparse_compressed_tensor(
    rebuild_compressed_indices_func: Any,
    rebuild_compressed_indices_args: Any,
    rebuild_plain_indices_func: Any,
    rebuild_plain_indices_args: Any,
    rebuild_values_func: Any,
    rebuild_values_args: Any,
    shape: tuple[int, ...],
    layout: str,
) -> SparseTensor:
    """A tensor of the layouts CSR, CSC, BSR and BSC."""
    compressed = rebuild_compressed_indices_func(*rebuild_compressed_indices_args)
    plain = rebuild_plain_indices_func(*rebuild_plain_indices_args)
    values = rebuild_values_func(*rebuild_values_args)
    return SparseTensor(layout, (compressed, plain), values, shape)


def rebuild_meta_tensor(
    tensor_cls: Any,
    tensor_size: tuple[int, ...],
    tensor_stride: tuple[int, ...],
    tensor_offset: int,
    dtype: Any,
    storage_size_bytes: int,
    requires_grad: bool,
) -> StoredTensor:
    """A tensor that has sizes and no data. The arguments are PyTorch's; its class, the size of its
    storage and whether it requires a gradient say nothing here."""
    return StoredTensor(
        TypedStorage(None, dtype), dtype, tensor_offset, tuple(tensor_size), tuple(tensor_stride)
    )
