"""Writes the seed corpora: small valid files of every kind that the readers take.

Usage: make_seeds.py DIRECTORY
"""

from __future__ import annotations

import io
import json
import pickle
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).parents[2]

DOCUMENTS = [
    None,
    [True, False, 0, -1, 2**63 - 1, -(2**63), 2**64, 0.5, 1e300, -1e-300],
    {"a": [], "b": {}, "c": 'caf\u00e9 \U0001f600 " \\ \n', "": [[[[[[1]]]]]]},
    {"nodes": [{"target": "aten.add.Tensor", "metadata": {"stack_trace": 'File "x", } ]'}}]},
    {f"key{i}": i for i in range(40)},
]


def zip_of(entries: dict[str, bytes], method: int, streamed: bool, comment: bytes = b"") -> bytes:
    """An archive; `streamed` gives data descriptors, as for an output that cannot seek."""

    class Unseekable(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *args: int) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    out = Unseekable() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.comment = comment
        for name, data in entries.items():
            with archive.open(name, "w", force_zip64=len(name) % 2 == 0) as entry:
                entry.write(data)
    return out.getvalue()


def without_metadata(value: Any) -> Any:
    """The same JSON without what the loader skips."""
    if isinstance(value, dict):
        return {k: without_metadata(v) for k, v in value.items() if k not in ("metadata", "hint")}
    return [without_metadata(v) for v in value] if isinstance(value, list) else value


def program_seeds(directory: Path) -> None:
    """Each fixture as an archive, and as its JSON files with zero bytes between."""
    for path in (REPOSITORY / "tests/data/pt2").glob("*.pt2"):
        shutil.copy(path, directory)
        with zipfile.ZipFile(path) as archive:
            folder = archive.namelist()[0].split("/")[0]
            parts = []
            for name in (
                "models/model",
                "data/weights/model_weights_config",
                "data/constants/model_constants_config",
            ):
                document = json.loads(archive.read(f"{folder}/{name}.json"))
                parts.append(json.dumps(without_metadata(document), separators=(",", ":")))
        (directory / f"{path.stem}.json").write_text("\0".join(parts), encoding="utf-8")


def pickle_seeds(directory: Path) -> None:
    """Each `.pt` fixture, the pickle in it, and what the pickles of all protocols look like."""
    for path in (REPOSITORY / "tests/data/pt").glob("*.pt"):
        shutil.copy(path, directory)
        if zipfile.is_zipfile(path) and path.stem not in ("no_checksums", "torchscript"):
            with zipfile.ZipFile(path) as archive:
                pickled = archive.read(f"{archive.namelist()[0].split('/')[0]}/data.pkl")
            (directory / f"{path.stem}.pkl").write_bytes(pickled)
    value = [
        {"a": (1, -2.5, "x", b"y", None, True)},
        {1, 2},
        frozenset("z"),
        2**70,
        bytearray(b"w"),
    ]
    for protocol in range(6):
        (directory / f"protocol_{protocol}.pkl").write_bytes(pickle.dumps(value, protocol))


def main(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    for kind in ("zip", "json", "npy", "pickle", "program"):
        (directory / kind).mkdir(parents=True)
    for i, document in enumerate(DOCUMENTS):
        for ascii_only in (True, False):
            text = json.dumps(document, ensure_ascii=ascii_only, indent=1 if ascii_only else None)
            (directory / "json" / f"{i}-{ascii_only}.json").write_text(text, encoding="utf-8")

    program_seeds(directory / "program")
    pickle_seeds(directory / "pickle")
    entries = {
        "m/version": b"3\n",
        "m/models/model.json": json.dumps(DOCUMENTS[3]).encode(),
        "m/data/weights/weight_0": bytes(64),
        "m/data/weights/weight_01": b"",
    }
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for streamed in (False, True):
            data = zip_of(entries, method, streamed, b"comment" if streamed else b"")
            (directory / "zip" / f"{method}-{streamed}.zip").write_bytes(data)
    for fixture in (REPOSITORY / "tests/data/npy").glob("*.np[yz]"):
        shutil.copy(fixture, directory / "npy")
    x, y = np.arange(3.0), np.zeros((0, 2), bool)
    np.savez(directory / "npy" / "small.npz", x=x, y=y)
    np.savez_compressed(directory / "npy" / "deflated.npz", x=x, y=y)
    for name in ("small.npz", "deflated.npz"):
        shutil.copy(directory / "npy" / name, directory / "zip")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
