"""Named values of PyTorch that files refer to and that have no meaning of their own here."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import require

LAYOUTS = (
    "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
    "_mkldnn",
)  # fmt: skip

QSCHEMES = (
    "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine", "per_channel_symmetric",
    "per_channel_affine_float_qparams",
)  # fmt: skip

MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")


@dataclass(frozen=True)
class TorchConstant:
    """A layout, quantisation scheme or memory format, by its name in PyTorch."""

    name: str

    def __repr__(self) -> str:
        return f"torch.{self.name}"


@dataclass(frozen=True)
class Device:
    """A device that a file names, such as ``cuda:0``. Tensors are on the CPU whatever it says."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


def make_device(kind: object, index: object = None) -> Device:
    """``torch.device``."""
    require(
        isinstance(kind, str) and kind.partition(":")[0].isidentifier() and len(kind) < 64,
        "the name of a device is none",
    )
    name, colon, number = str(kind).partition(":")
    if colon:
        require(number.isdecimal() and index is None, "the index of a device is no number")
        return Device(name, int(number))
    require(index is None or type(index) is int, "the index of a device is no number")
    return Device(name, index)  # type: ignore[arg-type]


def layout_by_name(name: object) -> TorchConstant:
    """``torch.serialization._get_layout``: from ``'torch.sparse_coo'``."""
    text = str(name).removeprefix("torch.")
    require(text in LAYOUTS, f"no layout: {text[:40]}")
    return TorchConstant(text)
