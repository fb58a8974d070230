"""Archives as older PyTorch wrote them, made from today's: the same program in another layout."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import rushlight
from rushlight import export
from tests.pt2_files import read


def _torch_file(tensors: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    rushlight.save(tensors, file)
    return file.getvalue()


def _older_program(program: dict[str, Any], minor: int) -> str:
    """Schema 8.`minor`: what later versions added is not there."""
    program["schema_version"] = {"major": 8, "minor": minor}
    for key in ("guards_code", "torch_version"):
        program.pop(key, None)
    module = program["graph_module"]
    module.pop("treespec_namedtuple_fields", None)
    module["graph"].pop("sym_float_values", None)
    for node in module["graph"]["nodes"]:
        node.pop("name", None)
        node.pop("is_hop_single_tensor_return", None)
        for given in node["inputs"]:
            given.pop("kind", None)
    return json.dumps(program)


def write_2_6(source: Path, target: Path) -> None:
    """PyTorch 2.6 and 2.7: four entries without a folder, weights as a ``.pt`` file."""
    opened, archive = export.load(source), read(source)
    with zipfile.ZipFile(target, "w") as new:
        new.writestr("version", "8.3")
        new.writestr("serialized_exported_program.json", _older_program(archive.program, 3))
        new.writestr("serialized_state_dict.pt", _torch_file(opened.state_dict))
        constants = _torch_file(opened.constants) if opened.constants else b""
        new.writestr("serialized_constants.pt", constants)
        inputs = archive.entries["data/sample_inputs/model.pt"]
        new.writestr("serialized_example_inputs.pt", inputs)
        new.writestr("extra_files/notes.txt", "an extra file")


def write_2_8(source: Path, target: Path) -> None:
    """PyTorch 2.8: today's archive, but each folder of tensors is one ``.pt`` file."""
    opened = export.load(source)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            folder, _, name = entry.partition("/")
            if name == "models/model.json":
                new.writestr(entry, _older_program(json.loads(old.read(entry)), 8))
            elif not name.startswith(("data/weights/", "data/constants/")):
                new.writestr(entry, old.read(entry))
        new.writestr(f"{folder}/data/weights/model.pt", _torch_file(opened.state_dict))
        new.writestr(f"{folder}/data/constants/model.pt", _torch_file(opened.constants))
