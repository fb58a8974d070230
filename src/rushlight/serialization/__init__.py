"""Files: read and write what PyTorch reads and writes, safely, without PyTorch."""

from __future__ import annotations

from rushlight._C import PyTorchFileReader, PyTorchFileWriter

from . import safetensors
from .allowed import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .audit import get_unsafe_globals_in_checkpoint
from .convert import convert
from .gguf import load_gguf
from .inspection import Inspection, TensorInfo, inspect
from .load import load
from .locations import default_restore_location, location_tag, register_package
from .options import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from .save import save
from .stand_ins import StandIn, StandInType
from .tensors import (
    Parameter,
    QuantizedTensor,
    SparseTensor,
    StoredDType,
    StoredTensor,
    TypedStorage,
)

__all__ = [
    "Inspection",
    "LoadEndianness",
    "Parameter",
    "PyTorchFileReader",
    "PyTorchFileWriter",
    "QuantizedTensor",
    "SparseTensor",
    "StandIn",
    "StandInType",
    "StoredDType",
    "StoredTensor",
    "TensorInfo",
    "TypedStorage",
    "add_safe_globals",
    "clear_safe_globals",
    "convert",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "inspect",
    "load",
    "load_gguf",
    "location_tag",
    "register_package",
    "safe_globals",
    "safetensors",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
]
