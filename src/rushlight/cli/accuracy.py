"""Outputs against the right classes."""

from __future__ import annotations

from .errors import CommandError
from .inputs import Array


def count_right(output: Array | None, labels: Array) -> int:
    """How many labels the output names: by its largest score along dimension 1 (or the last), or,
    an integer array of the labels' shape, by the class itself."""
    if output is not None and labels.dtype.kind in "iu" and labels.size:
        if output.shape == labels.shape and output.dtype.kind in "iu":
            return int((output == labels).sum())
        if output.ndim == labels.ndim + 1 and output.dtype.kind in "iuf":
            for axis in (1, -1):
                classes = output.argmax(axis) if output.shape[axis] else None
                if classes is not None and classes.shape == labels.shape:
                    return int((classes == labels).sum())
    shown = "no array" if output is None else f"{output.dtype}{list(output.shape)}"
    raise CommandError(
        f"labels: {labels.dtype}{list(labels.shape)} do not fit the first output, {shown}: "
        "expected integers, and scores with one more dimension, of classes"
    )
