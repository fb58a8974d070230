"""Files: read and write what PyTorch reads and writes, safely, without PyTorch."""

from __future__ import annotations

from rushlight._C import PyTorchFileReader, PyTorchFileWriter

__all__ = ["PyTorchFileReader", "PyTorchFileWriter"]
