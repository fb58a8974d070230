"""``rushlight.export.load``: what it opens, and that ``module()`` gives PyTorch's numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import export
from rushlight.export import InputKind
from tests import fixture_calls as fixtures
from tests.export.archives import rewrite_program
from tests.pt2_files import read

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.pt2"


@pytest.fixture(params=[(n, f) for n in fixtures.NAMES for f in fixtures.FORMS], ids=".".join)
def fixture(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Each fixture in both forms."""
    name, form = request.param
    return str(name), str(form)


def nested(program: export.ExportedProgram, flat: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for the flat inputs; only ``nested_inputs`` has any nesting."""
    if program.calling_convention.argument_names == ["batch", "pair", "scale", "bias", "flip"]:
        x, mask, first, second, scale, bias, flip = flat
        args = [{"x": x, "mask": mask}, (first, second)]
        return args, {"flip": flip, "bias": bias, "scale": scale}
    return list(flat), {}


def leaves(result: Any) -> list[Any]:
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def test_module_gives_pytorchs_numbers(fixture: tuple[str, str]) -> None:
    name, form = fixture
    program = export.load(fixtures.path_of(name, form))
    module = program.module()
    for call in range(fixtures.number_of_calls(name)):
        args, kwargs = nested(program, fixtures.flat_inputs(name, call, form))
        results = leaves(module(*args, **kwargs))
        expected = fixtures.flat_outputs(name, call)
        assert len(results) == len(expected)
        for result, wanted in zip(results, expected, strict=True):
            fixtures.check(result, wanted)


def test_weights_are_those_of_the_file(fixture: tuple[str, str]) -> None:
    path = fixtures.path_of(*fixture)
    archive = read(Path(path))
    program = export.load(path)
    state = program.state_dict
    assert set(state) <= set(archive.weights_config)
    assert set(program.constants) <= set(archive.constants_config)
    for name, tensor in state.items():
        meta = archive.weights_config[name]["tensor_meta"]
        assert tensor.shape == tuple(size["as_int"] for size in meta["sizes"])
        if tensor.is_contiguous() and tensor.dtype is rushlight.float32:
            offset = meta["storage_offset"]["as_int"]
            raw = archive.entries[f"data/weights/{archive.weights_config[name]['path_name']}"]
            flat = np.frombuffer(raw, "f4")[offset : offset + tensor.numel()]
            assert np.array_equal(np.asarray(tensor).ravel(), flat)


def test_signature_is_that_of_the_file(fixture: tuple[str, str]) -> None:
    path = fixtures.path_of(*fixture)
    archive = read(Path(path))
    signature = export.load(path).graph_signature
    user = [s.arg.name for s in signature.input_specs if s.kind is InputKind.USER_INPUT]
    assert user == list(archive.user_inputs())
    specs = archive.signature["input_specs"]
    named = [next(iter(s.items())) for s in specs]
    assert list(signature.parameters) == [
        body["parameter_name"] for kind, body in named if kind == "parameter"
    ]
    assert list(signature.buffers) == [
        body["buffer_name"] for kind, body in named if kind == "buffer"
    ]
    outputs = [s for s in archive.signature["output_specs"] if "user_output" in s]
    assert len(signature.user_outputs) == len(outputs)


def test_graph_is_readable_and_whole(fixture: tuple[str, str]) -> None:
    graph = export.load(fixtures.path_of(*fixture)).graph
    text = str(graph)
    assert text.startswith("graph(%")
    assert text.splitlines()[-1].startswith("    return (%")
    known = {v.name for v in graph.inputs}
    for node in graph.nodes:
        assert node.target in text
        assert {v.name for v in node.all_input_values()} <= known
        for output in leaves(list(node.outputs)):
            known.update([output.name] if output is not None else [])
    assert {v.name for v in graph.outputs} <= known
    assert sum(graph.operators().values()) == len(list(graph.all_nodes()))
    assert graph.missing_operators() == {}


def test_buffers_of_a_module_are_its_own() -> None:
    program = export.load(fixtures.path_of("counter"))
    one, two = program.module(), program.module()
    (x,) = fixtures.flat_inputs("counter", 0)
    first = [np.asarray(v) for v in one(x)]
    again = [np.asarray(v) for v in two(x)]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert one.state_dict()["calls"].item() == program.state_dict["calls"].item() + 1


def test_written_buffers_are_in_the_signature() -> None:
    for form in fixtures.FORMS:
        signature = export.load(fixtures.path_of("counter", form)).graph_signature
        assert sorted(signature.buffers_to_mutate.values()) == ["calls", "mean"]


def test_range_constraints() -> None:
    ranges = export.load(fixtures.path_of("symbolic_sizes")).range_constraints
    assert ranges["s77"] == (2, 20)
    assert ranges["2*s44"] == (4, 40)
    open_ended = export.load(fixtures.path_of("scalar_inputs")).range_constraints
    assert open_ended["s24"] == (2, math.inf)


def test_opens_files_in_memory() -> None:
    program = export.load(io.BytesIO(DIGITS.read_bytes()))
    images = np.zeros((2, 1, 8, 8), np.float32)
    same = export.load(DIGITS).module()(images)
    assert np.array_equal(np.asarray(program.module()(images=images)), np.asarray(same))


def test_wrong_file_arguments(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="expected a path or a file, got int"):
        export.load(3)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="absent"):
        export.load(tmp_path / "absent.pt2")


def test_missing_operators_are_one_error(tmp_path: Path) -> None:
    def change(program: dict[str, Any]) -> None:
        for node in program["graph_module"]["graph"]["nodes"][:2]:
            node["target"] = f"torch.ops.aten.{node['target'].split('.')[3]}.nonsense"

    path = rewrite_program(fixtures.path_of("int_bool"), tmp_path / "x.pt2", change)
    with pytest.raises(NotImplementedError) as caught:
        export.load(path)
    assert str(caught.value).count(".nonsense") == 2


BROKEN_SPECS: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("not JSON", lambda s: s.update(in_spec="["), "in_spec: not JSON"),
    ("no pair", lambda s: s.update(in_spec="[1, 2, 3]"), "in_spec: expected .1, tree."),
    ("other protocol", lambda s: s.update(out_spec="[2, {}]"), "out_spec: expected .1, tree."),
    (
        "leaves",
        lambda s: s.update(out_spec=s["in_spec"].replace("builtins.dict", "builtins.tuple")),
        "out_spec: it has 1 leaves, but the signature has 11",
    ),
]


@pytest.mark.parametrize(("change", "message"), [c[1:] for c in BROKEN_SPECS])
def test_broken_calling_conventions(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    def apply(program: dict[str, Any]) -> None:
        change(program["graph_module"]["module_call_graph"][0]["signature"])

    path = rewrite_program(fixtures.path_of("multi_output"), tmp_path / "x.pt2", apply)
    with pytest.raises(ValueError, match=message):
        export.load(path)
