"""Speed of rushlight.utils.data beside PyTorch's DataLoader, grain and SPDL.

    python benchmarks/data.py [--rounds N] [--only ROW...] [--workers 0 2] [--seconds S]

One data set of NumPy arrays (or JPEGs, decoded by Pillow) is read by all. Every row is measured in
rounds; within a round each library runs once, so that slow spells of the machine hit all of them
alike. Reported are medians over the rounds: samples per second after the first batch; seconds from
`iter(loader)` to the first batch (start); and seconds to let go of a loader in the middle of an
epoch (stop). "ratio" is ours divided by PyTorch's: above 1.00 is faster for samples, below 1.00 for
times. Libraries that are not installed are left out. SPDL's workers are threads.

*no loader* is the most that any loader could give: as many processes as there are workers read
samples and throw them away. With --alone, start is measured a second time, each library in fresh
processes of its own: the first loader of a process with the import of the library, and the later
ones. (In one process with PyTorch, everybody's forks copy PyTorch's page tables.)
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from data_contenders import NAMES, PEERS, ROWS, Make, installed


def measure(make: Make, data: Any, batch: int, workers: int, seconds: float) -> dict[str, float]:
    """Samples per second, start and stop, of a pass that is left after some seconds."""
    start = time.perf_counter()
    iterator = iter(make(data, batch, workers))
    next(iterator)
    first = done = time.perf_counter()
    n = 0
    for n, _ in enumerate(iterator if seconds else (), 1):  # noqa: B007
        done = time.perf_counter()
        if done - first > seconds:
            break
    stopping = time.perf_counter()
    del iterator
    return {
        "rate": n * batch / (done - first) if n else 0.0,
        "start": first - start,
        "stop": time.perf_counter() - stopping,
    }


def read_only(data: Any, seconds: float, counts: Any) -> None:
    start, n = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        data[n]
        n += 1
    counts.put(n / elapsed)


def without_loader(data: Any, workers: int, seconds: float) -> float:
    """Samples per second of processes that do nothing but read them."""
    counts: Any = multiprocessing.SimpleQueue()
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=read_only, args=(data, seconds, counts))
        for _ in range(max(1, workers))
    ]
    for process in processes:
        process.start()
    total: float = sum(counts.get() for _ in processes)
    for process in processes:
        process.join()
    return total


def starts_in_this_process(row: str, name: str, workers: int) -> None:
    """Prints the seconds to the first batch of four loaders, one after the other; for the first
    one from before its import."""
    make, module = PEERS[name]
    build, batch = ROWS[row]
    data = build()
    start = time.perf_counter()
    assert installed(module)
    importing = time.perf_counter() - start
    starts = [measure(make, data, batch, workers, 0.0)["start"] for _ in range(4)]
    print(json.dumps([importing + starts[0], *starts[1:]]))


def starts_alone(row: str, names: list[str], workers: int, rounds: int) -> None:
    """Prints the start of each library in processes of its own."""
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            command = [sys.executable, __file__, "--start-of", row, name, str(workers)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            found[name].append(json.loads(done.stdout))
    first = {n: statistics.median(s[0] for s in found[n]) for n in names}
    later = {n: statistics.median(t for s in found[n] for t in s[1:]) for n in names}
    for name in names:
        text = (
            f"  {name:<10} in a process of its own: import and start {first[name] * 1e3:>8.1f} ms"
        )
        text += f"   later {later[name] * 1e3:>8.1f} ms"
        if name != "PyTorch" and "PyTorch" in names:
            ratios = first[name] / first["PyTorch"], later[name] / later["PyTorch"]
            text += "   ratio {:.2f}, {:.2f}".format(*ratios)
        print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(ROWS))
    parser.add_argument("--workers", nargs="*", type=int, default=[0, 2])
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of one measurement")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--alone", action="store_true", help="starts in separate processes too")
    parser.add_argument("--start-of", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.start_of:
        row, name, number = options.start_of
        starts_in_this_process(row, name, int(number))
        return
    peers = {n: m for n, (m, module) in PEERS.items() if n in options.peers and installed(module)}
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, ", end="")
    print(f"Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}\n")
    results = {}
    for row in options.only:
        build, batch = ROWS[row]
        data = build()
        for workers in options.workers:
            names = [n for n in peers if workers or n != "threads"]
            found: dict[str, list[dict[str, float]]] = {n: [] for n in names}
            for _ in range(options.rounds):
                for name in names:
                    found[name].append(measure(peers[name], data, batch, workers, options.seconds))
            medians = {
                name: {k: statistics.median(r[k] for r in runs) for k in runs[0]}
                for name, runs in found.items()
            }
            results[f"{row} {workers}"] = medians
            show(f"{NAMES[row]}, batches of {batch}, {workers} workers", medians)
            most = without_loader(data, workers, options.seconds)
            print(f"  {'no loader':<10}{most:>12,.0f} samples/s", flush=True)
            if options.alone and workers:
                starts_alone(row, [n for n in names if n != "threads"], workers, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def show(title: str, medians: dict[str, dict[str, float]]) -> None:
    print(title)
    base = medians.get("PyTorch")
    for name, m in medians.items():
        text = f"  {name:<10}{m['rate']:>12,.0f} samples/s"
        text += f"   start {m['start'] * 1e3:>8.1f} ms   stop {m['stop'] * 1e3:>8.1f} ms"
        if base is not None and name != "PyTorch":
            ratios = (m[k] / base[k] for k in ("rate", "start", "stop"))
            text += "   ratio {:.2f}, {:.2f}, {:.2f}".format(*ratios)
        print(text, flush=True)


if __name__ == "__main__":
    main()
