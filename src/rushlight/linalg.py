"""Linear algebra: ``torch.linalg``."""

from __future__ import annotations

from rushlight._operators_linalg import *  # noqa: F403
from rushlight._operators_linalg import __all__ as _names

__all__ = ["LinAlgError", *_names]  # noqa: PLE0604


class LinAlgError(RuntimeError):
    """A matrix that the operation is not possible for, such as a singular one."""
