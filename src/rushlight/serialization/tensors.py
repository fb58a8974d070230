"""What files hold besides plain tensors: typed storages, parameters, and tensors that the engine
does not compute with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight import _C

from .dtypes import BY_NAME, AnyDType, StoredDType, element_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Parameter", "QuantizedTensor", "SparseTensor", "StoredTensor", "TypedStorage"]

_INT64_MAX = 2**63 - 1
_MAX_DIMS = 64  # as NumPy


class Parameter(_C.Tensor):
    """A tensor that a model learns; ``torch.nn.Parameter`` in a file. It shares the memory of
    ``data``."""

    requires_grad: bool = True  # hides the property of Tensor, which cannot be set

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(data)
        self.requires_grad = requires_grad

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class TypedStorage:
    """A storage and the dtype of its elements, as files have them."""

    __slots__ = ("_untyped", "big_endian", "dtype", "resolved")

    def __init__(self, untyped: _C.UntypedStorage | None, dtype: AnyDType) -> None:
        self._untyped = untyped
        self.dtype = dtype
        self.big_endian = False  # bytes of unknown dtype from a big-endian file, yet to be swapped
        self.resolved: dict[tuple[AnyDType, bool, bool], TypedStorage] = {}  # conjugated, negated

    def untyped_storage(self) -> _C.UntypedStorage:
        """The bytes; RuntimeError for a storage on the device 'meta', which has none."""
        if self._untyped is None:
            raise RuntimeError("a storage on the device 'meta' has no data")
        return self._untyped

    @property
    def is_meta(self) -> bool:
        """True when the file was loaded for its sizes only (``map_location='meta'``)."""
        return self._untyped is None

    def nbytes(self) -> int:
        """The size in bytes."""
        return self.untyped_storage().nbytes()

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    def tolist(self) -> list[Any]:
        """The elements as Python numbers, for dtypes that the engine or NumPy has."""
        tensor = make_tensor(self, self.dtype, 0, (len(self),), (1,))
        values: list[Any] = tensor.tolist()
        return values

    def __repr__(self) -> str:
        size = "meta" if self.is_meta else f"{len(self)} elements"
        return f"TypedStorage(dtype={self.dtype.name}, {size})"


class StoredTensor:
    """A tensor that the engine does not compute with: one of another dtype, or one without data
    (``map_location='meta'``). It keeps its bytes, its view of them and its sharing, and is saved as
    it was loaded. ``numpy()`` and ``float()`` give its values."""

    def __init__(
        self,
        storage: TypedStorage,
        dtype: AnyDType,
        storage_offset: int,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
    ) -> None:
        _check_view(storage, dtype.itemsize, storage_offset, shape, stride)
        self._storage = storage
        self.dtype = dtype
        self.shape = shape
        self._stride = stride
        self._storage_offset = storage_offset

    @property
    def is_meta(self) -> bool:
        """True when there are sizes only."""
        return self._storage.is_meta

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def size(self) -> tuple[int, ...]:
        """The sizes, in elements."""
        return self.shape

    def stride(self) -> tuple[int, ...]:
        """The strides, in elements."""
        return self._stride

    def storage_offset(self) -> int:
        """Elements before the first one in the storage."""
        return self._storage_offset

    def numel(self) -> int:
        """The number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def untyped_storage(self) -> _C.UntypedStorage:
        """The bytes; RuntimeError for a tensor without data."""
        return self._storage.untyped_storage()

    def raw(self) -> NDArray[Any]:
        """The elements as unsigned integers of their size (16 bytes: as NumPy's void type): a NumPy
        array over the same memory."""
        import numpy as np
        from numpy.lib.stride_tricks import as_strided

        size = self.dtype.itemsize
        kind = f"u{size}" if size <= 8 else f"V{size}"
        flat = np.frombuffer(bytes_of(self.untyped_storage()), np.uint8)
        usable = (flat.size - flat.size % size) // size
        if usable <= self._storage_offset or 0 in self.shape:
            return np.empty(self.shape, kind)
        elements = flat[: usable * size].view(kind)[self._storage_offset :]
        return as_strided(elements, self.shape, [s * size for s in self._stride])

    def numpy(self) -> NDArray[Any]:
        """The values as NumPy has them (uint16, uint32, uint64; integers of quantised tensors);
        float8, which NumPy does not have, and complex32 become float32 and complex64."""
        from .stored_values import values_of

        return values_of(self.raw(), self.dtype.name)

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self.numpy().tolist()

    def float(self) -> _C.Tensor:
        """The values as a float32 tensor."""
        import numpy as np

        return _C.Tensor(np.ascontiguousarray(self.numpy(), np.float32))

    def __repr__(self) -> str:
        meta = ", device='meta'" if self.is_meta else ""
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype.name}{meta})"


class QuantizedTensor(StoredTensor):
    """A quantised tensor: integers ``q`` that stand for ``(q - zero_point) * scale``.

    ``qscheme`` is PyTorch's name of the scheme. ``scale`` and ``zero_point`` are numbers, or, for
    schemes per channel, tensors with one entry for each index along ``axis``.
    """

    def __init__(
        self,
        view: StoredTensor,
        qscheme: str,
        scale: Any,
        zero_point: Any,
        axis: int | None = None,
    ) -> None:
        super().__init__(view._storage, view.dtype, view._storage_offset, view.shape, view._stride)
        self.qscheme = qscheme
        self.scale = scale
        self.zero_point = zero_point
        self.axis = axis

    def int_repr(self) -> NDArray[Any]:
        """The integers."""
        return self.numpy()

    def dequantize(self) -> _C.Tensor:
        """The values that the integers stand for, as a float32 tensor."""
        import numpy as np

        q = self.numpy().astype(np.float32)
        if self.axis is None:
            return _C.Tensor((q - np.float32(self.zero_point)) * np.float32(self.scale))
        shape = [1] * self.ndim
        shape[self.axis] = -1
        scale = np.asarray(self.scale).astype(np.float32).reshape(shape)
        zero_point = np.asarray(self.zero_point).astype(np.float32).reshape(shape)
        if self.qscheme == "per_channel_affine_float_qparams":
            return _C.Tensor(q * scale + zero_point)
        return _C.Tensor((q - zero_point) * scale)

    float = dequantize


