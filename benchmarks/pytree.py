"""Speed of rushlight.utils.pytree beside jax.tree_util, optree, torch.utils._pytree (Python and
C++) and dm-tree.

    python benchmarks/pytree.py [--quick] [--rounds N] [--json FILE]

Every row is measured in rounds; within a round each library runs once, so that slow spells of the
machine hit all of them alike. Reported is the median over the rounds of the processor time of one
call, and ours divided by the fastest peer's (below 1.00 we are faster). Libraries that are not
installed are left out.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytree_peers import Block, Library, libraries

Point = namedtuple("Point", ["x", "y", "z"])


def _layer(i: int) -> dict[str, Any]:
    return {"weight": i, "bias": i, "norm": [i, (i, i)], "shape": i}


def trees() -> dict[str, Any]:
    """The shapes of the rows, with their number of leaves."""
    return {
        "tiny (5)": {"a": 1, "b": [2, (3, 4)], "c": 5},
        "model (300)": {f"layer{i}": _layer(i) for i in range(50)},
        "large (10,000)": {f"block{i}": [_layer(j) for j in range(20)] for i in range(83)}
        | {"rest": list(range(40))},
        "namedtuples (3,000)": [Point(i, (i,), Point(i, i, i)) for i in range(600)],
        "dataclasses (3,000)": [Block(i, [i], Block(i, i, i)) for i in range(600)],
    }


def identity(x: Any) -> Any:
    return x


def second(_: Any, x: Any) -> Any:
    return x


def actions(lib: Library, tree: Any) -> dict[str, Callable[[], Any]]:
    """What is measured for one library and tree, by the name of the row."""
    is_dm = lib.name == "dm-tree"
    flat = lib.flatten(tree)
    leaves, spec = (flat, tree) if is_dm else flat
    flatten, unflatten, tree_map = lib.flatten, lib.unflatten, lib.map
    first, then = (spec, leaves) if lib.spec_first else (leaves, spec)
    rows: dict[str, Callable[[], Any]] = {
        "flatten": lambda: flatten(tree),
        "unflatten": lambda: unflatten(first, then),
        "map": lambda: tree_map(identity, tree),
    }
    if lib.map_with_path is not None:
        map_with_path = lib.map_with_path
        rows["map with path"] = lambda: map_with_path(second, tree)
    if lib.structure is not None:
        other = lib.structure(tree)
        rows["equality"] = lambda: spec == other
        rows["hash"] = lambda: hash(spec)
        fresh = lib.structure
        rows["structure + hash"] = lambda: hash(fresh(tree))
    return rows


def measure(rows: dict[str, Callable[[], Any]], rounds: int, budget: float) -> dict[str, float]:
    """Median seconds of one call, by library; the libraries take turns."""
    repeats = {}
    for name, action in rows.items():
        action()
        start = time.process_time()
        action()
        once = max(time.process_time() - start, 1e-7)
        repeats[name] = max(1, min(20_000, int(budget / once)))
    samples: dict[str, list[float]] = {name: [] for name in rows}
    order = list(rows)
    for round_number in range(rounds):
        turn = round_number % len(order)
        for name in order[turn:] + order[:turn]:
            action, count = rows[name], repeats[name]
            start = time.process_time()
            for _ in range(count):
                action()
            samples[name].append((time.process_time() - start) / count)
    return {name: statistics.median(values) for name, values in samples.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--quick", action="store_true", help="a few short rounds")
    parser.add_argument("--json", type=Path, help="write the table here, too")
    options = parser.parse_args()
    rounds, budget = (3, 0.002) if options.quick else (options.rounds, 0.004)
    warnings.simplefilter("ignore")
    libs = libraries()
    print(f"{'tree':22}{'operation':18}" + "".join(f"{lib.name:>11}" for lib in libs)
          + f"{'ratio':>8}")  # fmt: skip
    table = []
    for tree_name, tree in trees().items():
        by_library = {
            lib.name: actions(lib, tree)
            for lib in libs
            # To these two a dataclass is a leaf.
            if not (lib.name in ("dm-tree", "torch C++") and "dataclass" in tree_name)
        }
        for operation in by_library["rushlight"]:
            rows = {
                name: found[operation] for name, found in by_library.items() if operation in found
            }
            seconds = measure(rows, rounds, budget)
            peers = {name: value for name, value in seconds.items() if name != "rushlight"}
            ratio = seconds["rushlight"] / min(peers.values()) if peers else math.nan
            table.append({"tree": tree_name, "operation": operation, "seconds": seconds,
                          "ratio": ratio})  # fmt: skip
            cells = "".join(
                f"{seconds[lib.name] * 1e6:9.2f}us" if lib.name in seconds else f"{'-':>11}"
                for lib in libs
            )
            print(f"{tree_name:22}{operation:18}{cells}{ratio:8.2f}", flush=True)
    ratios = [row["ratio"] for row in table if not math.isnan(row["ratio"])]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nworst ratio {max(ratios):.2f}, geometric mean {mean:.2f}, {len(ratios)} rows")
    if options.json:
        options.json.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
