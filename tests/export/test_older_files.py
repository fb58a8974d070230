"""Files of PyTorch 2.6 to 2.8, and archives that hold something else."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import export, nativert
from tests import fixture_calls as fixtures
from tests.export.test_save import check_outputs
from tests.pt2_layouts import write_2_6, write_2_8

LAYOUTS: dict[str, Callable[[Path, Path], None]] = {"2.6": write_2_6, "2.8": write_2_8}
EVERY = [(n, f) for n in fixtures.NAMES for f in fixtures.FORMS]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "form"), EVERY)
def test_older_layouts_run(name: str, form: str, layout: str, tmp_path: Path) -> None:
    old = tmp_path / "old.pt2"
    LAYOUTS[layout](Path(fixtures.path_of(name, form)), old)
    check_outputs(old, name, form)
    program = export.load(old)
    assert export.model_names(old) == ["model"]
    export.save(program, tmp_path / "new.pt2")  # today's layout
    check_outputs(tmp_path / "new.pt2", name, form)
    assert str(export.load(tmp_path / "new.pt2").graph_signature) == str(program.graph_signature)


def test_extra_files_of_an_old_file(tmp_path: Path) -> None:
    write_2_6(Path(fixtures.path_of("linear")), tmp_path / "old.pt2")
    found: dict[str, Any] = {}
    export.load(tmp_path / "old.pt2", extra_files=found)
    assert found == {"notes.txt": "an extra file"}


def test_tied_weights_of_an_old_file_share_memory(tmp_path: Path) -> None:
    write_2_6(Path(fixtures.path_of("tied_weights")), tmp_path / "old.pt2")
    tensors = list(export.load(tmp_path / "old.pt2").state_dict.values())
    assert len({t.untyped_storage().data_ptr() for t in tensors}) < len(tensors)


class Evil:
    """Its pickle would run something."""

    def __reduce__(self) -> Any:
        return (print, ("run!",))


def torch_file(data: bytes) -> bytes:
    """A ``.pt`` file with this pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", data)
        archive.writestr("archive/version", "3\n")
    return file.getvalue()


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (b"not a zip", "serialized_state_dict.pt"),
        (torch_file(b"garbage"), r"serialized_state_dict.pt: data.pkl"),
        (torch_file(pickle.dumps({})), "no data for"),
        (torch_file(pickle.dumps({"weight": 3})), ".weight..*not a plain tensor"),
        (torch_file(pickle.dumps({"weight": Evil()})), "not a plain tensor"),
    ],
)
def test_damaged_state_dicts(
    state: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_2_6(Path(fixtures.path_of("linear")), tmp_path / "old.pt2")
    assert "weight" in export.load(tmp_path / "old.pt2").state_dict
    with (
        zipfile.ZipFile(tmp_path / "old.pt2") as old,
        zipfile.ZipFile(tmp_path / "bad.pt2", "w") as new,
    ):
        for entry in old.namelist():
            bad = entry == "serialized_state_dict.pt"
            new.writestr(entry, state if bad else old.read(entry))
    with pytest.raises(RuntimeError, match=message):
        export.load(tmp_path / "bad.pt2")
    assert capsys.readouterr().out == ""


def test_compiled_packages_are_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "compiled.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("compiled/archive_format", "pt2")
        archive.writestr("compiled/archive_version", "0")
        archive.writestr("compiled/data/aotinductor/model/model.wrapper.so", b"\x7fELF")
    for opening in (export.load, nativert.ModelRunner, export.model_names):
        with pytest.raises(NotImplementedError, match=r"AOTInductor.*torch\.export\.save"):
            opening(str(path))


def test_example_inputs() -> None:
    inputs = export.load(fixtures.path_of("nested_inputs")).example_inputs
    assert inputs is not None
    args, kwargs = inputs
    assert isinstance(args, tuple) and isinstance(kwargs, dict)
    leaves = rushlight.utils.pytree.tree_leaves(inputs)
    assert sum(isinstance(leaf, rushlight.Tensor) for leaf in leaves) == 5
    assert leaves[-1] is True
