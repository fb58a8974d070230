"""PyTorch programs and PyTorch's toolbox, without PyTorch."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"
_no_engine = ""

try:
    from rushlight import _C, _operators
    from rushlight._C import (
        Generator,
        Size,
        Tensor,
        UntypedStorage,
        bfloat16,
        bool,
        channels_last,
        channels_last_3d,
        complex64,
        complex128,
        contiguous_format,
        default_generator,
        device,
        dtype,
        float16,
        float32,
        float64,
        get_default_dtype,
        get_num_threads,
        int8,
        int16,
        int32,
        int64,
        layout,
        memory_format,
        preserve_format,
        promote_types,
        set_default_dtype,
        set_num_threads,
        strided,
        tensor,
        uint8,
    )
    from rushlight._operators import *  # noqa: F403
    from rushlight._tensor import creation, differences, functions, methods
    from rushlight._tensor.creation import *  # noqa: F403
    from rushlight._tensor.differences import *  # noqa: F403
    from rushlight._tensor.functions import *  # noqa: F403
    from rushlight._tensor.limits import finfo, iinfo
    from rushlight.random import (
        get_rng_state,
        initial_seed,
        manual_seed,
        seed,
        set_rng_state,
    )
except ImportError as error:
    # The engine runs in the main interpreter. What needs no tensors works in sub-interpreters too.
    if "interpreters" not in str(error):
        raise
    _no_engine = f" in this interpreter: {error}"
else:
    methods.install()
    _C.lazy_set_package_folder(f"{Path(__file__).parent}/")

    half, float, double = float16, float32, float64
    short, int, long = int16, int32, int64
    cfloat, cdouble = complex64, complex128
    pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None

# Submodules load when first used, so that `import rushlight` stays fast.
_SUBMODULES = frozenset(
    {
        "array_api",
        "export",
        "fft",
        "lazy",
        "library",
        "linalg",
        "multiprocessing",
        "nativert",
        "nn",
        "ops",
        "package",
        "reference",
        "return_types",
        "serialization",
        "special",
        "utils",
    }
)

# Names of this module that live in submodules.
_LAZY = {
    "load": "serialization",
    "save": "serialization",
    "set_printoptions": "_tensor.printing",
}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"rushlight.{name}")
    if name in _LAZY:
        return getattr(import_module(f"rushlight.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'rushlight' has no attribute '{name}'{_no_engine}")


def get_include() -> str:
    """The folder of the C++ headers, for ``-I``."""
    return str(Path(__file__).parent / "include")


def cmake_dir() -> str:
    """The folder for CMake's ``rushlight_DIR``, so that ``find_package(rushlight)`` works."""
    return str(Path(__file__).parent / "lib" / "cmake" / "rushlight")


if not _no_engine:
    __all__ = [  # noqa: PLE0604
        *_operators.__all__,
        *creation.__all__,
        *functions.__all__,
        *differences.__all__,
        "Generator",
        "Size",
        "Tensor",
        "UntypedStorage",
        "bfloat16",
        "bool",
        "cdouble",
        "cfloat",
        "channels_last",
        "channels_last_3d",
        "cmake_dir",
        "complex64",
        "complex128",
        "contiguous_format",
        "default_generator",
        "device",
        "double",
        "dtype",
        "e",
        "finfo",
        "float",
        "float16",
        "float32",
        "float64",
        "get_default_dtype",
        "get_include",
        "get_num_threads",
        "get_rng_state",
        "half",
        "iinfo",
        "inf",
        "initial_seed",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "layout",
        "long",
        "manual_seed",
        "memory_format",
        "nan",
        "newaxis",
        "pi",
        "preserve_format",
        "promote_types",
        "seed",
        "set_default_dtype",
        "set_num_threads",
        "set_rng_state",
        "short",
        "strided",
        "tensor",
        "uint8",
    ]
