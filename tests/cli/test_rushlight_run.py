"""``rushlight-run``, the command line without Python."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import export, nativert
from rushlight.cli import inputs, main
from tests import fixture_calls
from tests.export.archives import rewrite_program

REPOSITORY = Path(__file__).parents[2]
DIGITS = REPOSITORY / "examples" / "digits"
FIXTURES = REPOSITORY / "tests" / "data" / "pt2"


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    """The Python command sets this process's number."""
    before = rushlight.get_num_threads()
    yield
    rushlight.set_num_threads(before)


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


def run_in_python(*arguments: str | Path, status: int = 0) -> str:
    """What ``rushlight run`` prints for the same arguments."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = main(["run", *map(str, arguments)])
        except SystemExit as end:  # of argparse
            code = end.code
    assert code == status, err.getvalue()
    return err.getvalue() if status else out.getvalue()


def keys(report: Any) -> Any:
    """The nested keys of a report, in their order."""
    if isinstance(report, dict):
        return {key: keys(value) for key, value in report.items()}
    return [keys(value) for value in report] if isinstance(report, list) else None


def without_times(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    report.pop("throughput_per_s", None)
    return report | {"latency_ms": report.get("latency_ms", {}).get("calls")}


def limited(path: Path, most: int) -> Path:
    """The digits program, for at most so many images at once."""

    def change(program: dict[str, Any]) -> None:
        (bounds,) = program["range_constraints"].values()
        bounds["max_val"] = most

    return Path(rewrite_program(str(DIGITS / "digits.pt2"), path, change))


def test_options_are_those_of_the_python_command() -> None:
    def options(text: str) -> set[str]:
        return set(re.findall(r"--[a-z]+", text))

    assert options(run("--help")) == options(run_in_python("--help")) | {"--version"}
    assert run("--version").startswith("rushlight-run ")


def test_table() -> None:
    given = f"--inputs={DIGITS / 'test.npz'}"
    arguments = (DIGITS / "digits.pt2", given, "--repeat=2", "--threads=1")
    text = run(*arguments)
    rows = dict(line.split(maxsplit=1) for line in text.splitlines()[1:])
    assert rows["input"] == "images: float32[360, 1, 8, 8]"
    assert rows["accuracy"] == "98.89% (356 of 360)"
    assert "(2 calls)" in rows["latency"]

    def outline(table: str) -> list[str]:
        lines = [line for line in table.splitlines() if "throughput" not in line]
        return [re.sub(r"[\d.]+ (µs|ms|s)\b", "TIME", line) for line in lines]

    assert outline(text) == outline(run_in_python(*arguments))


@pytest.mark.parametrize("repeat", ["0", "2"])
@pytest.mark.parametrize(
    ("most", "options", "calls"), [(4096, [], 1), (4096, ["--batch", "100"], 4), (128, [], 3)]
)
def test_report_is_that_of_the_python_command(
    most: int, options: list[str], calls: int, repeat: str, tmp_path: Path
) -> None:
    model = limited(tmp_path / "digits.pt2", most)
    ours, theirs = tmp_path / "ours.npy", tmp_path / "theirs.npy"
    given = [model, f"--inputs={DIGITS / 'test.npz'}", "--repeat", repeat, "--threads=1"]
    text = run(*given, *options, "--json", "--output", ours)
    wanted = run_in_python(*given, *options, "--json", "--output", theirs)
    assert keys(json.loads(text)) == keys(json.loads(wanted))
    assert list(json.loads(text)) == list(json.loads(wanted))
    report = without_times(text)
    assert report == without_times(wanted)
    assert (report["calls_per_pass"], report["right"], report["threads"]) == (calls, 356, 1)
    if repeat != "0":
        latency = json.loads(text)["latency_ms"]
        assert 0 < latency["min"] <= latency["median"] <= latency["p90"]
    np.testing.assert_allclose(np.load(ours), np.load(theirs), rtol=1e-5, atol=1e-5)


def test_a_fixed_number_of_samples_is_filled_up(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((5, 4), np.float32)
    given, ours, theirs = (tmp_path / name for name in ("x.npy", "ours.npy", "theirs.npy"))
    np.save(given, x)
    arguments = (FIXTURES / "linear.exported.pt2", "--inputs", given, "--json", "--threads=1")
    report = without_times(run(*arguments, "--output", ours))
    assert report == without_times(run_in_python(*arguments, "--output", theirs))
    assert (report["samples"], report["calls_per_pass"], report["batch"]) == (5, 3, 2)
    np.testing.assert_allclose(np.load(ours), np.load(theirs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["nested_inputs", "scalar_inputs", "multi_output", "bf16_mlp"])
def test_reports_of_other_programs(name: str, tmp_path: Path) -> None:
    """Constants, numbers, several outputs, bfloat16."""
    program = export.load(FIXTURES / f"{name}.exported.pt2")
    specs = inputs.program_inputs(program)
    values = fixture_calls.flat_inputs(name, 0)
    arrays = {s.name: v for s, v in zip(specs, values, strict=True) if s.type != "constant"}
    np.savez(tmp_path / "in.npz", unused=np.zeros(1), **arrays)
    given = (FIXTURES / f"{name}.exported.pt2", "--inputs", tmp_path / "in.npz", "--threads=1")
    ours, theirs = tmp_path / "ours.npz", tmp_path / "theirs.npz"
    assert without_times(run(*given, "--json", "--output", ours)) == without_times(
        run_in_python(*given, "--json", "--output", theirs)
    )
    with np.load(ours) as got, np.load(theirs) as wanted:
        assert got.files == wanted.files
        for key in wanted.files:
            np.testing.assert_allclose(got[key], wanted[key], rtol=1e-5, atol=1e-6)


def test_labels(tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((2, 4), np.float32)
    runner = nativert.ModelRunner(FIXTURES / "linear.exported.pt2")
    classes = runner.run(x).argmax(1)
    np.savez(tmp_path / "in.npz", input=x, labels=classes.astype(np.int32))
    given = (FIXTURES / "linear.exported.pt2", "--inputs", tmp_path / "in.npz", "--json")
    assert json.loads(run(*given))["right"] == 2
    np.savez(tmp_path / "in.npz", input=x, labels=np.zeros((2, 1), np.int64))
    assert run(*given, status=1).split(": ", 1)[1:] == [
        run_in_python(*given, status=1).split(": ", 1)[1]
    ]


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


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "the following arguments are required: MODEL"),
        (["LINEAR", "--fast"], 2, "unrecognized arguments: --fast"),
        (["LINEAR", "extra"], 2, "unrecognized arguments: extra"),
        (["LINEAR", "--threads", "two"], 2, "argument --threads: invalid int value: 'two'"),
        (["LINEAR", "--inputs"], 2, "argument --inputs: expected one argument"),
        (["LINEAR", "--json=1"], 2, "argument --json: ignored explicit argument '1'"),
        (["LINEAR", "--threads", "0"], 2, "--threads: expected 1 to 1024, got 0"),
        (["LINEAR", "--repeat", "-1"], 2, "--repeat takes 0 or more, --batch 1 or more"),
        (["LINEAR", "--batch", "0"], 2, "--repeat takes 0 or more, --batch 1 or more"),
        (["LINEAR", "--output", "x.txt"], 2, "--output: expected a name ending in .npz or .npy"),
        (["LINEAR", "--inputs", "x.npy", "--batch", "7"], 2, "takes 2 to 2 samples, not 7"),
        (["SEVERAL", "--inputs", "x.npy"], 2, "a .npy file holds one array, but the program takes"),
        (["OUTPUTS", "--inputs", "x.npz", "--output", "y.npy"], 2, "a .npy file holds one array"),
        (["LINEAR"], 1, "no --inputs: no array for input 'input' (float32[2, 4]); it has nothing"),
        (["LINEAR", "--inputs", "o.npz"], 1, "no array for input 'input' (float32[2, 4]); it has"),
        (["LINEAR", "--inputs", "nowhere.npz"], 1, "nowhere.npz"),
        (["nowhere.pt2"], 1, "nowhere.pt2"),
    ],
)
def test_mistakes_are_explained_as_in_python(
    arguments: list[str],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.zeros((2, 4), np.float32))
    np.savez("o.npz", other=np.zeros(1))
    values = fixture_calls.flat_inputs("multi_output", 0)
    specs = inputs.program_inputs(export.load(FIXTURES / "multi_output.exported.pt2"))
    np.savez("x.npz", **{s.name: v for s, v in zip(specs, values, strict=True)})
    names = {"LINEAR": "linear", "SEVERAL": "int_bool", "OUTPUTS": "multi_output"}
    given = [str(FIXTURES / f"{names[a]}.exported.pt2") if a in names else a for a in arguments]
    ours, theirs = run(*given, status=status), run_in_python(*given, status=status)
    assert ours.startswith("rushlight-run: error: ")
    assert ours.count("\n") == 1
    assert message in ours
    assert message in theirs
    assert not Path("y.npy").exists()


def test_a_state_forbids_filling_up(tmp_path: Path) -> None:
    name = "counter"
    (x, *_) = fixture_calls.flat_inputs(name, 0)
    np.save(tmp_path / "x.npy", np.concatenate([x, x[:1]]))
    given = (FIXTURES / f"{name}.exported.pt2", "--inputs", tmp_path / "x.npy")
    assert "keeps a state from call to call" in run(*given, status=1)
    assert "keeps a state from call to call" in run_in_python(*given, status=1)


def test_inputs_are_found_by_their_place_among_the_arguments(tmp_path: Path) -> None:
    x, mask, first, _, scale, bias, _ = fixture_calls.flat_inputs("nested_inputs", 0)
    given, target = tmp_path / "in.npz", tmp_path / "out.npz"
    named = {"batch['x']": x, "batch_mask": mask, "pair[0]": first, "scale": scale, "bias": bias}
    np.savez(given, **named)
    call = (fixture_calls.path_of("nested_inputs"), "--inputs", given, "--repeat", "0")
    run(*call, "--output", target)
    with np.load(target) as arrays:
        for k, wanted in enumerate(fixture_calls.flat_outputs("nested_inputs", 0)):
            if wanted is not None:
                fixture_calls.check(arrays[f"output_{k}"], wanted)
    np.savez(given, **{k: v for k, v in named.items() if k != "pair[0]"})
    assert "no array for input 'pair_0'" in run(*call, status=1)


@pytest.mark.parametrize(
    "spec",
    ["", "[]", "[1]", "{}", '[1, {"type": "x"}]', '[1, {"type": null, "children_spec": [1, 2]}]'],
)
def test_a_damaged_calling_convention_leaves_the_names_of_the_graph(
    spec: str, tmp_path: Path
) -> None:
    def change(program: dict[str, Any]) -> None:
        program["graph_module"]["module_call_graph"][0]["signature"]["in_spec"] = spec

    model = rewrite_program(fixture_calls.path_of("linear"), tmp_path / "x.pt2", change)
    (x,) = fixture_calls.flat_inputs("linear", 0)
    np.save(tmp_path / "x.npy", x)
    run(model, "--inputs", tmp_path / "x.npy", "--repeat", "0")
