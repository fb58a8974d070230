"""A line that shows how loading goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any, Literal, TextIO

Display = Literal["auto", "tqdm", "rich", "plain", "off"]


def progress(
    loader: Iterable[Any],
    *,
    description: str = "",
    display: Display = "auto",
    file: TextIO | None = None,
) -> Iterator[Any]:
    """The batches of a loader, with a line that shows rate, remaining time and waiting.

    Args:
        loader: a :class:`DataLoader`, or any iterable.
        description: what to show first.
        display: ``"auto"`` takes tqdm or rich, whichever is installed, else a plain line, and is
            quiet where the output is no terminal.
        file: where to; standard error if absent.

    Example::

        for batch in progress(loader, description="epoch 1"):
            ...
    """
    out = file or sys.stderr
    if display == "auto":
        display = _choose(out)
    meter = _Meter(loader)
    if display == "tqdm":
        return _tqdm(meter, description, out)
    if display == "rich":
        return _rich(meter, description, out)
    return _plain(meter, description, out) if display == "plain" else iter(loader)


def _choose(out: TextIO) -> Display:
    if not out.isatty():
        return "off"
    if find_spec("tqdm") is not None:
        return "tqdm"
    return "rich" if find_spec("rich") is not None else "plain"


class _Meter:
    """Counts batches, and the time spent waiting for them."""

    def __init__(self, loader: Iterable[Any]) -> None:
        self.loader = loader
        self.done = 0
        self.waited = 0.0
        self.start = time.perf_counter()
        try:
            self.total: int | None = len(loader)  # type: ignore[arg-type]
        except (TypeError, NotImplementedError):
            self.total = None

    def __iter__(self) -> Iterator[Any]:
        self.start = before = time.perf_counter()
        for batch in self.loader:
            self.waited += time.perf_counter() - before
            self.done += 1
            yield batch
            before = time.perf_counter()

    def waiting(self) -> str:
        elapsed = time.perf_counter() - self.start
        return f"waiting for data {self.waited / max(elapsed, 1e-9):.0%}"

    def line(self) -> str:
        elapsed = time.perf_counter() - self.start
        rate = self.done / max(elapsed, 1e-9)
        parts = [f"{self.done}" + (f"/{self.total}" if self.total else ""), f"{rate:.4g} batches/s"]
        if self.total and self.done:
            left = max(0, self.total - self.done) / rate
            parts.append(f"{int(left) // 60}:{int(left) % 60:02d} left")
        return ", ".join([*parts, self.waiting()])


def _plain(meter: _Meter, description: str, out: TextIO) -> Iterator[Any]:
    head = f"{description}: " if description else ""
    shown, width = 0.0, 0
    try:
        for batch in meter:
            if time.perf_counter() - shown > 0.1:
                line = head + meter.line()
                out.write("\r" + line.ljust(width))
                out.flush()
                shown, width = time.perf_counter(), len(line)
            yield batch
    finally:
        line = head + meter.line()
        out.write("\r" + line.ljust(width) + "\n")
        out.flush()


def _tqdm(meter: _Meter, description: str, out: TextIO) -> Iterator[Any]:
    from tqdm import tqdm

    with tqdm(total=meter.total, desc=description or None, file=out, unit="batch") as bar:
        for batch in meter:
            bar.set_postfix_str(meter.waiting(), refresh=False)
            bar.update()
            yield batch


def _rich(meter: _Meter, description: str, out: TextIO) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("{task.fields[note]}"),
    ]
    with Progress(*columns, console=Console(file=out)) as bar:
        task = bar.add_task(description, total=meter.total, note="")
        for batch in meter:
            bar.update(task, advance=1, note=meter.line().split(", ", 1)[1])
            yield batch
