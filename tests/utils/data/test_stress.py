"""The stress test, in its short form."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_nothing_is_left_after_trouble() -> None:
    command = [sys.executable, "-m", "tests.utils.data.stress", "--epochs", "12"]
    root = Path(__file__).parents[3]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
