"""Peak memory of `rushlight convert`: `python benchmarks/convert_memory.py [--megabytes 400]`.

A file of tensors of 16 MB each goes from format to format, each step in a process of its own; the
peak of resident memory (VmHWM) beyond that of an interpreter that has imported rushlight is
printed. It should stay under 256 MB and the largest tensor.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

TENSOR = 16  # MB

CHILD = """
import sys
from pathlib import Path
from rushlight.serialization import convert

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3

before = peak()
convert(sys.argv[1], sys.argv[2])
print(f"{peak() - before:.0f}")
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
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        count = max(args.megabytes // TENSOR, 1)
        numbers = [str(count), str(TENSOR * 250_000)]
        subprocess.run([sys.executable, "-c", MAKE, folder / "0.pt", *numbers], check=True)
        files = ["0.pt", "1.safetensors", "2.npz", "3.pt", "4.npz", "5.safetensors"]
        for source, target in pairwise(files):
            paths = [folder / source, folder / target]
            run = subprocess.run(
                [sys.executable, "-c", CHILD, *paths], check=True, capture_output=True, text=True
            )
            print(f"{source} -> {target}: {run.stdout.strip()} MB", flush=True)
            (folder / source).unlink()


if __name__ == "__main__":
    main()
