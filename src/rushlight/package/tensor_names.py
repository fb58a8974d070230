"""What PyTorch's pickles call tensors, and what those names mean without PyTorch.

A tensor is pickled as a call of ``torch._utils._rebuild_tensor_v2`` on a storage, and a storage as
its class, a key and a number of elements. Our tensors are pickled the same way, so that PyTorch
loads them as its own; the keys of our storages begin with ``r``, so that we know them again.
"""

from __future__ import annotations

import collections
from typing import Any

import rushlight

#: PyTorch's class names of storages, by element type.
STORAGE_NAMES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex128": "ComplexDoubleStorage",
    "complex64": "ComplexFloatStorage",
}
_DTYPES = {name: dtype for dtype, name in STORAGE_NAMES.items()}

#: Keys of our storages start with this; PyTorch's are numbers.
OUR_PREFIX = "r"


class GlobalName:
    """A name that a pickle refers to without the object being here."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__ = module
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args: Any) -> Any:  # picklers demand it of what they call when loading
        raise TypeError(f"{self.__module__}.{self.__name__} is not here")


REBUILD_TENSOR = GlobalName("torch._utils", "_rebuild_tensor_v2")
REBUILD_TENSOR_WITH_DTYPE = GlobalName("torch._utils", "_rebuild_tensor_v3")
UNTYPED_STORAGE = GlobalName("torch.storage", "UntypedStorage")


class Storage:
    """A storage of ours and the element type that a pickle gave it."""

    def __init__(self, untyped: rushlight.UntypedStorage, dtype: rushlight.dtype | None) -> None:
        self.untyped = untyped
        self.dtype = dtype


def reduce_tensor(tensor: rushlight.Tensor) -> tuple[Any, ...]:
    """What a pickle of one of our tensors calls, and with what."""
    name = tensor.dtype.name
    hooks: collections.OrderedDict[Any, Any] = collections.OrderedDict()
    place = (tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()), False, hooks)
    storage = Storage(tensor.untyped_storage(), tensor.dtype)
    if name in STORAGE_NAMES:
        return REBUILD_TENSOR, (storage, *place)
    storage.dtype = None
    return REBUILD_TENSOR_WITH_DTYPE, (storage, *place, GlobalName("torch", name))


def storage_class(storage: Storage) -> GlobalName:
    """PyTorch's class for a storage of ours."""
    if storage.dtype is None:
        return UNTYPED_STORAGE
    return GlobalName("torch", STORAGE_NAMES[storage.dtype.name])


def element_count(storage: Storage) -> int:
    """The number that a pickle gives with a storage."""
    return storage.untyped.nbytes() // (storage.dtype.itemsize if storage.dtype else 1)


def dtype_of_storage(class_name: str) -> str | None:
    """The element type of a storage class; None for bytes of any type."""
    if class_name in ("UntypedStorage", "TypedStorage"):
        return None
    if class_name not in _DTYPES:
        raise NotImplementedError(f"storages of the class torch.{class_name} cannot be loaded")
    return _DTYPES[class_name]


def find_tensor_name(module: str, name: str) -> Any:
    """What a name of PyTorch's means without PyTorch; None for one that means nothing here."""
    if module == "torch._utils":
        return _REBUILD.get(name)
    if module in ("torch", "torch.storage") and name.endswith("Storage"):
        return GlobalName("torch", name)
    if module == "torch" and name == "Size":
        return tuple
    if module == "torch":
        try:
            return rushlight._C.dtype_from_name(name)
        except ValueError:
            return None
    return None


def rebuild_tensor(
    storage: Any, offset: int, size: Any, stride: Any, requires_grad: bool = False, *rest: Any
) -> Any:
    """``torch._utils._rebuild_tensor_v2`` for storages of PyTorch and of ours."""
    if isinstance(storage, Storage):
        if storage.dtype is None:
            raise ValueError("a tensor over a storage whose element type is not known")
        return rushlight._C.rebuild_tensor(storage.untyped, storage.dtype, offset, size, stride)
    import torch

    return torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, *rest)


def rebuild_tensor_with_dtype(
    storage: Any, offset: int, size: Any, stride: Any, requires_grad: bool, hooks: Any, dtype: Any,
    *rest: Any,
) -> Any:  # fmt: skip
    """``torch._utils._rebuild_tensor_v3`` for storages of PyTorch and of ours."""
    if isinstance(storage, Storage):
        if not isinstance(dtype, rushlight.dtype):
            dtype = rushlight._C.dtype_from_name(str(dtype).removeprefix("torch."))
        return rushlight._C.rebuild_tensor(storage.untyped, dtype, offset, size, stride)
    import torch

    return torch._utils._rebuild_tensor_v3(
        storage, offset, size, stride, requires_grad, hooks, dtype, *rest
    )


def rebuild_parameter(data: Any, requires_grad: bool, *rest: Any) -> Any:
    """``torch._utils._rebuild_parameter``; a tensor where PyTorch is not."""
    if isinstance(data, rushlight.Tensor):
        return data
    import torch

    return torch._utils._rebuild_parameter(data, requires_grad, *rest)


_REBUILD = {
    "_rebuild_tensor_v2": rebuild_tensor,
    "_rebuild_tensor_v3": rebuild_tensor_with_dtype,
    "_rebuild_parameter": rebuild_parameter,
}
