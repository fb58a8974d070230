"""Progress, statistics, traces, pinned memory, persistent workers."""

from __future__ import annotations

import gc
import io
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.multiprocessing._shm import usage
from rushlight.utils.data import DataLoader, progress
from rushlight.utils.data.pin_memory import pin_memory, pinned_copy
from rushlight.utils.data.stats import Stats
from tests.utils.data.datasets import Squares, plain


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress() -> None:
    out = Terminal()
    loader = DataLoader(Squares(6), 2)
    batches = list(progress(loader, description="epoch 1", display="plain", file=out))
    assert len(batches) == 3
    text = out.getvalue()
    assert "epoch 1: 3/3, " in text
    assert "batches/s" in text
    assert "waiting for data" in text
    assert text.endswith("\n")
    quiet = io.StringIO()
    assert len(list(progress(loader, file=quiet))) == 3
    assert quiet.getvalue() == ""
    assert len(list(progress((x for x in range(4)), display="plain", file=out))) == 4


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_stats(kind: Any) -> None:
    loader = DataLoader(Squares(40), 4, num_workers=2, worker_type=kind)
    assert "No batch" in loader.stats().advice()
    list(loader)
    stats = loader.stats()
    assert stats.batches == 10
    assert stats.samples == 40
    assert stats.fetch > 0
    assert stats.collate > 0
    assert 0 < stats.computing < 60
    assert stats.wait > 0
    assert "10 batches, 40 samples" in str(stats)


@pytest.mark.parametrize(
    ("stats", "advice"),
    [
        (Stats(0, 10, 10, fetch=1, wait=0.01, use=9), "hardly waits"),
        (Stats(2, 10, 10, fetch=0.1, transfer=5, wait=5, use=1), "fewer workers"),
        (Stats(0, 10, 10, fetch=9, computing=9, wait=9, use=9), "num_workers="),
        (Stats(64, 10, 10, fetch=9, computing=9, wait=1, use=9), "prefetch_factor"),
        (Stats(64, 10, 10, fetch=900, computing=800, wait=9, use=1), "cheaper"),
        (Stats(64, 10, 10, fetch=900, computing=9, wait=9, use=1), "num_workers=128"),
        (Stats(0, 10, 10, fetch=9, computing=1, wait=9, use=3), 'num_workers=4, worker_type="thr'),
    ],
)
def test_advice(stats: Stats, advice: str) -> None:
    assert advice in stats.advice()


@pytest.mark.parametrize("workers", [0, 2])
def test_trace(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    list(DataLoader(Squares(8), 2, num_workers=workers, trace=path))
    events = json.loads(path.read_text())["traceEvents"]
    for name in ("fetch", "collate", "wait"):
        found = [e for e in events if e["name"] == name]
        assert {e["args"]["batch"] for e in found} == {0, 1, 2, 3}
        assert all(e["dur"] >= 0 for e in found)
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]


def test_persistent_workers() -> None:
    loader = DataLoader(Pids(8), 2, num_workers=2, persistent_workers=True)
    first = {p for b in loader for p in b.tolist()}
    assert {p for b in loader for p in b.tolist()} == first
    next(iter(loader))  # given up: what it asked for is not mixed into the next pass
    third = DataLoader(Squares(9), 3, num_workers=2, persistent_workers=True)
    next(iter(third))
    assert plain([b[0] for b in third]) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert len(multiprocessing.active_children()) == 4
    del loader, third
    gc.collect()
    assert multiprocessing.active_children() == []


class Pids(Squares):
    def __getitem__(self, i: int) -> int:
        return os.getpid()


class FakeRuntime:
    """The part of `cuda.bindings.runtime` that is used, over ordinary memory."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}

    def cudaHostAlloc(self, size: int, flags: int) -> tuple[int, int]:  # noqa: N802
        array = np.empty(size, np.uint8)
        self.memory[array.ctypes.data] = array
        return 0, array.ctypes.data

    def cudaFreeHost(self, address: int) -> None:  # noqa: N802
        del self.memory[address]


def test_pinned_copies() -> None:
    runtime = FakeRuntime()
    source = np.arange(6, dtype=np.float32).reshape(2, 3)
    pinned = pinned_copy(source, runtime)
    assert np.array_equal(pinned, source)
    row = pinned[1]
    del pinned
    assert row.ctypes.data - 12 in runtime.memory  # the view keeps it
    del row
    assert runtime.memory == {}
    assert pinned_copy(source[:0], runtime).shape == (0, 3)


def test_no_memory_to_pin() -> None:
    class Full(FakeRuntime):
        def cudaHostAlloc(self, size: int, flags: int) -> tuple[int, int]:  # noqa: N802
            return 2, 0

    with pytest.raises(MemoryError, match="24 bytes"):
        pinned_copy(np.zeros(6, np.float32), Full())


def test_pin_memory_of_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = FakeRuntime()
    monkeypatch.setattr("rushlight.utils.data.pin_memory._runtime", lambda: runtime)
    (batch,) = DataLoader(Squares(2), 2, pin_memory=True)
    assert plain(batch) == plain(next(iter(DataLoader(Squares(2), 2))))
    assert batch[1].data_ptr() in runtime.memory
    monkeypatch.setattr("rushlight.utils.data.pin_memory._runtime", lambda: None)
    monkeypatch.setattr("rushlight.utils.data.pin_memory._cuda_present", lambda: False)
    assert pin_memory(batch) is batch


def test_batches_let_go_of_their_memory_at_once() -> None:
    loader = DataLoader(Squares(60), 2, num_workers=2)
    list(loader)
    gc.collect()
    before = usage()["blocks"]
    gc.disable()  # nothing may wait for the collector
    try:
        held = [usage()["blocks"] for _ in loader]
    finally:
        gc.enable()
    assert max(held) <= before + 20  # those in flight
    assert usage()["blocks"] <= before + 1


def test_batches_outlive_their_workers() -> None:
    batches = list(DataLoader(Squares(600), 1, num_workers=2))
    assert multiprocessing.active_children() == []
    assert [int(b[0].tolist()[0]) for b in batches] == list(range(600))
