"""SciPy and scikit-learn on our arrays; in a process of its own, for SciPy reads its environment
when it is imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.oracle


def test_scipy_and_scikit_learn() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.array_api.libraries"],
        env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" ok") == 19
