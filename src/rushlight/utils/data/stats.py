"""Where a loader's time goes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rushlight.utils.data.tasks import Batch, Reply


@dataclass
class Stats:
    """Times of the loader's latest pass, in seconds.

    Attributes:
        batches, samples: given so far.
        fetch: reading samples (``__getitem__``), summed over workers.
        collate: making batches of them, summed over workers.
        computing: the part of both in which a processor was at work, and not a disk or a network.
        transfer: packing and unpacking, both sides.
        wait: the loop stood still, waiting for the loader.
        use: the loop was busy with what it got.
    """

    workers: int = 0
    batches: int = 0
    samples: int = 0
    fetch: float = 0.0
    collate: float = 0.0
    computing: float = 0.0
    transfer: float = 0.0
    wait: float = 0.0
    use: float = 0.0
    nbytes: int = 0
    warned: bool = False
    trace: Trace | None = None
    _asked: float = field(default=0.0, repr=False)
    _gave: float = field(default=0.0, repr=False)

    def asked(self) -> None:
        """The loop asks for a batch."""
        self._asked = time.perf_counter()
        if self._gave:
            self.use += self._asked - self._gave
            self._gave = 0.0

    def gave(self, batch: Batch) -> None:
        """The loop gets its batch."""
        self._gave = now = time.perf_counter()
        self.batches += 1
        self.samples += batch.size
        self.fetch += batch.fetch
        self.collate += batch.collate
        self.computing += batch.computing
        self.wait += now - self._asked
        if self.trace is not None:
            self.trace.add("wait", 0, self._asked, now - self._asked, batch.number)
            if not self.workers:
                self.trace.add("fetch", 1, batch.start, batch.fetch, batch.number)
                self.trace.add("collate", 1, batch.start + batch.fetch, batch.collate, batch.number)

    def received(self, reply: Reply, unpacking: float) -> None:
        """A reply has come."""
        self.transfer += reply.packed + unpacking
        self.nbytes += reply.nbytes
        if self.trace is not None:
            now = time.perf_counter()
            self.trace.add("unpack", 0, now - unpacking, unpacking, reply.number)
            for b in reply.batches:
                self.trace.add("fetch", reply.worker + 1, b.start, b.fetch, b.number)
                self.trace.add("collate", reply.worker + 1, b.start + b.fetch, b.collate, b.number)

    def ended(self) -> None:
        """The pass is over."""
        self._gave = 0.0
        if self.trace is not None:
            self.trace.write()

    @property
    def samples_per_second(self) -> float:
        total = self.wait + self.use
        return self.samples / total if total else 0.0

    def advice(self) -> str:
        """What to change, if anything."""
        total = self.wait + self.use
        if not self.batches or not total:
            return "No batch has been loaded yet."
        waiting = self.wait / total
        work = (self.fetch + self.collate) / self.batches
        use = self.use / self.batches
        cpus = len(os.sched_getaffinity(0))
        if waiting < 0.05:
            return "The loop hardly waits for data: nothing to gain here."
        if self.transfer > self.fetch + self.collate and self.workers:
            return "Moving batches costs more than making them: use fewer workers, or none."
        needed = max(1, round(work / max(use, 1e-9) + 0.5))
        busy = self.computing / max(self.fetch + self.collate, 1e-9)
        if busy < 0.5:  # samples wait for a disk or a network: more may wait at once
            needed = min(needed, max(2 * self.workers, round(cpus / max(busy, 0.125))))
            if needed > self.workers:
                return (
                    f"The loop waits {waiting:.0%} of its time, and samples spend {1 - busy:.0%} "
                    "of theirs waiting: if it is for a disk or a network, "
                    f'num_workers={needed}, worker_type="thread".'
                )
        needed = min(cpus, needed)
        if needed > self.workers:
            return (
                f"The loop waits {waiting:.0%} of its time: num_workers={needed} would make "
                "batches as fast as they are used, or as fast as this machine's processors can."
            )
        if self.workers and work / self.workers < use:
            return (
                "Workers are quick enough on average, but batches come unevenly: raise "
                "prefetch_factor."
            )
        return (
            f"The loop waits {waiting:.0%} of its time and all processors are at work: make "
            "samples cheaper (decode less, store them smaller)."
        )

    def __str__(self) -> str:
        rows = [
            ("fetch", self.fetch, "in workers" if self.workers else ""),
            ("collate", self.collate, "in workers" if self.workers else ""),
            ("transfer", self.transfer, f"{self.nbytes / 1e6:.1f} MB" if self.workers else ""),
            ("wait", self.wait, "the loop stood still"),
            ("use", self.use, "the loop was busy"),
        ]
        head = (
            f"{self.batches} batches, {self.samples} samples, "
            f"{self.samples_per_second:.4g} samples/s, {self.workers} workers"
        )
        lines = [f"  {name:<9}{seconds:>10.3f} s  {note}".rstrip() for name, seconds, note in rows]
        return "\n".join([head, *lines, self.advice()])


class Trace:
    """Events for https://ui.perfetto.dev, in Chrome's JSON trace format."""

    def __init__(self, path: str | Path, workers: int) -> None:
        self.path = Path(path)
        names = ["loop", *(f"worker {w}" for w in range(max(1, workers)))]
        self.events: list[dict[str, Any]] = [
            {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}}
            for tid, name in enumerate(names)
        ]

    def add(self, name: str, track: int, start: float, seconds: float, batch: int) -> None:
        """An event; ``start`` is of the monotonic clock."""
        self.events.append(
            {
                "name": name,
                "ph": "X",
                "pid": 1,
                "tid": track,
                "ts": start * 1e6,
                "dur": seconds * 1e6,
                "args": {"batch": batch},
            }
        )

    def write(self) -> None:
        """Writes the file, whole or not at all."""
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        temporary.write_text(json.dumps({"traceEvents": self.events}), encoding="utf-8")
        temporary.replace(self.path)
