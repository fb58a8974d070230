"""`rushlight.package` beside ``torch.package``: the same names, and files that both open."""

from __future__ import annotations

import importlib
import inspect
import io
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.package as theirs
import torch.package.analyze

import rushlight
import rushlight.package as ours
import rushlight.package.analyze
from tests.package.packages import save_sources

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:TypedStorage is deprecated:UserWarning"),
    pytest.mark.filterwarnings("ignore:The given buffer is not writable:UserWarning"),
]

SOURCES = Path(__file__).parents[1] / "data" / "package" / "sources"


@pytest.fixture(autouse=True)
def _sources(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(SOURCES))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "shapes"]:
        del sys.modules[name]


def public(module: Any) -> list[str]:
    return [
        name
        for name in dir(module)
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    ]


@pytest.mark.parametrize(
    ("mine", "other"), [(ours, theirs), (rushlight.package.analyze, torch.package.analyze)]
)
def test_all_public_names_and_parameters(mine: Any, other: Any) -> None:
    missing = [name for name in public(other) if not hasattr(mine, name)]
    assert missing == []
    problems = []
    for name in public(other):
        their, our = getattr(other, name), getattr(mine, name)
        pairs = [(name, their, our)] if callable(their) else []
        if inspect.isclass(their):
            methods = [m for m in vars(their) if not m.startswith("_")]
            problems += [f"{name}.{m}" for m in methods if not hasattr(our, m)]
            pairs += [
                (f"{name}.{m}", getattr(their, m), getattr(our, m))
                for m in methods
                if callable(getattr(their, m)) and hasattr(our, m)
            ]
        for label, a, b in pairs:
            try:
                wanted, got = inspect.signature(a), inspect.signature(b)
            except (TypeError, ValueError):
                continue
            problems += [f"{label}({parameter})" for parameter in different_parameters(wanted, got)]
    assert problems == []


