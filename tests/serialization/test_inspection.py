"""Looking into files without loading them."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path

import pytest

import rushlight
from rushlight.cli import main
from rushlight.serialization import get_unsafe_globals_in_checkpoint, inspect, safe_globals
from tests.serialization.test_hostile import CALLS, MACHINE, zipped

FILES = Path(__file__).parents[1] / "data" / "pt"


@pytest.mark.parametrize("suffix", ["", "_legacy"])
def test_tensors_and_values(suffix: str) -> None:
    found = inspect(FILES / f"nested{suffix}.pt")
    tensors = {t.name: (t.dtype, t.shape, t.nbytes) for t in found.tensors}
    assert tensors["view"] == ("float32", (4, 3), 48)
    assert tensors["scalar"] == ("float64", (), 8)
    assert len(tensors) == 9
    assert found.values["ordered.a"] == "2"
    assert found.error is None
    assert found.unsafe_globals == []
    assert found.globals["torch._utils._rebuild_tensor_v2"]


@pytest.mark.parametrize("name", ["sparse", "quantised"])
def test_kinds_of_tensors(name: str) -> None:
    assert {t.kind for t in inspect(FILES / f"{name}.pt").tensors} == {name}


def test_modules() -> None:
    found = inspect(FILES / "module.pt")
    assert found.unsafe_globals == [
        "somewhere.models.Net",
        "torch.nn.modules.batchnorm.BatchNorm1d",
        "torch.nn.modules.linear.Linear",
    ]
    names = [t.name for t in found.tensors]
    assert "fc.weight" in names
    assert "norm.running_mean" in names


@pytest.mark.parametrize("name", ["tar", "python_2", "big_endian", "zip_1_6", "optimizer_legacy"])
def test_all_formats(name: str) -> None:
    found = inspect(FILES / f"{name}.pt")
    assert found.error is None
    assert found.tensors


@pytest.mark.parametrize("name", [*CALLS, *MACHINE])
def test_hostile_files_run_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.pt"
    path.write_bytes(zipped({**CALLS, **MACHINE}[name]).getvalue())
    found = inspect(path)
    assert found.error or found.unsafe_globals
    assert list(tmp_path.iterdir()) == [path]


def test_unusual_opcodes() -> None:
    path = FILES / "nested.pt"
    assert inspect(path).opcodes == {}


def test_what_needs_allowing() -> None:
    assert get_unsafe_globals_in_checkpoint(FILES / "nested.pt") == []
    unsafe = get_unsafe_globals_in_checkpoint(zipped(CALLS["functools"]))
    assert unsafe == ["functools.partial"]
    with safe_globals([(len, "functools.partial")]):
        assert get_unsafe_globals_in_checkpoint(zipped(CALLS["functools"])) == []
    with pytest.raises(ValueError, match="zip format"):
        get_unsafe_globals_in_checkpoint(FILES / "nested_legacy.pt")
    with pytest.raises(ValueError, match="TorchScript"):
        get_unsafe_globals_in_checkpoint(FILES / "torchscript.pt")
    with pytest.raises(pickle.UnpicklingError):
        get_unsafe_globals_in_checkpoint(zipped(b"\xff"))


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["inspect", str(FILES / "nested.pt")]) == 0
    assert "view       float32[4, 3]  48 B" in capsys.readouterr().out
    assert main(["inspect", str(FILES / "module.pt"), "--json"]) == 1
    assert "somewhere.models.Net" in json.loads(capsys.readouterr().out)["unsafe_globals"]
    (tmp_path / "a.pt").write_bytes(zipped(CALLS["EXT1"]).getvalue())
    assert main(["inspect", str(tmp_path / "a.pt")]) == 1
    out = capsys.readouterr().out
    assert "EXT1 (1 times)" in out
    assert "extension registry" in out
    (tmp_path / "b.pt").write_bytes(b"hello")
    assert main(["inspect", str(tmp_path / "b.pt")]) == 1
    assert "rushlight inspect: error:" in capsys.readouterr().err
    rushlight.save({"\x1b[31mred": 1}, tmp_path / "c.pt")
    assert main(["inspect", str(tmp_path / "c.pt")]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_user_functions_are_not_called(tmp_path: Path) -> None:
    called: list[object] = []
    path = tmp_path / "a.pt"
    path.write_bytes(zipped(CALLS["functools"]).getvalue())
    with safe_globals([(called.append, "functools.partial")]):
        inspect(path)
        assert called == []
        rushlight.load(io.BytesIO(path.read_bytes()))
    assert called == [1]
