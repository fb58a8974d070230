"""Packages that PyTorch made, read where PyTorch is not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight
from rushlight.package import PackageExporter, PackageImporter, sys_importer

DATA = Path(__file__).parents[1] / "data" / "package"


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.parametrize("resource", ["square.pkl", "protocol4.pkl"])
def test_plain(resource: str) -> None:
    importer = PackageImporter(DATA / "plain.pt")
    square = importer.load_pickle("objects", resource)
    assert square.area() == 18
    assert square.extra[0] is square
    assert square.extra[1] == {"numbers": (1, 2.5, None, "é")}
    assert square.kind is importer.import_module("shapes.square").Kind.EMPTY
    assert importer.import_module("shapes.square").name_of("a/b") == "b"
    assert importer.load_text("objects", "note.txt") == "é"
    assert importer.load_binary("objects", "bytes.bin") == b"\x00\xff"
    assert importer.python_version() is not None


def test_mocked() -> None:
    module = PackageImporter(DATA / "mocked.pt").import_module("shapes.square")
    with pytest.raises(NotImplementedError, match="mocked"):
        module.Square(1.0).area()


def test_packaged_again() -> None:
    importer = PackageImporter(DATA / "plain.pt")
    square = importer.load_pickle("objects", "square.pkl")
    with PackageExporter(file := io.BytesIO(), importer=[importer, sys_importer]) as exporter:
        exporter.intern("shapes.**")
        exporter.save_pickle("objects", "square.pkl", square)
    assert PackageImporter(file).load_pickle("objects", "square.pkl").area() == 18


def test_tensors_become_ours() -> None:
    loaded = PackageImporter(DATA / "tensors.pt").load_pickle("objects", "tensors.pkl")
    base = loaded["base"]
    assert type(base) is rushlight.Tensor
    np.testing.assert_array_equal(base.numpy(), np.arange(12, dtype=np.float32).reshape(3, 4))
    assert loaded["row"].tolist() == [4, 5, 6, 7]
    assert loaded["transposed"].stride() == (1, 4)
    assert loaded["row"].untyped_storage() == base.untyped_storage()
    assert loaded["parameter"].tolist() == [1, 1]
    assert loaded["bfloat16"].dtype is rushlight.bfloat16
    assert loaded["bool"].tolist() == [True, False]
    assert loaded["complex"].tolist() == [1 + 2j]
    assert loaded["empty"].shape == (0, 3)
    assert loaded["dtype"] is rushlight.int16
    assert loaded["size"] == (3, 4)


def test_what_needs_pytorch_says_so() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_binary("objects", "a.pkl", b"\x80\x03ctorch.nn.modules.linear\nLinear\n.")
    with pytest.raises(ModuleNotFoundError, match=r"Linear, and PyTorch is not installed"):
        PackageImporter(file).load_pickle("objects", "a.pkl")
