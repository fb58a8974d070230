"""``rushlight-run``, the command line without Python."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import rushlight

REPOSITORY = Path(__file__).parents[2]
DIGITS = REPOSITORY / "examples" / "digits"
FIXTURES = REPOSITORY / "tests" / "data" / "pt2"


def program() -> Path:
    """Beside the package's library in a build's tree, among the scripts when installed."""
    built = Path(rushlight.__path__[0]) / "bin" / "rushlight-run"
    return built if built.exists() else Path(sysconfig.get_path("scripts")) / "rushlight-run"


def run(*arguments: str | Path, status: int = 0) -> str:
    """What the program prints: its output, or its error if ``status`` is not 0."""
    done = subprocess.run(
        [program(), *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert bool(done.stderr) == bool(status)
    return done.stderr if status else done.stdout


def test_table() -> None:
    text = run(DIGITS / "digits.pt2", "--inputs", DIGITS / "test.npz", "--repeat", "2")
    rows = dict(line.split(maxsplit=1) for line in text.splitlines())
    assert rows["input"] == "images: float32[360, 1, 8, 8]"
    assert rows["accuracy"] == "98.89 % (356 of 360)"
    assert "(2 calls)" in rows["latency"]


def test_json_and_output(tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    text = run(
        DIGITS / "digits.pt2", f"--inputs={DIGITS / 'test.npz'}", "--json", "--output", out,
        "--threads=1", "--repeat=3",
    )  # fmt: skip
    report = json.loads(text)
    assert set(report) == {
        "model", "inputs", "outputs", "accuracy", "latency_ms", "throughput_per_s", "threads",
    }  # fmt: skip
    assert report["outputs"] == [{"name": "output_0", "dtype": "float32", "shape": [360, 10]}]
    assert report["threads"] == 1
    latency = report["latency_ms"]
    assert 0 < latency["min"] <= latency["median"] <= latency["p90"]
    with np.load(out) as outputs, np.load(DIGITS / "test.npz") as test:
        right = (outputs["output_0"].argmax(1) == test["labels"]).mean()
    assert report["accuracy"] == pytest.approx(right)


@pytest.mark.parametrize("form", ["exported", "decomposed"])
@pytest.mark.parametrize("name", ["linear", "scalar_inputs", "multi_output", "input_mutation"])
def test_recorded_values(name: str, form: str, tmp_path: Path) -> None:
    literals = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))["literals"][0]
    with np.load(FIXTURES / f"{name}.npz") as record:
        inputs = {k[4:]: record[k] for k in record if k.startswith("in0.")}
        wanted = {k[5:]: record[k] for k in record if k.startswith("out0.")}
    inputs |= {
        k: np.asarray(v) for k, v in literals.items() if isinstance(v, int) and type(v) is not bool
    }
    np.savez(tmp_path / "in.npz", **inputs)
    run(
        FIXTURES / f"{name}.{form}.pt2", "--inputs", tmp_path / "in.npz",
        "--output", tmp_path / "out.npz", "--repeat", "0",
    )  # fmt: skip
    with np.load(tmp_path / "out.npz") as outputs:
        for i, value in wanted.items():
            np.testing.assert_allclose(outputs[f"output_{i}"], value, rtol=1e-5, atol=1e-6)


def test_one_array(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 4), np.float32))
    assert "float32[2, 4]" in run(FIXTURES / "linear.exported.pt2", "--inputs", tmp_path / "x.npy")


def test_help_and_version() -> None:
    assert "--inputs" in run("--help")
    assert run("--version").startswith("rushlight-run ")


def test_mistakes_are_explained(tmp_path: Path) -> None:
    linear = FIXTURES / "linear.exported.pt2"
    np.savez(tmp_path / "other.npz", other=np.zeros(1))
    assert "expected a model" in run(status=1)
    assert "unknown option '--fast'" in run(linear, "--fast", status=1)
    assert "expected a whole number" in run(linear, "--threads", "two", status=1)
    assert "--inputs is needed" in run(linear, status=1)
    assert "no array for " in run(linear, "--inputs", tmp_path / "other.npz", status=1)
    assert "nowhere.pt2" in run(tmp_path / "nowhere.pt2", status=1)
    assert "nowhere.npz" in run(linear, "--inputs", tmp_path / "nowhere.npz", status=1)
