"""Many epochs in which much goes wrong, after which nothing may be left.

    PYTHONPATH=build/site python -m tests.utils.data.stress [--epochs 50] [--seed 0]

Each epoch is one of: all batches; an exception in a worker; a worker that is killed; an early
break; a loader inside the loop of another; a fork in the loop. In between, all batches are compared
with those of a loader without workers. At the end no process, descriptor or entry in /dev/shm may
be left, and memory must not have grown.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.multiprocessing import _shm
from rushlight.utils.data import DataLoader, Dataset
from tests.multiprocessing.stress import segments


class Fragile(Dataset[Any]):
    """Raises at one sample, or kills its process."""

    def __init__(self, n: int, bad: int = -1, kill: bool = False) -> None:
        self.n, self.bad, self.kill = n, bad, kill

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        if i == self.bad:
            if self.kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError(i)
        return np.full((16, 16), i, np.float32), random.random()


def values(loader: DataLoader[Any]) -> list[float]:
    return [float(np.asarray(x).sum()) + float(np.asarray(y).sum()) for x, y in loader]


def options(pick: random.Random) -> dict[str, Any]:
    return {
        "batch_size": pick.choice([1, 4, 16]),
        "shuffle": pick.random() < 0.5,
        "seed": pick.randrange(100),
        "num_workers": pick.choice([1, 2]),
        "persistent_workers": pick.random() < 0.3,
        "prefetch_factor": pick.choice([None, 1, 5]),
        "worker_type": pick.choice(["process", "process", "thread"]),
    }


def epoch(pick: random.Random) -> str:
    """One epoch; returns what it was."""
    n = pick.randrange(20, 120)
    chosen = options(pick)
    what = pick.choice(["all", "raise", "kill", "break", "nested", "fork"])
    if what == "kill":
        chosen["worker_type"] = "process"
    bad = pick.randrange(n) if what in {"raise", "kill"} else -1
    loader = DataLoader(Fragile(n, bad, what == "kill"), **chosen)
    if what in {"raise", "kill"}:
        expected = ValueError if what == "raise" else RuntimeError
        try:
            values(loader)
        except expected:
            return what
        raise AssertionError(f"{what}: no error arrived")
    alone = DataLoader(
        Fragile(n), chosen["batch_size"], shuffle=chosen["shuffle"], seed=chosen["seed"]
    )
    if what == "all":
        assert values(loader) == values(alone)
        return what
    for step, (x, _) in enumerate(loader):
        assert x.shape[1:] == (16, 16)
        if step == 2 and what == "nested":
            assert values(DataLoader(Fragile(8), 2, num_workers=1)) != []
        if step == 2 and what == "fork":
            child = os.fork()
            if child == 0:
                gc.collect()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        if step == 3 and what == "break":
            break
    return what


def left_over() -> tuple[int, int, int]:
    """Processes, descriptors and our files in /dev/shm."""
    gc.collect()
    children = len(multiprocessing.active_children())
    return children, len([*Path("/proc/self/fd").iterdir()]), segments()


def memory() -> float:
    """Megabytes of this process that it shares with nobody."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(x.split()[1]) for x in lines if x.startswith("Private_")) / 1024


def stress(epochs: int, seed: int) -> None:
    pick = random.Random(seed)
    values(DataLoader(Fragile(8), 2, num_workers=1))  # starts what stays for the whole process
    values(DataLoader(Fragile(8), 2, num_workers=1, worker_type="thread"))
    before, blocks = left_over(), _shm.manager_stat()["blocks"]
    seen: dict[str, int] = {}
    flat: list[float] = []
    for _ in range(epochs):
        start = time.monotonic()
        what = epoch(pick)
        seen[what] = seen.get(what, 0) + 1
        assert time.monotonic() - start < 60, what
        gc.collect()
        flat.append(memory())
    time.sleep(0.2)
    after = left_over()
    assert after[0] == 0, f"{after[0]} processes are left"
    assert after[1] <= before[1] + 1, f"descriptors: {before[1]} before, {after[1]} after"
    assert after[2] <= before[2], f"/dev/shm: {before[2]} entries before, {after[2]} after"
    assert _shm.manager_stat()["blocks"] <= blocks, _shm.manager_stat()
    half = flat[len(flat) // 2 :]
    assert max(half) - min(half) < 24, f"memory: {flat}"
    print(f"{epochs} epochs: {seen}; memory {flat[0]:.1f} to {flat[-1]:.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    stress(arguments.epochs, arguments.seed)
