"""The names that every file may use."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from . import plain_objects as plain
from . import rebuild, rebuild_nested
from .constants import LAYOUTS, MEMORY_FORMATS, QSCHEMES, TorchConstant, layout_by_name, make_device
from .dtypes import ALIASES, BY_NAME, STORAGE_CLASSES, AnyDType
from .tensors import Parameter

_REBUILD = {
    "_rebuild_tensor": rebuild.rebuild_tensor,
    "_rebuild_tensor_v2": rebuild.rebuild_tensor_v2,
    "_rebuild_tensor_v3": rebuild.rebuild_tensor_v3,
    "_rebuild_parameter": rebuild.rebuild_parameter,
    "_rebuild_parameter_with_state": rebuild.rebuild_parameter_with_state,
    "_rebuild_sparse_tensor": rebuild.rebuild_sparse_tensor,
    "_rebuild_sparse_csr_tensor": rebuild.rebuild_sparse_tensor,
    "_rebuild_qtensor": rebuild.rebuild_qtensor,
    "_rebuild_meta_tensor_no_storage": rebuild.rebuild_meta_tensor,
    "_rebuild_device_tensor_from_numpy": rebuild.rebuild_device_tensor,
    "_rebuild_device_tensor_from_cpu_tensor": rebuild.rebuild_device_tensor,
    "_rebuild_xla_tensor": rebuild.rebuild_device_tensor,
    "_rebuild_nested_tensor": rebuild_nested.rebuild_nested_tensor,
}


class StorageType:
    """A class of storages as a name in a file: only its dtype matters."""

    def __init__(self, dtype: AnyDType, untyped: bool = False) -> None:
        self.dtype = dtype
        self.untyped = untyped

    def __repr__(self) -> str:
        return f"StorageType(dtype={self.dtype.name})"


def _torch_names() -> dict[str, Any]:
    names: dict[str, Any] = {f"torch._utils.{n}": function for n, function in _REBUILD.items()}
    for module in ("torch._tensor", "torch.tensor"):
        names[f"{module}._rebuild_from_type"] = rebuild.rebuild_from_type_v2
        names[f"{module}._rebuild_from_type_v2"] = rebuild.rebuild_from_type_v2
    for name, dtype in BY_NAME.items():
        names[f"torch.{name}"] = dtype
    for name, dtype_name in ALIASES.items():
        names[f"torch.{name}"] = BY_NAME[dtype_name]
    for name, dtype_name in STORAGE_CLASSES.items():
        for module in ("torch", "torch.cuda", "torch.storage"):
            names[f"{module}.{name}"] = StorageType(BY_NAME[dtype_name])
            kind = name.removesuffix("Storage") + "Tensor"
            names[f"{module}.{kind}"] = TorchConstant(kind)
    untyped = StorageType(BY_NAME["uint8"], untyped=True)
    for module in ("torch", "torch.storage", "torch.cuda"):
        for name in ("UntypedStorage", "_UntypedStorage"):
            names[f"{module}.{name}"] = untyped
    for constant in (*LAYOUTS, *QSCHEMES, *MEMORY_FORMATS):
        names[f"torch.{constant}"] = TorchConstant(constant)
    jagged = "torch.nested._internal.nested_tensor"
    names[f"{jagged}._rebuild_njt"] = rebuild_nested.rebuild_jagged
    names[f"{jagged}.NestedTensor"] = TorchConstant("NestedTensor")
    names["torch._dynamo.decorators._DimRange"] = rebuild_nested.CompilerNote
    names["torch.Size"] = tuple
    names["torch.device"] = make_device
    names["torch.serialization._get_layout"] = layout_by_name
    names["torch.nn.parameter.Parameter"] = Parameter
    names["torch.nn.Parameter"] = Parameter
    names["torch.Tensor"] = names["torch._tensor.Tensor"] = TorchConstant("Tensor")
    return names


def _standard_names() -> dict[str, Any]:
    names: dict[str, Any] = {
        f"{kind.__module__}.{kind.__qualname__}": kind
        for kind in (*plain.CHECKED, *plain.NAMESPACES)
    }
    names["_codecs.encode"] = plain.encode
    names |= {"builtins.Ellipsis": ..., "builtins.NotImplemented": NotImplemented}
    here = type(Path())
    posix = here if os.name == "posix" else PurePosixPath
    windows = here if os.name == "nt" else PureWindowsPath
    for module in ("pathlib", "pathlib._local"):
        names |= {
            f"{module}.{name}": kind
            for name, kind in (
                ("Path", here), ("PurePath", here), ("PosixPath", posix), ("PurePosixPath", posix),
                ("WindowsPath", windows), ("PureWindowsPath", windows),
            )
        }  # fmt: skip
    return names


def _numpy_names() -> dict[str, Any]:
    import numpy as np

    from . import numpy_objects

    names: dict[str, Any] = {"numpy.dtype": numpy_objects.make_dtype, "numpy.ndarray": np.ndarray}
    for core in ("numpy.core", "numpy._core"):
        names[f"{core}.multiarray._reconstruct"] = numpy_objects.reconstruct
        names[f"{core}.multiarray.scalar"] = numpy_objects.make_scalar
        names[f"{core}.numeric._frombuffer"] = numpy_objects.frombuffer
    for kind in (
        "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    ):  # fmt: skip
        names[f"numpy.{kind}"] = getattr(np, kind)
    return names


def make_defaults() -> dict[str, Any]:
    """Name -> what stands for it."""
    return {**_torch_names(), **_standard_names(), **_numpy_names()}
