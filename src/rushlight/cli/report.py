"""Tables, units and progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(data, indent=2))


def print_fields(title: str, fields: Iterable[tuple[str, str]]) -> None:
    """A title and aligned lines of name and text; a text of several lines stays aligned."""
    rows = list(fields)
    width = max((len(name) for name, _ in rows), default=0)
    print(title)
    for name, text in rows:
        lines = text.splitlines() or [""]
        print(f"  {name:<{width}}  {lines[0]}".rstrip())
        for line in lines[1:]:
            print(f"  {'':<{width}}  {line}".rstrip())


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows as aligned columns; those in `right` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def size(num_bytes: int) -> str:
    """Bytes for people: ``60.6 kB`` (powers of 1000)."""
    value = float(num_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def duration(seconds: float) -> str:
    """A time for people: ``12.3 ms``."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def count(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def typed(value: Mapping[str, Any]) -> str:
    """``x: float32[360, 10]`` from a report's name, dtype and shape."""
    if value["dtype"] is None:
        return f"{value['name']}: no tensor"
    return f"{value['name']}: {value['dtype']}[{', '.join(map(str, value['shape']))}]"


class Progress:
    """A counter on stderr while long work runs; silent unless stderr is a terminal."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + 0.5  # short work needs no progress
        self._shown = False

    def step(self) -> None:
        """One more piece is done."""
        self._done += 1
        if self._terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self._shown = True
            print(f"\r{self._label} {self._done}/{self._total}", end="", file=sys.stderr)

    def close(self) -> None:
        """Takes the counter off the terminal."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
