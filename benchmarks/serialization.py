"""Reading and writing tensors beside torch.save/load and safetensors, in one process.

    python benchmarks/serialization.py [--folder DIRECTORY] [--megabytes 1000] [--rounds 5]
                                       [--only small|large] [--cpu]

Rounds are interleaved; medians in milliseconds and ratios to the best of the others are printed.
The files are in the page cache. "load" has every page of every tensor touched; "first tensor" is
the time until one element of one tensor is there. `--cpu` counts the processor time of the process,
system calls included: on a machine that is busy with other work that is the fairer number.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

import rushlight

Case = tuple[str, dict[str, Callable[[], Any]]]


def timed(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    gc.collect()
    start = clock()
    result = function()
    seconds = clock() - start
    del result
    return seconds


def touch(tensors: dict[str, Any]) -> int:
    total = 0
    for tensor in tensors.values():
        total += int(tensor.numpy().reshape(-1).view(np.uint8)[::4096].sum())
    return total


def first(tensors: dict[str, Any]) -> Any:
    return next(iter(tensors.values())).numpy().reshape(-1)[0]


def large(folder: Path, megabytes: int) -> list[Case]:
    count = 300
    each = megabytes * 1_000_000 // (4 * count)
    rng = np.random.default_rng(0)
    arrays = {f"layer{i}.weight": rng.standard_normal(each, dtype=np.float32) for i in range(count)}
    theirs = {name: torch.from_numpy(a) for name, a in arrays.items()}
    ours = {name: rushlight.from_numpy(a) for name, a in arrays.items()}
    pt, st, mine = folder / "torch.pt", folder / "st.safetensors", folder / "rushlight.pt"
    mine_st = folder / "rushlight.safetensors"
    load_st = rushlight.serialization.safetensors.load_file
    save_st = rushlight.serialization.safetensors.save_file
    return [
        (f"save {megabytes} MB, {count} tensors", {
            "torch.save": lambda: torch.save(theirs, pt),
            "safetensors": lambda: safetensors.torch.save_file(theirs, st),
            "rushlight.save": lambda: rushlight.save(ours, mine),
            "rushlight safetensors": lambda: save_st(ours, mine_st),
        }),
        ("load mapped, every page touched", {
            "torch.load mmap": lambda: touch(torch.load(pt, mmap=True)),
            "safetensors": lambda: touch(safetensors.torch.load_file(st)),
            "rushlight.load": lambda: touch(rushlight.load(mine)),
            "rushlight safetensors": lambda: touch(load_st(mine_st)),
        }),
        ("load copied, every page touched", {
            "torch.load": lambda: touch(torch.load(pt)),
            "safetensors.load of bytes": lambda: touch(safetensors.torch.load(st.read_bytes())),
            "rushlight.load mmap=False": lambda: touch(rushlight.load(mine, mmap=False)),
            "rushlight st mmap=False": lambda: touch(load_st(mine_st, mmap=False)),
        }),
        ("first tensor, mapped", {
            "torch.load mmap": lambda: first(torch.load(pt, mmap=True)),
            "safetensors": lambda: first(safetensors.torch.load_file(st)),
            "rushlight.load": lambda: first(rushlight.load(mine)),
        }),
    ]  # fmt: skip


def small(folder: Path) -> list[Case]:
    count = 10_000
    arrays = {f"k{i}": np.full(8, i, np.float32) for i in range(count)}
    theirs = {name: torch.from_numpy(a) for name, a in arrays.items()}
    ours = {name: rushlight.from_numpy(a) for name, a in arrays.items()}
    pt, mine = folder / "small.torch.pt", folder / "small.rushlight.pt"
    return [
        (f"save {count:,} small tensors", {
            "torch.save": lambda: torch.save(theirs, pt),
            "rushlight.save": lambda: rushlight.save(ours, mine),
        }),
        (f"load {count:,} small tensors", {
            "torch.load": lambda: torch.load(pt),
            "torch.load weights_only=False": lambda: torch.load(pt, weights_only=False),
            "rushlight.load": lambda: rushlight.load(mine),
        }),
    ]  # fmt: skip


def report(case: Case, rounds: int, clock: Callable[[], float]) -> None:
    title, functions = case
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for round_ in range(rounds + 1):
        for name, function in functions.items():
            taken = timed(function, clock)
            if round_:
                seconds[name].append(taken)
    medians = {name: statistics.median(s) for name, s in seconds.items()}
    best = min(s for name, s in medians.items() if not name.startswith("rushlight"))
    print(f"\n{title}")
    for name, median in medians.items():
        ratio = f"  {median / best:5.2f}x the best of the others"
        print(
            f"  {name:<28} {median * 1e3:9.1f} ms{ratio if name.startswith('rush') else ''}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="where the files go (default: temporary)")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="count processor time")
    parser.add_argument("--only", choices=["small", "large"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        cases: list[Case] = []
        if args.only != "large":
            cases += small(Path(name))
        if args.only != "small":
            cases += large(Path(name), args.megabytes)
        for case in cases:
            report(case, args.rounds, time.process_time if args.cpu else time.perf_counter)


if __name__ == "__main__":
    main()
