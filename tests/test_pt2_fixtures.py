"""The committed ``.pt2`` fixtures are whole and show the features that they stand for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pt2_files import Archive, read

FIXTURES = Path(__file__).parent / "data" / "pt2"
NAMES = sorted(path.name.split(".")[0] for path in FIXTURES.glob("*.npz"))
FORMS = {"exported": "TRAINING", "decomposed": "ATEN"}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Each fixture's name in turn."""
    return str(request.param)


@pytest.mark.parametrize("form", FORMS)
def test_archive_is_one_that_torch_2_13_wrote(name: str, form: str) -> None:
    path = FIXTURES / f"{name}.{form}.pt2"
    archive = read(path)
    assert archive.stored
    assert archive.entries["archive_format"] == b"pt2"
    assert archive.program["schema_version"]["major"] == 8
    assert archive.program["torch_version"].startswith("2.13.0")
    assert archive.program["verifiers"] == [FORMS[form]]
    assert path.stat().st_size <= 48 * 1024
    assert b".py" not in path.read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_record_fits_the_program(name: str, form: str) -> None:
    archive = read(FIXTURES / f"{name}.{form}.pt2")
    info = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    outputs = [
        spec["user_output"] for spec in archive.signature["output_specs"] if "user_output" in spec
    ]
    with np.load(FIXTURES / f"{name}.npz") as arrays:
        assert set(info["dtypes"]) == set(arrays)
        for k in range(info["calls"]):
            kinds = archive.user_inputs()
            tensors = {key for key, kind in kinds.items() if kind == "as_tensor"}
            assert {f"in{k}.{key}" for key in tensors} == {
                key for key in arrays if key.startswith(f"in{k}.")
            }
            assert set(info["literals"][k]) == set(kinds) - tensors
            for i, output in enumerate(outputs):
                assert (f"out{k}.{i}" in arrays) == ("as_none" not in output["arg"])
            assert f"out{k}.{len(outputs)}" not in arrays
        for key, dtype in info["dtypes"].items():
            stored = {"bfloat16": "float32", "int": "int64"}.get(dtype, dtype)
            assert arrays[key].dtype.name == stored


def sizes_differ(name: str) -> bool:
    """Tell whether some input of the second call has another shape than in the first."""
    with np.load(FIXTURES / f"{name}.npz") as arrays:
        keys = [key for key in arrays if key.startswith("in0.")]
        return any(arrays[key].shape != arrays["in1" + key[3:]].shape for key in keys)


@pytest.mark.parametrize("name", ["tied_weights", "nested_inputs", "bf16_mlp", "symbolic_sizes"])
def test_dynamic_dimensions_are_used(name: str) -> None:
    assert read(FIXTURES / f"{name}.exported.pt2").program["range_constraints"]
    assert sizes_differ(name)


def shares_a_storage(archive: Archive) -> bool:
    config = archive.weights_config
    turn, shift = (config[key]["tensor_meta"] for key in ("turn", "shift"))
    tied = config["embed.weight"]["path_name"] == config["head.weight"]["path_name"]
    strided = [stride["as_int"] for stride in turn["strides"]] == [1, 10]
    return tied and strided and shift["storage_offset"]["as_int"] == 8


def has_a_derived_dimension(archive: Archive) -> bool:
    return any(key.startswith("2*s") for key in archive.program["range_constraints"])


def mutates(kind: str, count: int) -> Callable[[Archive], bool]:
    def check(archive: Archive) -> bool:
        return sum(kind in spec for spec in archive.signature["output_specs"]) == count

    return check


def calls(*targets: str) -> Callable[[Archive], bool]:
    return lambda archive: {f"torch.ops.aten.{target}" for target in targets} <= archive.targets()


def dtypes(*numbers: int) -> Callable[[Archive], bool]:
    def check(archive: Archive) -> bool:
        values: dict[str, Any] = archive.program["graph_module"]["graph"]["tensor_values"]
        return set(numbers) <= {value["dtype"] for value in values.values()}

    return check


SHOWN: list[tuple[str, Callable[[Archive], bool]]] = [
    ("tied_weights.exported", shares_a_storage),
    ("counter.exported", calls("add_.Tensor", "mul_.Tensor")),
    ("counter.decomposed", mutates("buffer_mutation", 2)),
    ("kv_cache.exported", calls("index_copy_.default")),
    ("kv_cache.decomposed", mutates("buffer_mutation", 2)),
    ("input_mutation.exported", calls("add_.Tensor")),
    ("input_mutation.decomposed", mutates("user_input_mutation", 1)),
    ("inplace_slices.exported", calls("slice.Tensor", "mul_.Tensor", "fill_.Tensor")),
    ("inplace_views.exported", calls("diagonal.default", "copy_.default", "relu_.default")),
    ("inplace_views.decomposed", calls("diagonal_scatter.default")),
    ("bf16_mlp.exported", dtypes(13, 7)),
    ("int_bool.exported", dtypes(1, 4, 5, 12)),
    ("lifted_constants.exported", lambda archive: len(archive.constants_config) == 4),
    ("symbolic_sizes.exported", has_a_derived_dimension),
    ("scalar_inputs.exported", lambda archive: archive.user_inputs()["count"] == "as_sym_int"),
    ("nested_inputs.exported", lambda archive: archive.user_inputs()["pair_1"] == "constant"),
]


@pytest.mark.parametrize(("file", "shows"), SHOWN, ids=[file for file, _ in SHOWN])
def test_fixture_shows_its_feature(file: str, shows: Callable[[Archive], bool]) -> None:
    assert shows(read(FIXTURES / f"{file}.pt2"))