class SparseTensor:
    """A sparse tensor of a file, as its parts.

    ``layout`` is ``'sparse_coo'`` (``indices`` of sizes (dimensions, n)), or ``'sparse_csr'``,
    ``'sparse_csc'``, ``'sparse_bsr'``, ``'sparse_bsc'`` (``compressed_indices`` and
    ``plain_indices``); ``values`` holds the elements, ``shape`` the sizes of the whole.
    """

    def __init__(
        self,
        layout: str,
        indices: tuple[Any, ...],
        values: Any,
        shape: tuple[int, ...],
        is_coalesced: bool | None = None,
    ) -> None:
        self.layout = layout
        self._indices = indices
        self._values = values
        self.shape = shape
        self._is_coalesced = is_coalesced
        from .sparse_check import check_sparse

        check_sparse(self)

    @property
    def dtype(self) -> AnyDType:
        """The dtype of the values."""
        dtype: AnyDType = self._values.dtype
        return dtype

    def values(self) -> Any:
        """The elements."""
        return self._values

    def indices(self) -> Any:
        """Of the COO layout: one column for each element."""
        if self.layout != "sparse_coo":
            raise RuntimeError(f"indices() is for the layout sparse_coo, not {self.layout}")
        return self._indices[0]

    def compressed_indices(self) -> Any:
        """Of the compressed layouts: where each row (or column) begins."""
        if self.layout == "sparse_coo":
            raise RuntimeError("compressed_indices() is not for the layout sparse_coo")
        return self._indices[0]

    def plain_indices(self) -> Any:
        """Of the compressed layouts: the column (or row) of each element."""
        if self.layout == "sparse_coo":
            raise RuntimeError("plain_indices() is not for the layout sparse_coo")
        return self._indices[1]

    def is_coalesced(self) -> bool | None:
        """Whether the indices of the COO layout are sorted and differ; None when not recorded."""
        return self._is_coalesced

    def to_dense(self) -> _C.Tensor:
        """The whole, zeros included; entries of the same index are added."""
        from .sparse_check import to_dense

        return _C.Tensor(to_dense(self))

    def __repr__(self) -> str:
        return f"SparseTensor(shape={self.shape}, layout={self.layout}, dtype={self.dtype.name})"


def make_tensor(
    storage: TypedStorage,
    dtype: AnyDType,
    storage_offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
) -> Any:
    """A view of a storage: a Tensor, or a StoredTensor where the engine lacks the dtype."""
    untyped = storage._untyped
    if len(size) > _MAX_DIMS:
        raise RuntimeError(f"a tensor of {len(size)} dimensions; the most are {_MAX_DIMS}")
    if storage.big_endian:
        swap_bytes(storage, dtype)
    if untyped is not None and type(dtype) is _C.dtype:
        if 0 in size and type(storage_offset) is int:
            # PyTorch lets a tensor without elements begin anywhere.
            storage_offset = min(storage_offset, untyped.nbytes() // dtype.itemsize)
        return _C.rebuild_tensor(untyped, dtype, storage_offset, size, stride)
    return StoredTensor(storage, dtype, storage_offset, size, stride)


def contiguous_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor, in elements."""
    stride, step = [], 1
    for n in reversed(shape):
        stride.append(step)
        step *= max(n, 1)
    return tuple(reversed(stride))


def bytes_of(storage: _C.UntypedStorage) -> memoryview:
    """The bytes of a storage."""
    return memoryview(storage)  # type: ignore[arg-type]


def swap_bytes(storage: TypedStorage, dtype: AnyDType) -> None:
    """Turns big-endian elements into little-endian ones, in place."""
    import numpy as np

    storage.big_endian = False
    size = dtype.itemsize // element_parts(dtype.name)
    if size == 1 or storage.is_meta:
        return
    flat = np.frombuffer(bytes_of(storage.untyped_storage()), np.uint8)
    flat[: flat.size - flat.size % size].view(f"u{size}").byteswap(inplace=True)


def _check_view(
    storage: TypedStorage,
    itemsize: int,
    offset: int,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
) -> None:
    numbers = (offset, *shape, *stride)
    what = f"a tensor of sizes {shape}, strides {stride} and storage offset {offset}"
    valid = all(type(n) is int and 0 <= n <= _INT64_MAX for n in numbers)
    if len(shape) != len(stride) or not valid:
        raise RuntimeError(f"{what} is not valid")
    if storage.is_meta:
        return
    last = offset + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
    end = 0 if 0 in shape else last + 1
    if end * itemsize > storage.nbytes():
        raise RuntimeError(f"{what} exceeds its storage of {storage.nbytes() // itemsize} elements")


def meta_tensor(dtype: AnyDType, size: tuple[int, ...], stride: tuple[int, ...]) -> StoredTensor:
    """A tensor without data."""
    return StoredTensor(TypedStorage(None, dtype), dtype, 0, size, stride)


def stored_dtype(name: str) -> AnyDType:
    """The dtype called ``name``."""
    found = BY_NAME.get(name)
    if found is None:
        raise ValueError(f"unknown dtype '{name}'")
    return found


__all__ += ["StoredDType", "make_tensor", "meta_tensor", "stored_dtype", "swap_bytes"]
