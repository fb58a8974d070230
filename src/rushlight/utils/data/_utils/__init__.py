"""Where PyTorch keeps ``collate``."""

from rushlight.utils.data._utils import collate

__all__ = ["collate"]
