"""Padding with a constant or with the tensor's own elements."""

from __future__ import annotations

from ..arrays import Array, Number, Sizes
from ..padding import constant_pad, pad_by


def constant_pad_nd_default(self: Array, pad: Sizes, value: Number = 0) -> Array:
    """`pad` counts from the last dimension: before, after, …; negative numbers cut off."""
    return constant_pad(self, pad, value)


def pad_default(
    self: Array, pad: Sizes, mode: str = "constant", value: float | None = None
) -> Array:
    if mode == "constant":
        return constant_pad(self, pad, 0.0 if value is None else value)
    return pad_by(self, pad, {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])


def reflection_pad1d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "reflect")


def reflection_pad2d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "reflect")


def reflection_pad3d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "reflect")


def replication_pad1d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "edge")


def replication_pad2d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "edge")


def replication_pad3d_default(self: Array, padding: Sizes) -> Array:
    return pad_by(self, padding, "edge")


def _pad_circular_default(self: Array, pad: Sizes) -> Array:
    return pad_by(self, pad, "wrap")
