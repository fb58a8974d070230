"""``torch.utils.data._utils.collate``."""

from rushlight.utils.data.collate_functions import (
    collate_float_fn,
    collate_int_fn,
    collate_numpy_array_fn,
    collate_numpy_scalar_fn,
    collate_str_fn,
    collate_tensor_fn,
)
from rushlight.utils.data.collate_settings import default_collate_err_msg_format
from rushlight.utils.data.collation import collate, default_collate, default_collate_fn_map
from rushlight.utils.data.conversion import default_convert

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_numpy_array_fn",
    "collate_numpy_scalar_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_err_msg_format",
    "default_collate_fn_map",
    "default_convert",
]
