"""Datasets that the tests load, at module level so that every start method can pickle them."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight import ops
from rushlight.utils.data import Dataset, IterableDataset, get_worker_info, shard


class Squares(Dataset[Any]):
    """(i, i squared) as a number and an array."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        if not 0 <= i < self.n:
            raise IndexError(i)
        return i, np.full(3, i * i, np.float32)


class Draws(Dataset[Any]):
    """Random numbers from every generator a sample may use."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        return {
            "i": i,
            "python": [random.random(), float(random.randint(0, 10**9)), random.gauss(0, 1)],
            "numpy": np.random.rand(2),
            "normal": np.random.randn(3),  # an odd number: one is kept for later
            "ours": ops.aten.rand.default([2]),
        }


class Stream(IterableDataset[Any]):
    """The numbers below n and a random one for each, divided among workers."""

    def __init__(self, n: int, shuffle: bool = False) -> None:
        self.n = n
        self.shuffle = shuffle

    def __iter__(self) -> Iterator[Any]:
        for i in shard(range(self.n), shuffle=self.shuffle):
            yield i, random.random()


class Undivided(IterableDataset[Any]):
    """The numbers below n, all of them in every worker."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n))


class Resumable(IterableDataset[Any]):
    """Keeps its place itself."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.place = self.resume_at = 0

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        start, self.resume_at = self.resume_at, 0
        for place in range(start, self.n):
            self.place = place + 1
            if place // 2 % workers == worker:
                yield place

    def state_dict(self) -> dict[str, int]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.place = self.resume_at = state["place"]


class OddError(Exception):
    """Can be pickled, but not rebuilt."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


class Trouble(Squares):
    """Does something bad at sample 5."""

    def __init__(self, n: int, what: str) -> None:
        super().__init__(n)
        self.what = what

    def __getitem__(self, i: int) -> Any:
        if i == 5:
            if self.what == "raise":
                raise ZeroDivisionError("sample five")
            if self.what == "odd":
                raise OddError(1, 2)
            if self.what == "stop":
                raise StopIteration
            if self.what == "sys.exit":
                sys.exit(3)
            if self.what == "fork and exit":
                if os.fork() == 0:
                    sys.exit(0)
                os.wait()
            if self.what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.what == "exit":
                os._exit(3)
            if self.what == "hang":
                self.wait_for_ever()
            if self.what == "unpicklable":
                return {"fine": 1, "handle": [lambda: None]}
            if self.what == "none":
                return {"a": 1, "b": None}
        return super().__getitem__(i)

    def wait_for_ever(self) -> None:
        time.sleep(1000)


def plain(value: Any) -> Any:
    """Batches as nested lists of Python numbers."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


def workers(kind: str, n: int, **more: Any) -> dict[str, Any]:
    """Arguments of a loader; none for 0 workers."""
    return {"num_workers": n, "worker_type": kind, **more} if n else {}
