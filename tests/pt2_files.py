"""A plain view of a ``.pt2`` archive for tests: its JSON and its weights, by zipfile and NumPy."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DTYPES = {1: "u1", 2: "i1", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<f2", 7: "<f4", 8: "<f8", 12: "?"}


@dataclass(frozen=True)
class Archive:
    """The parts of an archive that tests look at; names without the enclosing folder."""

    entries: dict[str, bytes]
    stored: bool

    @property
    def program(self) -> dict[str, Any]:
        """The model's JSON."""
        return self._json("models/model.json")

    @property
    def signature(self) -> dict[str, Any]:
        """What the graph's inputs and outputs stand for."""
        signature: dict[str, Any] = self.program["graph_module"]["signature"]
        return signature

    @property
    def weights_config(self) -> dict[str, Any]:
        """Parameters and persistent buffers: name to path and metadata."""
        config: dict[str, Any] = self._json("data/weights/model_weights_config.json")["config"]
        return config

    @property
    def constants_config(self) -> dict[str, Any]:
        """Lifted tensors and non-persistent buffers, in the same form."""
        config: dict[str, Any] = self._json("data/constants/model_constants_config.json")["config"]
        return config

    def targets(self) -> set[str]:
        """The operators that the graph's nodes call."""
        return {node["target"] for node in self.program["graph_module"]["graph"]["nodes"]}

    def user_inputs(self) -> dict[str, str]:
        """Name and kind of each user input: ``as_tensor``, ``as_sym_int`` or ``constant``."""
        found: dict[str, str] = {}
        for spec in self.signature["input_specs"]:
            if "user_input" in spec:
                ((kind, arg),) = spec["user_input"]["arg"].items()
                found[arg.get("name", arg.get("as_name"))] = kind
            elif "constant_input" in spec:
                found[spec["constant_input"]["name"]] = "constant"
        return found

    def weight(self, name: str) -> npt.NDArray[Any]:
        """Read a contiguous weight."""
        config = self.weights_config[name]
        meta = config["tensor_meta"]
        raw = np.frombuffer(
            self.entries[f"data/weights/{config['path_name']}"], DTYPES[meta["dtype"]]
        )
        return raw.reshape([size["as_int"] for size in meta["sizes"]])

    def _json(self, entry: str) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.entries[entry])
        return parsed


def read(path: Path) -> Archive:
    """Read every entry of an archive."""
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        entries = {info.filename.split("/", 1)[1]: archive.read(info) for info in infos}
    return Archive(entries, all(info.compress_type == zipfile.ZIP_STORED for info in infos))
