"""Run every archive of an exported zoo and compare with what PyTorch recorded.

    python -m tests.zoo.run FOLDER [FOLDER ...]

Needs no PyTorch. Floats agree within a relative error of 1e-5 in the 2-norm (bfloat16: 1e-2),
integers and booleans exactly. Prints a line per program and fails if one differs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rushlight import nativert
from tests import fixture_calls


def run(archive: Path) -> None:
    """Run the recorded calls of one archive; raise where a result differs."""
    name, form, _ = archive.name.rsplit(".", 2)
    folder = archive.parent
    runner = nativert.ModelRunner(str(archive))
    for call in range(fixture_calls.number_of_calls(name, folder)):
        results = runner.run_flat(fixture_calls.flat_inputs(name, call, form, folder))
        wanted = fixture_calls.flat_outputs(name, call, folder)
        for result, expected in zip(results, wanted, strict=False):
            fixture_calls.check(result, expected)


def main(folders: list[str]) -> int:
    archives = [path for folder in folders for path in sorted(Path(folder).glob("*.pt2"))]
    if not archives:
        print(__doc__)
        return 2
    failed = 0
    for archive in archives:
        start = time.perf_counter()
        try:
            run(archive)
            outcome = "ok"
        except Exception as error:  # every archive gets its line
            failed += 1
            outcome = f"FAILED {type(error).__name__}: {str(error)[:200]}"
        print(f"{archive.name:36} {time.perf_counter() - start:6.2f} s  {outcome}", flush=True)
    print(f"{len(archives) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
