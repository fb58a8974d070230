"""Damaged and malicious ``.pt2`` files: each gives one clear error, none a crash or a hang."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight.export
import rushlight.nativert

FIXTURES = Path(__file__).parent / "data" / "pt2"
LINEAR = FIXTURES / "linear.exported.pt2"
MODEL = "models/model.json"
WEIGHTS = "data/weights/model_weights_config.json"
ERRORS = (RuntimeError, ValueError, TypeError, NotImplementedError)

Entries = dict[str, bytes]
Json = Any


def entries_of(path: Path) -> Entries:
    """The archive's entries, without the enclosing folder."""
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def write(path: Path, entries: Entries, method: int = zipfile.ZIP_STORED) -> Path:
    """Writes an archive with correct checksums."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(f"m/{name}", data)
    return path


def changed(path: Path, change: Callable[[Json], object], entry: str = MODEL) -> Path:
    """A copy of the linear program with one JSON file changed in place."""
    entries = entries_of(LINEAR)
    document = json.loads(entries[entry])
    change(document)
    entries[entry] = json.dumps(document).encode()
    return write(path, entries)


def graph(document: Json) -> Json:
    """The graph in a model's JSON."""
    return document["graph_module"]["graph"]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where a test writes its file."""
    return tmp_path / "bad.pt2"


def check_text(error: BaseException) -> None:
    """An error is about the file, not about rushlight."""
    assert str(error)
    assert "internal error" not in str(error)


def refused(path: Path, part: str) -> str:
    """Loads the file, expects an error that contains ``part``, returns its text."""
    with pytest.raises(ERRORS) as caught:
        rushlight.nativert.ModelRunner(str(path))
    assert part in str(caught.value)
    check_text(caught.value)
    return str(caught.value)


def test_unchanged_copy_loads(target: Path) -> None:
    rushlight.nativert.ModelRunner(str(changed(target, lambda document: None)))


@pytest.mark.parametrize("name", ["linear", "kv_cache", "tied_weights"])
def test_truncated_file(name: str, target: Path) -> None:
    data = (FIXTURES / f"{name}.exported.pt2").read_bytes()
    for size in [*range(0, 200, 7), *range(200, len(data), max(1, len(data) // 150))]:
        target.write_bytes(data[:size])
        refused(target, "bad.pt2")


def test_damaged_bytes_never_crash(target: Path) -> None:
    data = LINEAR.read_bytes()
    source = random.Random(5)
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(source.randint(1, 8)):
            damaged[source.randrange(len(damaged))] = source.randrange(256)
        target.write_bytes(damaged)
        try:
            rushlight.nativert.ModelRunner(str(target))
        except ERRORS as error:
            assert "bad.pt2" in str(error)
            check_text(error)


def test_damaged_directory_never_crashes(target: Path) -> None:
    data = LINEAR.read_bytes()
    start = data.index(b"PK\x01\x02")
    for at in range(start, len(data), 3):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        target.write_bytes(damaged)
        try:
            rushlight.nativert.ModelRunner(str(target))
        except ERRORS as error:
            check_text(error)


def test_directory_that_points_elsewhere(target: Path) -> None:
    data = bytearray(LINEAR.read_bytes())
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        struct.pack_into("<I", data, at + 42, 0xFFFFFFF0)
    target.write_bytes(data)
    refused(target, "bad.pt2")


def test_bomb(target: Path) -> None:
    entries = entries_of(LINEAR)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(f"m/{name}", b" " * (64 << 20) if name == MODEL else data)
    data = bytearray(out.getvalue())
    # Sizes in the directory that promise 5 GiB.
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        if data[at + 46 :].startswith(f"m/{MODEL}".encode()):
            struct.pack_into("<I", data, at + 24, 0xFFFFFFFE)
        at += 4
    target.write_bytes(data)
    refused(target, "models/model.json")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("entry", [MODEL, WEIGHTS])
def test_json_cut_short(entry: str, share: float, target: Path) -> None:
    entries = entries_of(LINEAR)
    entries[entry] = entries[entry][: int(share * len(entries[entry]))]
    refused(write(target, entries), entry.rsplit("/", 1)[1])


def paths_of(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value inside a JSON document, but for metadata and call graphs."""
    found = [path] if path else []
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, member in items:
        if key not in ("metadata", "module_call_graph"):
            found += paths_of(member, (*path, key))
    return found


@pytest.mark.parametrize("entry", [MODEL, WEIGHTS])
@pytest.mark.parametrize(
    "wrong", [None, True, -1, 2**62, 1.5, "x", [], {}, [[]], {"as_int": -1}], ids=repr
)
def test_wrong_types_never_crash(entry: str, wrong: Json, target: Path) -> None:
    original = json.loads(entries_of(LINEAR)[entry])
    for path in paths_of(original):

        def change(document: Json, path: tuple[str | int, ...] = path) -> None:
            for key in path[:-1]:
                document = document[key]
            document[path[-1]] = wrong

        try:
            rushlight.nativert.ModelRunner(str(changed(target, change, entry)))
        except ERRORS as error:
            check_text(error)
        except KeyError as error:  # a field that the message names
            check_text(error)


