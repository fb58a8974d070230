"""Speed of rushlight.utils.data beside PyTorch's DataLoader, grain and SPDL.

    python benchmarks/data.py [--rounds N] [--only ROW...] [--workers 0 2] [--seconds S]

One data set of NumPy arrays (or JPEGs, decoded by Pillow) is read by all. Every row is measured in
rounds; within a round each library runs once, so that slow spells of the machine hit all of them
alike. Reported are medians over the rounds: samples per second after the first batch; seconds from
`iter(loader)` to the first batch (start); and seconds to let go of a loader in the middle of an
epoch (stop). "ratio" is ours divided by PyTorch's: above 1.00 is faster for samples, below 1.00 for
times. Libraries that are not installed are left out. SPDL's workers are threads.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.utils.data import DataLoader


class Arrays:
    """`n` samples, which are `kept` arrays again and again."""

    def __init__(self, n: int, kept: int, shape: tuple[int, ...]) -> None:
        self.n = n
        self.data = np.random.default_rng(0).random((kept, *shape), np.float32)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        return self.data[i % len(self.data)]


class Jpegs:
    """`n` photographs of noise, 224x224."""

    def __init__(self, n: int, kept: int) -> None:
        from PIL import Image

        self.n = n
        random = np.random.default_rng(0)
        self.files = []
        for _ in range(kept):
            coarse = random.integers(0, 255, (28, 28, 3), np.uint8)
            file = io.BytesIO()
            Image.fromarray(coarse).resize((224, 224)).save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(self.files[i % len(self.files)])))


ROWS: dict[str, tuple[Callable[[], Any], int]] = {  # data set, batch size
    "tiny": (lambda: Arrays(10_000_000, 4096, (8,)), 64),
    "small": (lambda: Arrays(1_000_000, 1024, (3, 32, 32)), 64),
    "image": (lambda: Arrays(100_000, 64, (3, 224, 224)), 32),
    "jpeg": (lambda: Jpegs(100_000, 64), 32),
}
NAMES = {
    "tiny": "8 floats",
    "small": "3x32x32",
    "image": "3x224x224",
    "jpeg": "JPEG 224x224",
}
Make = Callable[[Any, int, int], Iterable[Any]]


def ours(data: Any, batch: int, workers: int) -> Iterable[Any]:
    return DataLoader(data, batch, num_workers=workers)


def ours_threads(data: Any, batch: int, workers: int) -> Iterable[Any]:
    return DataLoader(data, batch, num_workers=workers, worker_type="thread")


def pytorch(data: Any, batch: int, workers: int) -> Iterable[Any]:
    import torch.utils.data

    return torch.utils.data.DataLoader(data, batch, num_workers=workers)


def grain(data: Any, batch: int, workers: int) -> Iterable[Any]:
    import grain as library
    from absl import flags

    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()  # its workers are configured by flags
    stream = library.MapDataset.source(data).batch(batch)
    loaded = stream.to_iter_dataset(library.ReadOptions(num_threads=0, prefetch_buffer_size=0))
    if workers == 0:
        return loaded
    return loaded.mp_prefetch(library.MultiprocessingOptions(num_workers=workers))


class Spdl:
    """SPDL's pipeline: batches of keys, loaded by threads."""

    def __init__(self, data: Any, batch: int, workers: int) -> None:
        self.data, self.batch, self.workers = data, batch, workers

    def _load(self, keys: list[int]) -> Any:
        return np.stack([self.data[i] for i in keys])

    def __iter__(self) -> Iterator[Any]:
        from spdl.pipeline import PipelineBuilder

        builder = PipelineBuilder().add_source(range(len(self.data))).aggregate(self.batch)
        builder = builder.pipe(self._load, concurrency=max(1, self.workers), output_order="input")
        pipeline = builder.add_sink(4).build(num_threads=max(1, self.workers))
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()


PEERS: dict[str, tuple[Make, str | None]] = {
    "rushlight": (ours, None),
    "threads": (ours_threads, None),
    "PyTorch": (pytorch, "torch"),
    "grain": (grain, "grain"),
    "SPDL": (Spdl, "spdl.pipeline"),
}


def measure(make: Make, data: Any, batch: int, workers: int, seconds: float) -> dict[str, float]:
    """Samples per second, start and stop, of a pass that is left after some seconds."""
    start = time.perf_counter()
    iterator = iter(make(data, batch, workers))
    next(iterator)
    first = done = time.perf_counter()
    n = 0
    for n, _ in enumerate(iterator, 1):  # noqa: B007
        done = time.perf_counter()
        if done - first > seconds:
            break
    stopping = time.perf_counter()
    del iterator
    return {
        "rate": n * batch / (done - first),
        "start": first - start,
        "stop": time.perf_counter() - stopping,
    }


def installed(module: str | None) -> bool:
    try:
        return module is None or bool(__import__(module))
    except ImportError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(ROWS))
    parser.add_argument("--workers", nargs="*", type=int, default=[0, 2])
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of one measurement")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
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
