"""What the installed package costs: size, import time, time from process start to first output.

    python benchmarks/package_facts.py [--rounds 20] [--json]

Run it in an environment where rushlight is installed. Times are medians of whole processes, in
milliseconds, each beside the process it adds to: an import of NumPy, an empty Python.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

LINEAR = Path(__file__).parent.parent / "tests/data/pt2/linear.exported.pt2"
FIRST_OUTPUT = f"""
import numpy as np
from rushlight.nativert import ModelRunner
ModelRunner({str(LINEAR)!r}).run(np.ones((2, 4), np.float32))
"""


def installed_megabytes() -> float:
    """Bytes of the files that the package put into site-packages and bin, in MB."""
    files = importlib.metadata.files("rushlight") or []
    sizes = (Path(str(f.locate())).stat().st_size for f in files if f.suffix != ".pyc")
    return sum(sizes) / 1e6


def medians(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Whole processes, taking turns; milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for i in range(rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if i:  # the first round fills the file cache
                times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def facts(rounds: int) -> dict[str, float]:
    python = [sys.executable, "-c"]
    runner = shutil.which("rushlight-run", path=str(Path(sys.executable).parent))
    if runner is None:
        sys.exit("rushlight is not installed beside this Python")
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs.npz"
        np.savez(inputs, input=np.ones((2, 4), np.float32))
        times = medians(
            {
                "python": [*python, ""],
                "numpy": [*python, "import numpy"],
                "import": [*python, "import numpy, rushlight"],
                "first output": [*python, FIRST_OUTPUT],
                "rushlight-run": [runner, str(LINEAR), "--inputs", str(inputs), "--repeat", "0"],
            },
            rounds,
        )
    return {
        "installed, without NumPy and OpenBLAS (MB)": installed_megabytes(),
        "import, beyond NumPy's (ms)": times["import"] - times["numpy"],
        "Python start to first output of a 4x4 Linear (ms)": times["first output"],
        "  of which Python and NumPy (ms)": times["numpy"],
        "rushlight-run start to first output (ms)": times["rushlight-run"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = facts(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for name, value in found.items():
        print(f"{name:52} {value:8.1f}")
    print(f"{date.today()}, {platform.machine()}, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