def set_inputs_of_node(document: Json, name: str) -> None:
    graph(document)["nodes"][0]["inputs"][0]["arg"] = {"as_tensor": {"name": name}}


def test_cycle(target: Path) -> None:
    def change(document: Json) -> None:
        node = graph(document)["nodes"][0]
        set_inputs_of_node(document, node["outputs"][0]["as_tensor"]["name"])

    refused(changed(target, change), "is used before it is defined")


def weight_node(document: Json, target: str, outputs: Json, **inputs: Json) -> None:
    """Puts a node in front that works on the first weight: it is computed while loading."""
    weight = next(i["as_tensor"]["name"] for i in graph(document)["inputs"])
    arguments = [{"name": "self", "arg": {"as_tensor": {"name": weight}}, "kind": 1}]
    arguments += [{"name": k, "arg": v, "kind": 1} for k, v in inputs.items()]
    graph(document)["nodes"].insert(
        0, {"target": target, "inputs": arguments, "outputs": outputs, "metadata": {}}
    )


@pytest.mark.parametrize("outputs", [[], [{"as_optional_tensor": {"as_none": True}}]])
def test_a_number_that_goes_nowhere(outputs: Json, target: Path) -> None:
    def change(document: Json) -> None:
        weight_node(document, "torch.ops.aten.sym_size.int", outputs, dim={"as_int": 0})

    refused(changed(target, change), "has no output")


def test_a_list_with_more_outputs_than_the_operator_gives(target: Path) -> None:
    def change(document: Json) -> None:
        names = [f"part{i}" for i in range(30)]
        values = graph(document)["tensor_values"]
        some = next(iter(values.values()))
        values.update(dict.fromkeys(names, some))
        outputs = [{"as_tensors": [{"name": name} for name in names]}]
        weight_node(document, "torch.ops.aten.split.Tensor", outputs, split_size={"as_int": 1})
        graph(document)["outputs"][0]["as_tensor"]["name"] = "part29"
        spec = document["graph_module"]["signature"]["output_specs"][0]["user_output"]["arg"]
        spec["as_tensor"]["name"] = "part29"

    path = changed(target, change)
    with pytest.raises(ERRORS, match=r"split|outputs") as caught:
        rushlight.nativert.ModelRunner(str(path)).run(np.ones((2, 4), np.float32))
    check_text(caught.value)


def test_a_long_chain_of_views(target: Path) -> None:
    """The end of it is needed after its root was written: no recursion, and no hour of work."""

    def change(document: Json) -> None:
        values = graph(document)["tensor_values"]
        nodes = graph(document)["nodes"]
        last = nodes[-1]["outputs"][0]["as_tensor"]["name"]
        root, chain = last, []

        def node(operator: str, name: str) -> Json:
            nonlocal last
            arg = {"name": "self", "arg": {"as_tensor": {"name": last}}, "kind": 1}
            values[name] = values[root]
            last = name
            return {
                "target": f"torch.ops.aten.{operator}.default",
                "inputs": [arg],
                "outputs": [{"as_tensor": {"name": name}}],
                "metadata": {},
            }

        chain = [node("alias", f"view{i}") for i in range(60_000)]
        end, last = last, root
        chain.append(node("relu_", "written"))
        last = end
        chain.append(node("neg", "result"))
        nodes.extend(chain)
        graph(document)["outputs"][0]["as_tensor"]["name"] = "result"
        spec = document["graph_module"]["signature"]["output_specs"][0]["user_output"]["arg"]
        spec["as_tensor"]["name"] = "result"

    runner = rushlight.nativert.ModelRunner(str(changed(target, change)))
    x = np.ones((2, 4), np.float32)
    plain = np.asarray(rushlight.nativert.ModelRunner(str(LINEAR)).run(x))
    np.testing.assert_array_equal(np.asarray(runner.run(x)), -np.maximum(plain, 0))


def test_use_of_an_unknown_value(target: Path) -> None:
    bad = changed(target, lambda document: set_inputs_of_node(document, "nowhere"))
    refused(bad, "value 'nowhere' is used before it is defined")


def test_value_defined_twice(target: Path) -> None:
    def change(document: Json) -> None:
        graph(document)["nodes"].append(graph(document)["nodes"][0])

    refused(changed(target, change), "is defined twice")


def change_meta(**fields: Json) -> Callable[[Json], None]:
    """Changes the metadata of every stored weight."""

    def change(document: Json) -> None:
        for weight in document["config"].values():
            weight["tensor_meta"].update(fields)

    return change


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"dtype": 99}, "unknown dtype number 99"),
        ({"dtype": 29}, "float8_e4m3fn is not supported"),
        ({"sizes": [{"as_int": 2**62}] * 2}, "tensor_meta"),
        ({"sizes": [{"as_int": -1}] * 2}, "tensor_meta"),
        ({"strides": [{"as_int": 2**62}] * 2}, "tensor_meta"),
        ({"strides": [{"as_int": -4}] * 2}, "tensor_meta"),
        ({"strides": []}, "tensor_meta"),
        ({"storage_offset": {"as_int": 2**62}}, "tensor_meta"),
        ({"storage_offset": {"as_int": -1}}, "tensor_meta"),
        ({"layout": 1}, "layout number 1"),
    ],
    ids=str,
)
def test_bad_tensor_metadata(fields: dict[str, Json], part: str, target: Path) -> None:
    refused(changed(target, change_meta(**fields), WEIGHTS), part)


