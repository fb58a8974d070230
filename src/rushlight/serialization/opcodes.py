"""The opcodes of pickles that are written in more than one form."""

from __future__ import annotations

from typing import Any

_MAX_LONG1 = 255  # bytes


class Call:
    """A call in a pickle: a function by module and name, and its arguments."""

    __slots__ = ("args", "module", "name")

    def __init__(self, module: str, name: str, *args: Any) -> None:
        self.module = module
        self.name = name
        self.args = args


def integer(value: int) -> bytes:
    """The opcode of an integer."""
    if 0 <= value < 1 << 16:
        return b"K%c" % value if value < 1 << 8 else b"M" + value.to_bytes(2, "little")
    if -(1 << 31) <= value < 1 << 31:
        return b"J" + value.to_bytes(4, "little", signed=True)
    raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    if len(raw) <= _MAX_LONG1:
        return b"\x8a%c" % len(raw) + raw
    return b"\x8b" + len(raw).to_bytes(4, "little") + raw


def text(value: str) -> bytes:
    """The opcode of a string."""
    raw = value.encode("utf-8", "surrogatepass")
    return b"X" + len(raw).to_bytes(4, "little") + raw