def different_parameters(wanted: inspect.Signature, got: inspect.Signature) -> Iterator[str]:
    """Parameters that calls written for PyTorch could not use; ours may have more keywords."""
    for position, (name, parameter) in enumerate(wanted.parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        mine = got.parameters.get(name)
        if (
            mine is None
            or mine.kind is not parameter.kind
            or (
                parameter.kind is not parameter.KEYWORD_ONLY
                and list(got.parameters)[position] != name
            )
        ):
            yield name
        if mine is not None and (mine.default is mine.empty) != (
            parameter.default is parameter.empty
        ):
            yield f"{name}: default"
    for name, parameter in got.parameters.items():
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        optional = variadic or parameter.default is not parameter.empty
        if name not in wanted.parameters and not optional:
            yield f"{name}: demanded"


PAIRS = [(ours, theirs), (theirs, ours), (ours, ours)]


@pytest.mark.parametrize(("writer", "reader"), PAIRS, ids=["to_torch", "from_torch", "ours"])
@pytest.mark.parametrize("protocol", [3, 4])
def test_code_objects_and_data(writer: Any, reader: Any, protocol: int) -> None:
    square = importlib.import_module("shapes.square")
    obj = [square.Square(3.0), square.Kind.EMPTY, square.name_of]
    file = io.BytesIO()
    with writer.PackageExporter(file) as exporter:
        exporter.intern("shapes.**")
        exporter.save_module("shapes")
        exporter.save_pickle("objects", "a.pkl", obj, pickle_protocol=protocol)
        exporter.save_text("objects", "a.txt", "é")
        exporter.save_source_string("main", "import shapes\nimport json\nx = shapes.Square(1.0)")
        assert "json" in exporter.externed_modules()
    file.seek(0)
    importer = reader.PackageImporter(file)
    loaded, kind, name_of = importer.load_pickle("objects", "a.pkl")
    assert loaded.area() == 18
    assert kind is importer.import_module("shapes.square").Kind.EMPTY
    assert name_of("x/y") == "y"
    assert importer.load_text("objects", "a.txt") == "é"
    assert importer.import_module("main").x.area() == 2
    assert importer.file_structure().has_file("shapes/square.py")
    assert reader.is_from_package(loaded)


@pytest.mark.parametrize(("writer", "reader"), PAIRS, ids=["to_torch", "from_torch", "ours"])
def test_mocks(writer: Any, reader: Any) -> None:
    file = io.BytesIO()
    with writer.PackageExporter(file) as exporter:
        exporter.mock("shapes.units")
        exporter.intern("shapes.**")
        exporter.save_module("shapes.square")
        assert exporter.mocked_modules() == ["shapes.units"]
    file.seek(0)
    module = reader.PackageImporter(file).import_module("shapes.square")
    with pytest.raises(NotImplementedError):
        module.Square(1.0).area()


def test_same_graph_of_modules() -> None:
    results = []
    for library in (ours, theirs):
        exporter = library.PackageExporter(io.BytesIO())
        exporter.intern("shapes.**")
        exporter.save_module("shapes")
        results.append(
            (exporter.interned_modules(), exporter.externed_modules(), exporter.denied_modules(),
             exporter.get_rdeps("shapes.units"))
        )  # fmt: skip
        exporter.close()
    assert results[0] == results[1]


@pytest.mark.parametrize(("writer", "reader"), PAIRS, ids=["to_torch", "from_torch", "ours"])
def test_pytorch_tensors_are_shared(writer: Any, reader: Any) -> None:
    base = torch.arange(12.0).reshape(3, 4)
    obj = {
        "base": base, "row": base[1], "parameter": torch.nn.Parameter(base[0]),
        "uint16": torch.tensor([0, 1, 2, 3], dtype=torch.uint16), "empty": torch.empty(0),
        "float8": torch.ones(3).to(torch.float8_e4m3fn),
        "sparse": torch.eye(3).to_sparse(), "storage": base.untyped_storage(),
    }  # fmt: skip
    file = io.BytesIO()
    with writer.PackageExporter(file) as exporter:
        exporter.save_pickle("objects", "a.pkl", obj)
    file.seek(0)
    loaded = reader.PackageImporter(file).load_pickle("objects", "a.pkl")
    torch.testing.assert_close(loaded["base"], base)
    assert type(loaded["parameter"]) is torch.nn.Parameter
    loaded["base"][1, 0] = 99
    assert loaded["row"][0] == 99
    assert loaded["uint16"].tolist() == [0, 1, 2, 3]
    assert loaded["float8"].dtype is torch.float8_e4m3fn
    torch.testing.assert_close(loaded["sparse"].to_dense(), torch.eye(3))
    assert loaded["empty"].shape == (0,)


def test_our_tensors_become_pytorchs() -> None:
    base = rushlight.Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    row = rushlight._C.rebuild_tensor(base.untyped_storage(), rushlight.float32, 4, [4], [1])
    array = np.arange(6).reshape(2, 3)
    file = io.BytesIO()
    with ours.PackageExporter(file) as exporter:
        exporter.save_pickle("objects", "a.pkl", [base, row, array, array[1]])
    file.seek(0)
    loaded = theirs.PackageImporter(file).load_pickle("objects", "a.pkl")
    assert type(loaded[0]) is torch.Tensor
    np.testing.assert_array_equal(loaded[0].numpy(), base.numpy())
    loaded[0][1, 0] = 99
    assert loaded[1].tolist() == [99, 5, 6, 7]
    np.testing.assert_array_equal(loaded[2], array)
    assert np.shares_memory(loaded[2], loaded[3])


def test_both_libraries_tensors_in_one_pickle() -> None:
    obj = [rushlight.Tensor(np.ones(2, np.float32)), torch.ones(2)]
    with ours.PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_pickle("objects", "a.pkl", obj)
    mine, other = ours.PackageImporter(file).load_pickle("objects", "a.pkl")
    assert type(mine) is rushlight.Tensor
    assert type(other) is torch.Tensor


@pytest.mark.parametrize(("writer", "reader"), PAIRS, ids=["to_torch", "from_torch", "ours"])
def test_modules_of_pytorch_and_graph_modules(writer: Any, reader: Any) -> None:
    class_source = {
        "net": """
            import torch

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = torch.nn.Linear(3, 2)

                def forward(self, x):
                    return torch.relu(self.linear(x))
        """
    }
    with ours.PackageExporter(first := io.BytesIO()) as exporter:
        save_sources(exporter, class_source)  # type: ignore[arg-type]
    net = ours.PackageImporter(first).import_module("net").Net()
    traced = torch.fx.symbolic_trace(net)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with writer.PackageExporter(file) as exporter:
            exporter.extern("sys")
            exporter.save_pickle("objects", "a.pkl", traced)
    file.seek(0)
    loaded = reader.PackageImporter(file).load_pickle("objects", "a.pkl")
    x = torch.randn(4, 3)
    torch.testing.assert_close(loaded(x), net(x))


def test_map_location() -> None:
    with ours.PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_pickle("objects", "a.pkl", torch.ones(2))
    importer = ours.PackageImporter(file)
    for place in ("cpu", torch.device("cpu"), {"cpu": "cpu"}, lambda storage, location: storage):
        assert importer.load_pickle("objects", "a.pkl", map_location=place).tolist() == [1, 1]
    meta = importer.load_pickle("objects", "a.pkl", map_location="meta")
    assert meta.device.type == "meta"
