"""``rushlight run``: the main job, and everything that can be wrong with its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight import nativert
from rushlight.cli import main
from tests import fixture_calls as fixtures
from tests.export.archives import rewrite_program

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
MODEL, TEST = str(DIGITS / "digits.pt2"), str(DIGITS / "test.npz")


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The JSON report of a run that works."""
    assert main(["run", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result: dict[str, Any] = json.loads(captured.out)
    return result


def failure(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 1) -> str:
    """The one line on stderr of a run that fails."""
    assert main(["run", *arguments]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("rushlight run: error: ")
    return captured.err


def test_main_job(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, MODEL, "--inputs", TEST)
    assert result["accuracy"] >= 0.97
    assert result["right"] == round(result["accuracy"] * 360)
    assert result["samples"] == 360
    assert result["calls_per_pass"] == 1
    assert result["latency_ms"]["calls"] == 10
    assert result["latency_ms"]["min"] <= result["latency_ms"]["median"]
    assert result["throughput_per_s"] > 0
    assert result["inputs"] == [{"name": "images", "dtype": "float32", "shape": [360, 1, 8, 8]}]
    assert result["outputs"] == [{"name": "output_0", "dtype": "float32", "shape": [360, 10]}]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", MODEL, "--inputs", TEST, "--repeat", "2", "--threads", "1"]) == 0
    out, err = capsys.readouterr()
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "98.89% (356 of 360)" in lines["accuracy"]
    assert "median" in lines["latency"]
    assert "(2 calls)" in lines["latency"]
    assert "samples/s" in lines["throughput"]
    assert lines["threads"].split() == ["threads", "1"]
    assert err == ""


@pytest.mark.parametrize("ending", ["npz", "npy"])
def test_output_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"out.{ending}"
    report(capsys, MODEL, "--inputs", TEST, "--output", str(target), "--repeat", "0")
    loaded = np.load(target)
    array = loaded["output_0"] if ending == "npz" else loaded
    with np.load(TEST) as arrays:
        expected = nativert.ModelRunner(MODEL).run(arrays["images"])
    np.testing.assert_allclose(array, expected, rtol=1e-6)
    assert list(tmp_path.iterdir()) == [target]


def test_batches_give_the_same_outputs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.npy", tmp_path / "parts.npy"
    one = report(capsys, MODEL, "--inputs", TEST, "--output", str(whole), "--repeat", "0")
    many = report(
        capsys, MODEL, "--inputs", TEST, "--output", str(parts), "--repeat", "1", "--batch", "100"
    )
    assert "latency_ms" not in one
    assert (many["calls_per_pass"], many["batch"]) == (4, 90)
    assert many["latency_ms"]["calls"] == 4
    assert many["accuracy"] == one["accuracy"]
    np.testing.assert_allclose(np.load(parts), np.load(whole), rtol=1e-4, atol=1e-4)


def test_more_samples_than_the_program_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def change(program: dict[str, Any]) -> None:
        (bounds,) = program["range_constraints"].values()
        bounds["max_val"] = 128

    model = rewrite_program(MODEL, tmp_path / "x.pt2", change)
    result = report(capsys, model, "--inputs", TEST, "--repeat", "0")
    assert (result["calls_per_pass"], result["batch"]) == (3, 120)
    assert result["right"] == 356
    message = failure(capsys, model, "--inputs", TEST, "--batch", "200", status=2)
    assert "takes 1 to 128 samples, not 200" in message


def test_fixed_number_of_samples(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (x,) = fixtures.flat_inputs("linear", 0)
    samples = np.concatenate([x, x, x[:1]])
    given, target = tmp_path / "in.npy", tmp_path / "out.npy"
    np.save(given, samples)
    result = report(
        capsys, fixtures.path_of("linear"), "--inputs", str(given), "--output", str(target)
    )
    assert (result["samples"], result["calls_per_pass"]) == (len(samples), 3)
    wanted = fixtures.flat_outputs("linear", 0)[0]
    assert wanted is not None
    np.testing.assert_allclose(
        np.load(target), np.concatenate([wanted, wanted, wanted[:1]]), rtol=1e-5, atol=1e-6
    )


def test_names_of_arguments_and_constants(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    x, mask, first, _, scale, bias, _ = fixtures.flat_inputs("nested_inputs", 0)
    given, target = tmp_path / "in.npz", tmp_path / "out.npz"
    named = {"batch['x']": x, "batch_mask": mask, "pair[0]": first, "scale": scale, "bias": bias}
    np.savez(given, **named)
    model = fixtures.path_of("nested_inputs")
    report(capsys, model, "--inputs", str(given), "--output", str(target), "--repeat", "0")
    with np.load(target) as arrays:
        for k, wanted in enumerate(fixtures.flat_outputs("nested_inputs", 0)):
            if wanted is None:
                assert f"output_{k}" not in arrays
            else:
                fixtures.check(arrays[f"output_{k}"], wanted)


def test_numbers_come_as_arrays_without_dimensions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    x, count, *_ = fixtures.flat_inputs("scalar_inputs", 1)
    given, target = tmp_path / "in.npz", tmp_path / "out.npy"
    np.savez(given, x=x, count=count)
    model = fixtures.path_of("scalar_inputs")
    report(capsys, model, "--inputs", str(given), "--output", str(target))
    fixtures.check(np.load(target), fixtures.flat_outputs("scalar_inputs", 1)[0])


def test_bfloat16_outputs_are_written_as_float32(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    given, target = tmp_path / "in.npy", tmp_path / "out.npz"
    np.save(given, fixtures.flat_inputs("bf16_mlp", 0)[0])
    model = fixtures.path_of("bf16_mlp")
    report(capsys, model, "--inputs", str(given), "--output", str(target))
    with np.load(target) as arrays:
        assert arrays["output_1"].dtype == np.float32


def test_files_that_cannot_be_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "absent.pt2" in failure(capsys, str(tmp_path / "absent.pt2"), "--inputs", TEST)
    assert "absent.npz" in failure(capsys, MODEL, "--inputs", str(tmp_path / "absent.npz"))
    broken = tmp_path / "broken.pt2"
    broken.write_bytes(Path(MODEL).read_bytes()[:5000])
    assert "broken.pt2" in failure(capsys, str(broken), "--inputs", TEST)
    text = tmp_path / "text.npz"
    text.write_text("hello")
    assert "not a .npz or .npy file" in failure(capsys, MODEL, "--inputs", str(text))
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([{}], dtype=object), allow_pickle=True)
    assert "plain arrays" in failure(capsys, MODEL, "--inputs", str(objects))


def test_arrays_that_do_not_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    np.savez(other, pixels=np.zeros((1, 1, 8, 8), "f4"))
    message = failure(capsys, MODEL, "--inputs", str(other))
    assert "no array for input 'images' (float32[" in message
    assert "it has 'pixels'" in message
    assert "no array for input 'images'" in failure(capsys, MODEL)
    doubles = tmp_path / "doubles.npy"
    np.save(doubles, np.zeros((1, 1, 8, 8)))
    assert "expected dtype float32, got float64" in failure(capsys, MODEL, "--inputs", str(doubles))
    shape = tmp_path / "shape.npy"
    np.save(shape, np.zeros((1, 3, 8, 8), "f4"))
    assert "dimension 1: expected 1, got 3" in failure(capsys, MODEL, "--inputs", str(shape))
    labels = tmp_path / "labels.npz"
    np.savez(labels, images=np.zeros((2, 1, 8, 8), "f4"), labels=np.zeros(3, "i8"))
    assert "do not fit the first output" in failure(capsys, MODEL, "--inputs", str(labels))


def test_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    inputs = ("--inputs", TEST)
    assert "--threads" in failure(capsys, MODEL, *inputs, "--threads", "0", status=2)
    assert "--repeat" in failure(capsys, MODEL, *inputs, "--repeat", "-1", status=2)
    assert ".npz or .npy" in failure(capsys, MODEL, *inputs, "--output", "x.txt", status=2)
    several = tmp_path / "x.npy"
    np.save(several, np.zeros(3))
    message = failure(capsys, fixtures.path_of("int_bool"), "--inputs", str(several), status=2)
    assert "the program takes 4" in message


def test_output_into_an_absent_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = str(tmp_path / "absent" / "out.npz")
    assert "absent" in failure(capsys, MODEL, "--inputs", TEST, "--output", target)
