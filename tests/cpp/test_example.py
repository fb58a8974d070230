"""``examples/cpp`` builds against the installed package and classifies its drawing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import rushlight

EXAMPLES = Path(__file__).parents[2] / "examples"


def check_run(*command: str | Path) -> str:
    """Runs a command that must succeed, and returns what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_example_runs_a_model(tmp_path: Path) -> None:
    config = Path(rushlight.__path__[0]) / "lib" / "cmake" / "rushlight"
    check_run(
        "cmake", "-S", EXAMPLES / "cpp", "-B", tmp_path, f"-Drushlight_DIR={config}",
        "-DCMAKE_BUILD_TYPE=Debug",
    )  # fmt: skip
    check_run("cmake", "--build", tmp_path)
    assert check_run(tmp_path / "digits", EXAMPLES / "digits" / "digits.pt2") == "this is a 1\n"


def test_example_is_short() -> None:
    lines = (EXAMPLES / "cpp" / "main.cpp").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 30
