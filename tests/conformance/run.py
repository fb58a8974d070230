"""Run PyTorch's sample inputs through rushlight and compare every ATen call.

    python -m tests.conformance.run [--ops NAME ...] [--short] [--samples N] [--failures] [--docs]
                                    [--save FILE] [--shard I/N] [--merge FILE ...]

Needs PyTorch and `expecttest`. `--ops` takes names of op_db entries or ATen operators;
`--short` takes three samples of two dtypes; `--failures` prints differing calls;
`--docs` writes docs/operators.md. With `--save` and `--shard` several processes share the work,
and `--merge` adds what they saved. Fails below 98 % of samples or when a process dies.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import torch

from tests.conformance.entries import ALL_DTYPES, entry_name, run_apart
from tests.conformance.report import table_rows, write_page
from tests.conformance.tally import Tally

ROOT = Path(__file__).parents[2]
TARGET = 0.98


def selected(names: list[str]) -> list[Any]:
    os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cpu")
    from torch.testing._internal.common_methods_invocations import op_db

    if not names:
        return list(op_db)
    return [e for e in op_db if {e.name, entry_name(e), e.aten_name} & set(names)]


def print_failures(tally: Tally) -> None:
    for name, operator in sorted(tally.operators.items()):
        if operator.failed:
            kinds = ", ".join(f"{k} {n}" for k, n in operator.kinds.most_common())
            total = operator.failed.total() + operator.passed.total()
            print(f"{name}: {operator.failed.total()} of {total} differ ({kinds})")
            for kind, line in operator.details:
                print(f"    {kind}: {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", nargs="+", default=[])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--samples", type=int, default=0, help="at most so many per dtype")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--shard", default="0/1", help="one part of all entries, such as 0/2")
    parser.add_argument("--merge", nargs="+", type=Path, default=[], help="saved parts to add")
    parser.add_argument("--save", type=Path, help="write the tally to a file")
    options = parser.parse_args()
    rows = table_rows(ROOT / "ops")
    declared = {row.name for row in rows}
    random = {row.name for row in rows if row.random}
    dtypes = {torch.float32, torch.int64} if options.short else ALL_DTYPES
    limit = 3 if options.short else options.samples
    total = Tally()
    shard, shards = map(int, options.shard.split("/"))
    entries = [] if options.merge else selected(options.ops)[shard::shards]
    for part in options.merge:
        total.merge(pickle.loads(part.read_bytes())[1])
    start = time.perf_counter()
    for i, entry in enumerate(entries):
        if sys.stderr.isatty():
            print(f"\r{i}/{len(entries)} {entry_name(entry):40}", end="", file=sys.stderr)
        total.merge(run_apart(entry, declared, random, limit, dtypes))
        if options.save:
            options.save.write_bytes(pickle.dumps((i + 1, total)))
    if sys.stderr.isatty():
        print("\r" + " " * 60, end="\r", file=sys.stderr)
    if options.failures:
        print_failures(total)
    for line in total.broken:
        print(line)
    share = total.samples_equal / max(total.samples, 1)
    print(f"{len(entries)} entries, {time.perf_counter() - start:.0f} s: {total.samples_equal} of "
          f"{total.samples} samples equal ({share:.2%}); {total.passed} calls of "
          f"{len(total.operators)} operators equal, {total.failed} differ")  # fmt: skip
    if options.docs:
        write_page(ROOT / "docs" / "operators.md", rows, total, limit)
    return 0 if share >= TARGET and not any("process" in b for b in total.broken) else 1


if __name__ == "__main__":
    sys.exit(main())
