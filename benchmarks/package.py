"""Making and loading packages, side by side with ``torch.package``.

    python benchmarks/package.py [--rounds 5]

Both run in one process on the same contents, taking turns. The numbers are medians of CPU time in
milliseconds, which other work on the machine disturbs less than time on the clock; a ratio below 1
means rushlight is faster.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.package

import rushlight.package

CODE = "import json, collections.abc, os\n\n\n" + "\n\n".join(
    f"def function_{i}(x, y=({i}, 'text')):\n    return [x + j for j in range({i})], y"
    for i in range(60)
)


def code(exporter: Any) -> None:
    """60 modules of 60 functions."""
    for i in range(60):
        exporter.save_source_string(f"module_{i}", CODE)


def objects(exporter: Any) -> None:
    """60,000 small objects in one pickle."""
    rows = [{"name": f"row {i}", "value": i / 3, "tags": (i, str(i))} for i in range(30_000)]
    exporter.save_pickle("data", "object.pkl", rows)


def tensors(exporter: Any) -> None:
    """300 tensors of PyTorch's, 256 MB."""
    exporter.save_pickle("data", "object.pkl", [torch.ones(220_000) for _ in range(300)])


def load_code(importer: Any) -> None:
    for i in range(60):
        importer.import_module(f"module_{i}")


def load_object(importer: Any) -> None:
    importer.load_pickle("data", "object.pkl")


CASES: list[tuple[Callable[[Any], None], Callable[[Any], None]]] = [
    (code, load_code),
    (objects, load_object),
    (tensors, load_object),
]
LIBRARIES = (rushlight.package, torch.package)


def measure(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    print(f"{'case':<10} {'step':<7} {'rushlight':>10} {'torch':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for save, load in CASES:
            times: dict[tuple[str, int], list[float]] = {}
            for _ in range(rounds):
                for index, library in enumerate(LIBRARIES):
                    path = Path(folder, f"{save.__name__}_{index}.pkg")

                    def export(library: Any = library, path: Path = path, save: Any = save) -> None:
                        with library.PackageExporter(path) as exporter:
                            save(exporter)

                    def read(library: Any = library, path: Path = path, load: Any = load) -> None:
                        load(library.PackageImporter(str(path)))

                    times.setdefault(("export", index), []).append(measure(export))
                    times.setdefault(("load", index), []).append(measure(read))
            for step in ("export", "load"):
                ours, theirs = (statistics.median(times[step, i]) for i in (0, 1))
                row = f"{save.__name__:<10} {step:<7} {ours:10.0f} {theirs:10.0f}"
                print(f"{row} {ours / theirs:6.2f}")


if __name__ == "__main__":
    main()