def test_weights_shorter_than_their_shape(target: Path) -> None:
    entries = entries_of(LINEAR)
    for name in entries:
        if name.startswith("data/weights/weight_"):
            entries[name] = entries[name][:-1]
    refused(write(target, entries), "tensor_meta")


def test_missing_weight(target: Path) -> None:
    entries = {k: v for k, v in entries_of(LINEAR).items() if k != "data/weights/weight_0"}
    refused(write(target, entries), "data/weights/weight_0")


def test_weight_that_the_configuration_lacks(target: Path) -> None:
    bad = changed(target, lambda document: document["config"].clear(), WEIGHTS)
    refused(bad, "no data for '")


def changed_counter(path: Path, **fields: Json) -> Path:
    """The decomposed counter, which writes its buffers, with the second write changed."""
    entries = entries_of(FIXTURES / "counter.decomposed.pt2")
    document = json.loads(entries[MODEL])
    outputs = document["graph_module"]["signature"]["output_specs"]
    outputs[1]["buffer_mutation"].update(fields)
    entries[MODEL] = json.dumps(document).encode()
    return write(path, entries)


def test_buffer_written_with_another_shape(target: Path) -> None:
    bad = changed_counter(target, arg={"name": "sub"})
    runner = rushlight.nativert.ModelRunner(str(bad))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="into 'mean', which is float32\\[6\\]"):
            runner.run(np.zeros((4, 6), np.float32))


def test_buffer_written_that_does_not_exist(target: Path) -> None:
    refused(changed_counter(target, buffer_name="nowhere"), "writes into 'nowhere'")


def test_input_written_with_another_shape(target: Path) -> None:
    """Found by fuzzing: the values of an input that the file does not describe."""
    entries = entries_of(FIXTURES / "input_mutation.decomposed.pt2")
    document = json.loads(entries[MODEL])
    del graph(document)["tensor_values"]["total"]
    entries[MODEL] = json.dumps(document).encode()
    runner = rushlight.nativert.ModelRunner(str(write(target, entries)))
    with pytest.raises((RuntimeError, ValueError)):
        runner.run(np.zeros((), np.float32), np.zeros((3, 4), np.float32))


def test_newer_schema(target: Path) -> None:
    bad = changed(target, lambda document: document["schema_version"].update(major=9))
    refused(bad, "schema version 9.")


def test_newer_minor_schema_and_unknown_fields_are_read(target: Path) -> None:
    def change(document: Json) -> None:
        document["schema_version"]["minor"] = 999
        document["a_field_of_the_future"] = [1]
        graph(document)["another"] = {"x": None}

    rushlight.nativert.ModelRunner(str(changed(target, change)))


def test_unknown_operators_are_listed_in_one_error(target: Path) -> None:
    entries = entries_of(FIXTURES / "kv_cache.exported.pt2")
    document = json.loads(entries[MODEL])
    nodes = graph(document)["nodes"]
    for i, node in enumerate(nodes[:3]):
        node["target"] = f"torch.ops.aten.no_such_thing_{i % 2}.default"
    entries[MODEL] = json.dumps(document).encode()
    message = refused(write(target, entries), "2 operators are not supported")
    assert "aten.no_such_thing_0.default (2 nodes: " in message
    assert "aten.no_such_thing_1.default (1 node: " in message


@pytest.mark.parametrize("entry", ["archive_format", "archive_version", "byteorder"])
def test_another_kind_of_archive(entry: str, target: Path) -> None:
    entries = entries_of(LINEAR)
    entries[entry] = b"other"
    refused(write(target, entries), entry)


def test_archive_without_a_model(target: Path) -> None:
    entries = {k: v for k, v in entries_of(LINEAR).items() if k != MODEL}
    refused(write(target, entries), "the archive has no model")


def test_wrong_inputs_are_named() -> None:
    runner = rushlight.nativert.ModelRunner(str(LINEAR))
    x = np.zeros((2, 4), np.float32)
    runner.run(x)
    with pytest.raises(TypeError, match="takes 1 argument but 2 were given"):
        runner.run(x, x)
    with pytest.raises(TypeError, match="expected dtype float32, got float64"):
        runner.run(x.astype(np.float64))
    with pytest.raises(ValueError, match="dimension 1: expected 4, got 5"):
        runner.run(np.zeros((2, 5), np.float32))
    with pytest.raises(ValueError, match="2 dimensions"):
        runner.run(np.zeros(4, np.float32))
    with pytest.raises(TypeError):
        runner.run("text")
