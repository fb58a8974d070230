"""``rushlight.export.save``: what it writes, that it opens again as the same program, and how it
fails. ``tests/oracle/test_saving.py`` opens the same files with PyTorch."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight import _C, export, nativert
from tests import fixture_calls as fixtures
from tests.pt2_files import read

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.pt2"
EVERY = [(n, f) for n in fixtures.NAMES for f in fixtures.FORMS]


def check_outputs(archive: Path, name: str, form: str) -> None:
    """Run the recorded calls."""
    runner = nativert.ModelRunner(str(archive))
    for call in range(fixtures.number_of_calls(name)):
        results = runner.run_flat(fixtures.flat_inputs(name, call, form))
        wanted = fixtures.flat_outputs(name, call)
        for result, expected in zip(results, wanted, strict=True):
            fixtures.check(result, expected)


def save_pure(program: export.ExportedProgram, path: Path) -> None:
    """As a program that comes from no file is saved."""
    _C.save_programs(str(path), {"model": program._program.pure()}, {}, {})


@pytest.mark.parametrize(("name", "form"), EVERY)
def test_every_fixture_opens_again_as_the_same_program(
    name: str, form: str, tmp_path: Path
) -> None:
    first = export.load(fixtures.path_of(name, form))
    export.save(first, tmp_path / "saved.pt2")
    second = export.load(tmp_path / "saved.pt2")
    assert repr(second) == repr(first)
    for key, tensor in first.state_dict.items() | first.constants.items():
        again = {**second.state_dict, **second.constants}[key]
        assert (again.dtype, again.shape) == (tensor.dtype, tensor.shape)
        assert again.stride() == tensor.stride()
    check_outputs(tmp_path / "saved.pt2", name, form)


@pytest.mark.parametrize(("name", "form"), EVERY)
def test_the_file_says_what_the_source_said(name: str, form: str, tmp_path: Path) -> None:
    source = Path(fixtures.path_of(name, form))
    export.save(export.load(source), tmp_path / "saved.pt2")
    old, new = read(source), read(tmp_path / "saved.pt2")
    assert new.stored
    for key in ("opset_version", "verifiers", "guards_code", "torch_version"):
        assert new.program[key] == old.program[key]
    assert new.signature == old.signature
    module_old, module_new = old.program["graph_module"], new.program["graph_module"]
    assert module_new["module_call_graph"] == module_old["module_call_graph"]
    nodes_old, nodes_new = module_old["graph"]["nodes"], module_new["graph"]["nodes"]
    for a, b in zip(nodes_old, nodes_new, strict=True):
        assert (b["target"], b["outputs"], b["name"]) == (a["target"], a["outputs"], a["name"])
        assert b["metadata"] == a["metadata"]
    for table in ("sym_int_values", "sym_bool_values"):
        assert module_new["graph"][table] == module_old["graph"][table]
    # Of floats the expression is kept, not the hint.
    floats_old, floats_new = (m["graph"]["sym_float_values"] for m in (module_old, module_new))
    assert floats_new.keys() == floats_old.keys()
    for key, value in floats_old.items():
        assert floats_new[key]["as_expr"]["expr_str"] == value["as_expr"]["expr_str"]
    for config in ("weights_config", "constants_config"):
        a, b = getattr(old, config), getattr(new, config)
        assert {k: v["tensor_meta"] for k, v in b.items()} == {
            k: v["tensor_meta"] for k, v in a.items()
        }
    inputs = "data/sample_inputs/model.pt"
    assert new.entries[inputs] == old.entries[inputs]


@pytest.mark.parametrize(("name", "form"), EVERY)
def test_pure_graphs_run_to_the_same_numbers(name: str, form: str, tmp_path: Path) -> None:
    program = export.load(fixtures.path_of(name, form))
    if any(node.target.startswith("higher_order.") for node in program.graph.nodes):
        # Written as the file had it, but not from the graph alone.
        with pytest.raises(NotImplementedError, match="no graphs inside a graph"):
            save_pure(program, tmp_path / "pure.pt2")
        assert list(tmp_path.iterdir()) == []
        return
    save_pure(program, tmp_path / "pure.pt2")
    targets = read(tmp_path / "pure.pt2").targets()
    assert not any("rushlight" in target for target in targets)
    check_outputs(tmp_path / "pure.pt2", name, form)


def test_equal_programs_give_equal_files(tmp_path: Path) -> None:
    program = export.load(DIGITS)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        export.save(program, tmp_path / folder / "m.pt2")
    first = (tmp_path / "a" / "m.pt2").read_bytes()
    assert (tmp_path / "b" / "m.pt2").read_bytes() == first
    export.save(export.load(tmp_path / "a" / "m.pt2"), tmp_path / "b" / "m.pt2")
    assert (tmp_path / "b" / "m.pt2").read_bytes() == first


def test_tied_weights_share_a_record(tmp_path: Path) -> None:
    export.save(export.load(fixtures.path_of("tied_weights")), tmp_path / "tied.pt2")
    config = read(tmp_path / "tied.pt2").weights_config
    records = [entry["path_name"] for entry in config.values()]
    assert len(set(records)) < len(records)


def test_an_open_file_and_extra_files() -> None:
    file = io.BytesIO()
    export.save(export.load(DIGITS), file, extra_files={"a.txt": "é"}, opset_version={"mine": 3})
    with zipfile.ZipFile(file) as archive:
        assert archive.read("archive/extra/a.txt").decode() == "é"
        assert archive.testzip() is None
    file.seek(0)
    contents = {"a.txt": ""}
    program = export.load(file, extra_files=contents, expected_opset_version={"mine": 3})
    assert contents == {"a.txt": "é"}
    assert program.state_dict.keys() == export.load(DIGITS).state_dict.keys()
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"set .mine.: expected version 4, the program has 3"):
        export.load(file, expected_opset_version={"mine": 4})


def test_several_models_in_one_archive(tmp_path: Path) -> None:
    path = tmp_path / "two.pt2"
    digits = export.load(DIGITS)
    linear = export.load(fixtures.path_of("linear"))
    export.save({"digits": digits, "linear": linear}, path)
    assert export.model_names(path) == ["digits", "linear"]
    for name, program in (("digits", digits), ("linear", linear)):
        opened = export.load(path, model=name)
        assert repr(opened) == repr(program)
        for key, tensor in program.state_dict.items():
            np.testing.assert_array_equal(opened.state_dict[key].numpy(), tensor.numpy())
    with pytest.raises(ValueError, match=r"two\.pt2.*2 models.*'digits', 'linear'"):
        export.load(path)
    with pytest.raises(ValueError, match=r"no model 'nope'.*'digits', 'linear'"):
        export.load(path, model="nope")
    export.save({"model": digits, "linear": linear}, path)
    assert repr(export.load(path)) == repr(digits)  # PyTorch's name for the one that is meant


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, "x.pt2"), TypeError, "expected an ExportedProgram, got int"),
        (({}, "x.pt2"), TypeError, "expected an ExportedProgram"),
        (({"a": 3}, "x.pt2"), TypeError, "got int as 'a'"),
        (({"a/b": None}, "x.pt2"), ValueError, "a model's name is part of file names"),
        ((None, 3), TypeError, "expected a path"),
    ],
)
def test_mistakes(
    arguments: tuple[Any, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    program, target = arguments
    digits = export.load(DIGITS)
    if program is None:
        program = digits
    elif isinstance(program, dict):
        program = {k: digits if v is None else v for k, v in program.items()}
    if isinstance(target, str):
        target = tmp_path / target
    with pytest.raises(error, match=message):
        export.save(program, target)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "m.pt2"
    path.write_text("precious")
    with pytest.raises(TypeError, match="extra_files"):
        export.save(export.load(DIGITS), path, extra_files={"a": 3})  # type: ignore[dict-item]
    assert path.read_text() == "precious"
    with pytest.raises(OSError, match="nowhere"):
        export.save(export.load(DIGITS), tmp_path / "nowhere" / "m.pt2")


def test_saving_over_the_file_that_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "m.pt2"
    path.write_bytes(DIGITS.read_bytes())
    program = export.load(path)
    export.save(program, path)
    assert repr(export.load(path)) == repr(program)


def test_values_called_like_what_is_skipped(tmp_path: Path) -> None:
    # "metadata" is also the key of what the reader passes over.
    from tests.export.archives import rewrite_program

    def rename(program: dict[str, Any]) -> None:
        graph = program["graph_module"]["graph"]
        name = graph["inputs"][-1]["as_tensor"]["name"]
        graph["inputs"][-1]["as_tensor"]["name"] = "metadata"
        graph["tensor_values"]["metadata"] = graph["tensor_values"].pop(name)
        spec = program["graph_module"]["signature"]["input_specs"][-1]
        spec["user_input"]["arg"]["as_tensor"]["name"] = "metadata"
        for node in graph["nodes"]:
            for given in node["inputs"]:
                if given["arg"].get("as_tensor") == {"name": name}:
                    given["arg"]["as_tensor"]["name"] = "metadata"

    source = rewrite_program(fixtures.path_of("linear"), tmp_path / "renamed.pt2", rename)
    program = export.load(source)
    assert program.graph_signature.user_inputs == ("metadata",)
    export.save(program, tmp_path / "again.pt2")
    assert repr(export.load(tmp_path / "again.pt2")) == repr(program)
