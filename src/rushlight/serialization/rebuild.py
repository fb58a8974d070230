"""The functions with which PyTorch's pickles make tensors."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight import _C

from .constants import TorchConstant
from .dtypes import AnyDType, StoredDType
from .errors import require
from .rebuild_nested import rebuild_jagged
from .resolved import with_metadata
from .tensors import (
    Parameter,
    QuantizedTensor,
    SparseTensor,
    StoredTensor,
    TypedStorage,
    make_tensor,
    meta_tensor,
)


def rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    """``torch._utils._rebuild_tensor``."""
    if type(storage) is not TypedStorage:
        require(False, f"a tensor over a {type(storage).__name__} instead of a storage")
    return make_tensor(storage, storage.dtype, storage_offset, size, stride)


def rebuild_tensor_v2(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any = False,
    backward_hooks: Any = None,
    metadata: Any = None,
) -> Any:
    """``torch._utils._rebuild_tensor_v2``."""
    if type(storage) is not TypedStorage:
        require(False, f"a tensor over a {type(storage).__name__} instead of a storage")
    tensor = make_tensor(storage, storage.dtype, storage_offset, size, stride)
    return with_metadata(storage, tensor, metadata) if metadata else tensor


def rebuild_tensor_v3(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    """``torch._utils._rebuild_tensor_v3``: the storage is of bytes, the dtype is given."""
    require(type(storage) is TypedStorage, "a tensor over something that is no storage")
    tensor = make_tensor(storage, _dtype(dtype), storage_offset, size, stride)
    return with_metadata(storage, tensor, metadata) if metadata else tensor


def rebuild_parameter(data: Any, requires_grad: Any = True, backward_hooks: Any = None) -> Any:
    """``torch._utils._rebuild_parameter``. One that the engine lacks stays what it is."""
    if isinstance(data, _C.Tensor):
        return Parameter(data, requires_grad is True)
    require(isinstance(data, (StoredTensor, SparseTensor)), "a parameter that is no tensor")
    return data


def rebuild_parameter_with_state(
    data: Any, requires_grad: Any, backward_hooks: Any, state: Any
) -> Any:
    """``torch._utils._rebuild_parameter_with_state``."""
    return with_state(rebuild_parameter(data, requires_grad), state)


def rebuild_from_type_v2(function: Any, kind: Any, args: Any, state: Any) -> Any:
    """``torch._tensor._rebuild_from_type_v2``: a tensor with attributes."""
    require(function in _TENSOR_FUNCTIONS, "a tensor is made by a function that makes no tensors")
    require(type(args) is tuple, "arguments that are no tuple")
    if function is rebuild_jagged:
        return function(*args)  # the state repeats the arguments
    return with_state(function(*args), state)


def with_state(tensor: Any, state: Any) -> Any:
    """Attributes that a program has set on a tensor. They are kept on parameters, which can have
    some; elsewhere a warning says that they are left out."""
    if not state:
        return tensor
    attributes = state[0] if type(state) is tuple and state else state
    require(type(attributes) is dict, "the attributes of a tensor are no dictionary")
    if isinstance(tensor, Parameter):
        for name, value in attributes.items():
            if type(name) is str and name.isidentifier() and not hasattr(Parameter, name):
                setattr(tensor, name, value)
        return tensor
    names = [str(name)[:40] for name in attributes if name not in _COMPILER_NOTES]
    if names:
        text = ", ".join(names[:5])
        warnings.warn(f"attributes of a tensor are left out: {text}", UserWarning, stacklevel=2)
    return tensor


def rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """``torch._utils._rebuild_sparse_tensor``."""
    require(isinstance(layout, TorchConstant), "the layout of a sparse tensor is none")
    require(type(data) is tuple, "the parts of a sparse tensor are no tuple")
    name = layout.name
    if name == "sparse_coo":
        require(len(data) in (3, 4), "a sparse tensor needs indices, values and sizes")
        indices, values, size, *coalesced = data
        parts: tuple[Any, ...] = (indices,)
    else:
        require(
            name in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc") and len(data) == 4,
            f"no layout of sparse tensors: {name}",
        )
        compressed, plain, values, size = data
        parts, coalesced = (compressed, plain), []
    require(
        all(isinstance(i, _C.Tensor) or getattr(i, "is_meta", False) for i in parts),
        "the indices are no tensor",
    )
    require(isinstance(values, (_C.Tensor, StoredTensor)), "the values are no tensor")
    return SparseTensor(name, parts, values, sizes(size), coalesced[0] if coalesced else None)


def rebuild_qtensor(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    quantizer_params: Any,
    requires_grad: Any,
    backward_hooks: Any,
) -> Any:
    """``torch._utils._rebuild_qtensor``."""
    view = rebuild_tensor(storage, storage_offset, size, stride)
    require(isinstance(view, StoredTensor), "a quantised tensor of a dtype that is not quantised")
    require(
        type(quantizer_params) is tuple
        and len(quantizer_params) in (3, 4)
        and isinstance(quantizer_params[0], TorchConstant),
        "the parameters of a quantised tensor are not valid",
    )
    scheme, scale, zero_point, *axis = quantizer_params
    if not axis:
        require(
            type(scale) in (int, float) and type(zero_point) in (int, float),
            "scale and zero point of a quantised tensor are no numbers",
        )
        return QuantizedTensor(view, scheme.name, scale, zero_point)
    require(type(axis[0]) is int and 0 <= axis[0] < view.ndim, "the axis of scales is out of range")
    for part in (scale, zero_point):
        require(
            isinstance(part, (_C.Tensor, StoredTensor))
            and tuple(part.shape) == (view.shape[axis[0]],),
            "the scales of a quantised tensor do not fit its sizes",
        )
    return QuantizedTensor(view, scheme.name, scale, zero_point, axis[0])


def rebuild_meta_tensor(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> StoredTensor:
    """``torch._utils._rebuild_meta_tensor_no_storage``."""
    return meta_tensor(_dtype(dtype), sizes(size), sizes(stride))


def rebuild_device_tensor(data: Any, dtype: Any, device: Any, requires_grad: Any) -> Any:
    """Tensors of devices that were saved through the CPU or NumPy."""
    import numpy as np

    if isinstance(data, np.ndarray):
        data = _C.Tensor(data)
    require(isinstance(data, (_C.Tensor, StoredTensor)), "a tensor made of something else")
    wanted = _dtype(dtype)
    if data.dtype == wanted:
        return data
    require(
        # Of a tensor whose strides are 0, the copy could be of any size.
        isinstance(data, _C.Tensor) and isinstance(wanted, _C.dtype) and data.is_contiguous(),
        f"a tensor of dtype {wanted.name} made of one of {data.dtype.name}",
    )
    return _C.call_op("aten._to_copy.default", data, dtype=wanted)


def sizes(value: Any) -> tuple[int, ...]:
    """A tuple of sizes."""
    require(
        isinstance(value, (tuple, list)) and all(type(n) is int and n >= 0 for n in value),
        "the sizes of a tensor are no tuple of integers",
    )
    return tuple(value)


def _dtype(value: Any) -> AnyDType:
    require(isinstance(value, (_C.dtype, StoredDType)), "the dtype of a tensor is none")
    dtype: AnyDType = value
    return dtype


_TENSOR_FUNCTIONS = (
    rebuild_tensor,
    rebuild_tensor_v2,
    rebuild_tensor_v3,
    rebuild_parameter,
    rebuild_sparse_tensor,
    rebuild_qtensor,
    rebuild_meta_tensor,
    rebuild_device_tensor,
    rebuild_jagged,
)
# What PyTorch's compiler sets on tensors.
_COMPILER_NOTES = (
    "_dynamo_propagated_dynamic_indices", "_dynamo_dynamic_indices", "_dynamo_dynamic_range",
    "_dynamo_hint_overrides", "_dynamo_static_input_type", "_specialize_on",
    "_has_dynamo_dim_marking",
)  # fmt: skip
