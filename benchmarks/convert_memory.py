"""Peak memory of `rushlight convert`.

    python benchmarks/convert_memory.py [--megabytes 400] [--tensors 25]

A file of equal tensors goes from each format to each other one, every step a run of the command;
the peak of resident memory (VmHWM, the interpreter and mapped files included) is printed and must
stay under 256 MB and one tensor.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

LIMIT = 256  # MB beside the largest tensor

CHILD = """
import sys
from pathlib import Path
from rushlight.cli import main

status = main(["convert", sys.argv[1], sys.argv[2]])
lines = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3)
sys.exit(status)
"""

MAKE = """
import sys
import numpy as np
import rushlight

count, size = int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
arrays = {f"w{i}": rng.standard_normal(size, np.float32) for i in range(count)}
rushlight.save({name: rushlight.from_numpy(a) for name, a in arrays.items()}, sys.argv[1])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="where the files go (default: temporary)")
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--tensors", type=int, default=25)
    args = parser.parse_args()
    limit = LIMIT + args.megabytes / args.tensors
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        numbers = [str(args.tensors), str(args.megabytes * 250_000 // args.tensors)]
        subprocess.run([sys.executable, "-c", MAKE, folder / "0.pt", *numbers], check=True)
        files = ["0.pt", "1.safetensors", "2.npz", "3.pt", "4.npz", "5.safetensors", "6.pt"]
        for source, target in pairwise(files):
            paths = [folder / source, folder / target]
            run = subprocess.run(
                [sys.executable, "-c", CHILD, *paths], check=True, capture_output=True, text=True
            )
            peak = float(run.stdout.split()[-1])
            print(f"{source} -> {target}: {peak:.0f} MB (limit {limit:.0f} MB)", flush=True)
            if peak > limit:
                raise SystemExit(1)
            (folder / source).unlink()


if __name__ == "__main__":
    main()
