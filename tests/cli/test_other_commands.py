"""``rushlight info``, ``bench`` and ``doctor``, and how commands end."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.cli import main
from rushlight.cli.report import Progress
from tests import fixture_calls as fixtures
from tests.export.archives import rewrite_program

MODEL = str(Path(__file__).parents[2] / "examples" / "digits" / "digits.pt2")


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(output(capsys, *arguments, "--json"))
    return result


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    info = report(capsys, "info", MODEL)
    (given,) = info["inputs"]
    assert given["name"] == "images"
    assert given["type"].startswith("float32[s")
    assert info["parameters"]["elements"] == 15498
    assert info["parameters"]["bytes"] == 4 * 15498
    assert info["operators"]["aten.conv2d.default"] == 3
    assert sum(info["operators"].values()) == info["nodes"]
    assert info["missing_operators"] == {}
    assert info["memory_plan"]["arena_bytes"] > 0
    assert info["torch_version"].startswith("2.13.0")
    table = output(capsys, "info", MODEL)
    for word in ("images", "15,498", "aten.conv2d.default", "missing", "none", "memory plan"):
        assert word in table


def test_info_of_every_fixture(capsys: pytest.CaptureFixture[str]) -> None:
    for name in fixtures.NAMES:
        for form in fixtures.FORMS:
            info = report(capsys, "info", fixtures.path_of(name, form))
            assert "unavailable" not in info["memory_plan"], name
            output(capsys, "info", fixtures.path_of(name, form), "--graph")
    nested = report(capsys, "info", fixtures.path_of("nested_inputs"))
    assert [i["path"] for i in nested["inputs"]][:3] == ["batch['x']", "batch['mask']", "pair[0]"]
    assert [o["path"] for o in nested["outputs"]][:2] == ["['first']", "['rest'][0]"]


def test_plan_for_other_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    small = report(capsys, "info", MODEL, "--shape", "images=1,1,8,8")["memory_plan"]
    large = report(capsys, "info", MODEL, "--shape", "images=64,1,8,8")["memory_plan"]
    assert small["for"] == {"images": [1, 1, 8, 8]}
    assert large["arena_bytes"] > small["arena_bytes"]
    wrong = report(capsys, "info", MODEL, "--shape", "images=1,2,8,8")["memory_plan"]
    assert "expected 1, got 2" in wrong["unavailable"]


def test_info_of_a_program_with_missing_operators(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def change(program: dict[str, Any]) -> None:
        program["graph_module"]["graph"]["nodes"][0]["target"] = "torch.ops.aten.nonsense.default"

    model = rewrite_program(MODEL, tmp_path / "x.pt2", change)
    info = report(capsys, "info", model)
    assert list(info["missing_operators"]) == ["aten.nonsense.default"]
    assert info["memory_plan"] == {"unavailable": "operators are missing"}
    assert "aten.nonsense.default: " in output(capsys, "info", model)
    assert main(["bench", model]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "aten.nonsense.default" in err


def test_bench(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("bench", MODEL, "--threads", "1,2", "--repeat", "3", "--shape", "images=4,1,8,8")
    result = report(capsys, *arguments)
    assert result["inputs"] == [{"name": "images", "dtype": "float32", "shape": [4, 1, 8, 8]}]
    assert [r["threads"] for r in result["results"]] == [1, 2]
    for row in result["results"]:
        assert row["latency_ms"]["calls"] == 3
        assert row["first_call_ms"] > 0
    assert result["results"][0]["speedup"] == 1
    table = output(capsys, *arguments).splitlines()
    assert table[1].split() == ["threads", "first", "call", "median", "p90", "min", "calls",
                                "speedup"]  # fmt: skip
    assert len(table) == 4


def test_bench_of_a_file_and_of_every_kind_of_input(capsys: pytest.CaptureFixture[str]) -> None:
    test = str(Path(MODEL).with_name("test.npz"))
    result = report(capsys, "bench", MODEL, "--inputs", test, "--threads", "1", "--seconds", "0.01")
    assert result["inputs"][0]["shape"] == [360, 1, 8, 8]
    for name in fixtures.NAMES:
        report(capsys, "bench", fixtures.path_of(name), "--threads", "1", "--repeat", "1")


WRONG = [
    (["bench", MODEL, "--shape", "x"], "--shape: expected NAME=SIZE"),
    (["bench", MODEL, "--shape", "x=1,a"], "--shape: expected NAME=SIZE"),
    (["bench", MODEL, "--shape", "y=1"], "no tensor input y; there are: images"),
    (["bench", MODEL, "--threads", "1,x"], "--threads: expected numbers"),
    (["bench", MODEL, "--threads", "0"], "--threads: expected 1 to"),
    (["bench", MODEL, "--repeat", "0"], "--repeat"),
    (["bench", MODEL, "--inputs", "x.npz", "--shape", "images=1"], "exclude each other"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run"], ["run", "--threads", "x", "m"]])
def test_wrong_command_lines_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "error:" in err


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "doctor")
    assert result["version"] == rushlight.__version__
    assert result["check"] == "ok"
    assert "OpenBLAS" in result["blas"]
    assert result["cpu_capability"] in result["capabilities_built"].split()
    assert result["compiler"].split()[0] in ("gcc", "clang")
    assert result["threads"] >= 1
    assert "cpu capability" in output(capsys, "doctor")


def test_as_a_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rushlight"]
    done = subprocess.run(
        [*command, "info", str(tmp_path / "absent.pt2")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"rushlight {rushlight.__version__}\n"
    closed = subprocess.run(
        f"'{sys.executable}' -m rushlight info '{MODEL}' --graph | head -1",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert closed.stderr == ""


def test_paths_for_building_against_the_library() -> None:
    assert (Path(rushlight.get_include()) / "rushlight" / "rushlight.h").is_file()
    assert (Path(rushlight.cmake_dir()) / "rushlightConfig.cmake").is_file()


class Terminal(io.StringIO):
    """A stderr that people look at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    stream = Terminal() if terminal else io.StringIO()
    clock = iter(range(100))
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    progress = Progress("call", 3)
    for _ in range(3):
        progress.step()
    progress.close()
    shown = stream.getvalue()
    assert ("\rcall 3/3" in shown) is terminal
    assert shown.endswith("\x1b[K") is terminal
