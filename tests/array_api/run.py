"""Runs the public array-api-tests, which have to be cloned with their submodule first.

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests FOLDER
    pip install pytest hypothesis ndindex
    python -m tests.array_api.run FOLDER --max-examples=100

Cases of ``xfails.txt`` may fail; further arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

XFAILS = Path(__file__).parent / "xfails.txt"
ENVIRONMENT = {
    "ARRAY_API_TESTS_MODULE": "rushlight.array_api",
    "ARRAY_API_TESTS_SKIP_DTYPES": "uint16,uint32,uint64",  # there are none
}


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    command = [sys.executable, "-m", "pytest", "array_api_tests", "--disable-deadline",
               "--xfails-file", str(XFAILS), *arguments[1:]]  # fmt: skip
    here = os.environ.get("PYTHONPATH", "")
    paths = os.pathsep.join(str(Path(p).resolve()) for p in here.split(os.pathsep) if p)
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": paths}
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
