"""PyTorch's lazy tensors need a backend to be initialised; ours do not."""

from __future__ import annotations

import warnings

_said: list[bool] = []


def init() -> None:
    """Does nothing, and says so the first time: the recorder is always on."""
    if not _said:
        _said.append(True)
        warnings.warn(
            "rushlight.lazy.ts_backend.init() does nothing: tensors are lazy from the start",
            UserWarning,
            stacklevel=2,
        )
