"""Memory of workers that read 400,000 dictionaries: a command of its own, since it takes a minute.

    PYTHONPATH=build/site python -m tests.utils.data.memory_checks [--records 400000]

Two workers read all records twice, from a `SharedList` and, for comparison, from a list. Printed
and, for the `SharedList`, checked is by how much the memory that a worker shares with nobody grows
between its first batches and its last: less than 10 MB.
"""

from __future__ import annotations

import argparse
import multiprocessing
from pathlib import Path
from typing import Any

from rushlight.utils.data import DataLoader, SharedList

MOST = 10.0  # megabytes


class Records:
    def __init__(self, records: Any) -> None:
        self.records = records

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, i: int) -> int:
        record = self.records[i]
        return len(record["path"]) + record["label"] + len(record["boxes"])


def record(i: int) -> dict[str, Any]:
    return {"path": f"images/{i:09d}.png", "label": i % 1000, "boxes": [i, i + 1, i + 2, i + 3]}


def private_megabytes(pid: int | None) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    lines = [line.split() for line in text.splitlines()]
    return sum(int(x[1]) for x in lines if x[0].startswith("Private_")) / 1024


def growth(records: Any) -> list[float]:
    """Megabytes by which each of two workers grows while they read everything twice."""
    loader = DataLoader(Records(records), 256, num_workers=2, persistent_workers=True)
    first: list[float] = []
    for epoch in range(2):
        for step, _ in enumerate(loader):
            if epoch == 0 and step == 10:
                children = multiprocessing.active_children()
                first = [private_megabytes(child.pid) for child in children]
    last = [private_megabytes(child.pid) for child in children]
    return [b - a for a, b in zip(first, last, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--records", type=int, default=400_000)
    n = parser.parse_args().records
    shared = SharedList(record(i) for i in range(n))
    grown = growth(shared)
    print(f"{shared!r}: {n} dictionaries, workers grow by {grown[0]:.1f} and {grown[1]:.1f} MB")
    assert len(grown) == 2
    assert max(grown) < MOST
    del shared
    grown = growth([record(i) for i in range(n)])
    print(f"list: workers grow by {grown[0]:.1f} and {grown[1]:.1f} MB")


if __name__ == "__main__":
    main()
