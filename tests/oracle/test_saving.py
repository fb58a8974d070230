"""What `rushlight.export.save` writes, PyTorch opens and runs to the recorded outputs."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
import torch

from rushlight import _C, export
from tests import fixture_calls as fixtures
from tests.zoo.check import check_archive

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("form", fixtures.FORMS)
@pytest.mark.parametrize("name", fixtures.NAMES)
def test_torch_runs_what_we_save(name: str, form: str, tmp_path: Path) -> None:
    program = export.load(fixtures.path_of(name, form))
    path = tmp_path / f"{name}.{form}.pt2"
    for suffix in ("json", "npz"):
        shutil.copy(fixtures.FIXTURES / f"{name}.{suffix}", tmp_path)
    export.save(program, path)
    check_archive(tmp_path, name, form)
    source = torch.export.load(fixtures.path_of(name, form))
    saved = torch.export.load(path)
    # Arguments differ where a device or a default was written out.
    assert [(n.op, n.name, n.target) for n in saved.graph.nodes] == [
        (n.op, n.name, n.target) for n in source.graph.nodes
    ]
    assert saved.range_constraints.keys() == source.range_constraints.keys()
    assert saved.call_spec == source.call_spec
    assert (saved.example_inputs is None) == (source.example_inputs is None)
    for key, tensor in source.state_dict.items():
        again = saved.state_dict[key]
        assert type(again) is type(tensor) and again.requires_grad == tensor.requires_grad
        assert again.stride() == tensor.stride() and torch.equal(again, tensor)
    if any(node.target.startswith("higher_order.") for node in program.graph.nodes):
        return
    # As a program that comes from no file: the pure graph.
    _C.save_programs(str(path), {"model": program._program.pure()}, {}, {})
    check_archive(tmp_path, name, form)


def test_a_second_journey_through_torch_changes_nothing(tmp_path: Path) -> None:
    source = fixtures.path_of("symbolic_sizes", "exported")
    export.save(export.load(source), tmp_path / "a.pt2")
    torch.export.save(torch.export.load(tmp_path / "a.pt2"), tmp_path / "b.pt2")
    assert repr(export.load(tmp_path / "b.pt2")) == repr(export.load(source))


@pytest.mark.parametrize("name", ["linear", "tied_weights", "lifted_constants", "symbolic_sizes"])
def test_the_layout_of_torch_2_6_as_torch_writes_it(name: str, tmp_path: Path) -> None:
    from torch._export.serde.serialize import serialize

    artifact = serialize(torch.export.load(fixtures.path_of(name)))
    path = tmp_path / f"{name}.exported.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("version", "8.20")
        archive.writestr("serialized_exported_program.json", artifact.exported_program)
        archive.writestr("serialized_state_dict.pt", artifact.state_dict)
        archive.writestr("serialized_constants.pt", artifact.constants)
        archive.writestr("serialized_example_inputs.pt", artifact.example_inputs)
    torch.export.load(path)  # PyTorch still takes it
    ours, today = export.load(path), export.load(fixtures.path_of(name))
    assert repr(ours) == repr(today)
    for key, tensor in (today.state_dict | today.constants).items():
        again = (ours.state_dict | ours.constants)[key]
        assert again.dtype == tensor.dtype and again.stride() == tensor.stride()
        assert torch.equal(torch.from_dlpack(again), torch.from_dlpack(tensor))


def test_several_models_from_torch(tmp_path: Path) -> None:
    from torch.export.pt2_archive._package import load_pt2, package_pt2

    names = ("linear", "counter")
    programs = {name: torch.export.load(fixtures.path_of(name)) for name in names}
    package_pt2(str(tmp_path / "two.pt2"), exported_programs=programs)
    assert export.model_names(tmp_path / "two.pt2") == list(names)
    opened = {name: export.load(tmp_path / "two.pt2", model=name) for name in names}
    export.save(opened, tmp_path / "ours.pt2", extra_files={"a.txt": "A"})
    contents = load_pt2(str(tmp_path / "ours.pt2"))
    assert contents.extra_files == {"a.txt": "A"}
    for name in names:
        assert str(contents.exported_programs[name].graph) == str(programs[name].graph)
        for key, tensor in programs[name].state_dict.items():
            assert torch.equal(contents.exported_programs[name].state_dict[key], tensor)
