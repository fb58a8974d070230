"""Where PyTorch keeps ``DataLoader``."""

from rushlight.utils.data.collation import default_collate
from rushlight.utils.data.conversion import default_convert
from rushlight.utils.data.loader import DataLoader
from rushlight.utils.data.worker_info import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]
