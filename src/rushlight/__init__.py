"""PyTorch programs and PyTorch's toolbox, without PyTorch."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from rushlight._C import (
    Tensor,
    UntypedStorage,
    bfloat16,
    bool,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    get_num_threads,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_num_threads,
    uint8,
)

__version__ = "0.1.0"

# Submodules load when first used, so that `import rushlight` stays fast.
_SUBMODULES = frozenset(
    {
        "export",
        "multiprocessing",
        "nativert",
        "ops",
        "package",
        "reference",
        "serialization",
        "utils",
    }
)

# Names of this module that live in submodules.
_LAZY = {"load": "serialization", "save": "serialization"}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"rushlight.{name}")
    if name in _LAZY:
        return getattr(import_module(f"rushlight.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'rushlight' has no attribute '{name}'")


def from_numpy(array: Any) -> Tensor:
    """A tensor over the memory of a NumPy array."""
    return Tensor(array)


def from_dlpack(array: Any) -> Tensor:
    """A tensor over the memory of anything with ``__dlpack__``."""
    return Tensor(array)


def get_include() -> str:
    """The folder of the C++ headers, for ``-I``."""
    return str(Path(__file__).parent / "include")


def cmake_dir() -> str:
    """The folder for CMake's ``rushlight_DIR``, so that ``find_package(rushlight)`` works."""
    return str(Path(__file__).parent / "lib" / "cmake" / "rushlight")


__all__ = [
    "Tensor",
    "UntypedStorage",
    "bfloat16",
    "bool",
    "cmake_dir",
    "complex64",
    "complex128",
    "dtype",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "get_include",
    "get_num_threads",
    "int8",
    "int16",
    "int32",
    "int64",
    "promote_types",
    "set_num_threads",
    "uint8",
]
