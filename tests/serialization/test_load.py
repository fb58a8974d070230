"""What PyTorch has written loads without PyTorch. `tests/data/make_pt.py` made the files."""

from __future__ import annotations

import io
import mmap
import os
import pickle
from argparse import Namespace
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import serialization
from rushlight.serialization import Parameter, QuantizedTensor, SparseTensor, StandIn, StoredTensor

from .hostile_pickles import zipped

FILES = Path(__file__).parents[1] / "data" / "pt"
BOTH = pytest.mark.parametrize("suffix", ["", "_legacy"])
SIX = [[0, 1, 2], [3, 4, 5]]


def load(name: str, **options: Any) -> Any:
    return rushlight.load(FILES / f"{name}.pt", **options)


@BOTH
def test_all_dtypes(suffix: str) -> None:
    loaded = load(f"dtypes{suffix}")
    assert len(loaded) == 20
    for name, tensor in loaded.items():
        assert tensor.dtype.name == name
        assert tuple(tensor.shape) == (2, 3)
        expected: Any = SIX
        if name == "bool":
            expected = [[False, True, False], [True, False, True]]
        elif name.startswith("complex"):
            expected = [[complex(x, -x) for x in row] for row in SIX]
        assert tensor.tolist() == expected


@BOTH
def test_containers_parameters_and_sharing(suffix: str) -> None:
    loaded = load(f"nested{suffix}")
    base, view, row = loaded["base"], loaded["view"], loaded["row"]
    assert base is loaded["same"]
    assert view.stride() == (1, 4)
    assert view.tolist()[1] == [5.0, 9.0, 13.0]
    assert base.untyped_storage() == view.untyped_storage() == row.untyped_storage()
    base.numpy()[20] = 100.0
    assert row.tolist() == [100.0, 21.0, 22.0, 23.0]
    assert loaded["expanded"].stride() == (1, 0)
    assert type(loaded["parameter"]) is Parameter
    assert loaded["parameter"].requires_grad
    assert not loaded["frozen"].requires_grad
    assert loaded["empty"].shape == (0, 5)
    assert loaded["scalar"].item() == 2.5
    assert loaded["list"] == [
        1, 2.5, None, True, "wörter", b"\x00\xff", -(10**30), (1,), (), {"k": [()]},
    ]  # fmt: skip
    assert loaded["ordered"] == OrderedDict(b=1, a=2)
    assert list(loaded["ordered"]) == ["b", "a"]
    assert loaded["size"] == (2, 3)
    assert loaded["dtype"] is rushlight.bfloat16
    assert str(loaded["device"]) == "cuda:1"
    assert loaded["set"] == {1, 2}
    assert loaded["complex"] == 1 + 2j


@BOTH
def test_harmless_objects(suffix: str) -> None:
    loaded = load(f"harmless{suffix}")
    assert loaded["float64"] == 0.5
    assert type(loaded["float64"]) is np.float64
    assert type(loaded["int32"]) is np.int32
    assert loaded["array"].dtype == np.dtype(">i2")
    np.testing.assert_array_equal(loaded["array"], SIX)
    assert loaded["fortran"].flags.f_contiguous
    np.testing.assert_array_equal(loaded["fortran"], SIX)
    assert loaded["objects"].tolist() == [1, "x", None]
    assert loaded["record"]["b"].tolist() == [2.5]
    assert loaded["dtype"] == np.float32
    assert loaded["type"] is np.float32
    assert loaded["range"] == range(1, 9, 2)
    assert loaded["slice"] == slice(1, None, 3)
    assert loaded["frozenset"] == frozenset({1, 2})
    assert loaded["path"] == Path("a/b.txt")
    assert loaded["datetime"] == datetime(2024, 5, 6, 7, 8, 9, 10, tzinfo=timezone.utc)
    assert loaded["date"] == date(2024, 5, 6)
    assert loaded["timedelta"] == timedelta(days=1, seconds=2)
    assert loaded["namespace"] == Namespace(lr=0.1, layers=[1, 2])
    assert loaded["counter"] == Counter("aab")
    assert loaded["defaultdict"] == defaultdict(list, {"a": [1]})
    assert loaded["defaultdict"]["new"] == []
    assert loaded["deque"] == deque([1, 2])
    assert loaded["deque"].maxlen == 5
    assert loaded["bytearray"] == bytearray(b"ab")
    assert loaded["builtin"] is int


@BOTH
def test_optimizer_states(suffix: str) -> None:
    loaded = load(f"optimizer{suffix}")
    assert loaded["epoch"] == 3
    assert loaded["optimizer"]["param_groups"][0]["lr"] == 0.25
    state = loaded["optimizer"]["state"][0]
    assert state["step"].item() == 1.0
    np.testing.assert_allclose(state["exp_avg"].numpy(), [0.1, -0.1], rtol=1e-6)


@BOTH
def test_sparse_tensors(suffix: str) -> None:
    dense = np.zeros((4, 4), np.float32)
    dense[0, 1], dense[0, 3], dense[2, 0], dense[3, 2] = 2, 1, 3, 4
    for name, tensor in load(f"sparse{suffix}").items():
        assert type(tensor) is SparseTensor
        if name == "hybrid":
            assert tensor.to_dense().tolist() == [[1, 2], [0, 0], [3, 4]]
            assert tensor.indices().tolist() == [[0, 2]]
            continue
        assert tensor.layout == f"sparse_{name}"
        np.testing.assert_array_equal(tensor.to_dense().numpy(), dense, err_msg=name)
    with pytest.raises(RuntimeError, match="sparse_coo"):
        load("sparse")["csr"].indices()


@BOTH
def test_quantised_tensors(suffix: str) -> None:
    loaded = load(f"quantised{suffix}")
    values = [[0.0, 0.5, 1.0], [-1.0, 2.0, 3.0]]
    for name, tensor in loaded.items():
        assert type(tensor) is QuantizedTensor
        assert tensor.dequantize().tolist() == values, name
    assert loaded["qint8"].int_repr().tolist() == [[1, 2, 3], [-1, 5, 7]]
    assert (loaded["quint8"].scale, loaded["quint8"].zero_point) == (0.5, 10)
    assert loaded["per_channel"].axis == 0
    assert loaded["per_channel"].scale.tolist() == [0.5, 1.0]


def test_big_endian_files() -> None:
    loaded = load("big_endian")
    assert loaded["float32"].tolist() == [0, 1, 2, 3]
    assert loaded["int16"].tolist() == [0, 1, 2, 3]
    assert loaded["complex64"].tolist() == [1 + 2j, 3 - 4j]
    assert loaded["uint8"].tolist() == [0, 1, 2, 3]
    assert loaded["bfloat16"].tolist() == [1.0, -2.0]


def test_byte_order_of_files_that_do_not_say() -> None:
    assert load("zip_1_6")["w"].tolist() == [0, 1, 2]
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        assert load("zip_1_6")["w"].tolist() != [0, 1, 2]
    finally:
        serialization.set_default_load_endianness(None)


def test_tar_files_of_pytorch_0_1() -> None:
    loaded = load("tar")
    assert loaded["a"].tolist() == SIX
    assert loaded["b"].tolist() == [3.0, 5.0]
    assert loaded["c"].tolist() == [7, -8]
    assert loaded["epoch"] == 4


def test_files_of_python_2() -> None:
    loaded = load("python_2")
    assert type(loaded) is OrderedDict
    assert loaded["w"].tolist() == SIX
    assert loaded["v"].tolist() == [3.0, 5.0]
    loaded["w"].numpy()[1, 0] = -1
    assert loaded["v"].tolist() == [-1.0, 5.0]
    assert loaded["n"] == {1, 2}
    assert list(load("python_2", encoding="bytes")) == [b"w", b"v", b"n"]


def test_without_checksums() -> None:
    assert load("no_checksums")["w"].tolist() == [0, 1, 2]


def test_a_module_is_refused_and_can_be_looked_at() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"'somewhere\.models\.Net'.*stand_ins=True"):
        load("module")
    net = load("module", stand_ins=True)
    assert type(net) is StandIn
    assert net.class_name == "somewhere.models.Net"
    assert net.training is True
    assert net.fc.in_features == 3
    assert list(net.children()) == ["fc", "norm"]
    expected = load("state_dict")
    state = net.state_dict()
    assert list(state) == list(expected)
    for name, value in expected.items():
        assert state[name].tolist() == value.tolist()
    assert "Net" in repr(net)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = net.nope


def test_other_files_of_pytorch() -> None:
    with pytest.raises(RuntimeError, match="TorchScript program"):
        load("torchscript")
    program = FILES.parent / "pt2" / "linear.exported.pt2"
    with pytest.raises(RuntimeError, match=r"rushlight\.export\.load reads it"):
        rushlight.load(program)


@pytest.mark.parametrize("name", ["nested", "nested_legacy", "tar"])
def test_paths_files_and_streams(name: str) -> None:
    path = FILES / f"{name}.pt"
    key = "a" if name == "tar" else "base"
    expected = rushlight.load(path)[key].tolist()
    assert rushlight.load(str(path))[key].tolist() == expected
    assert rushlight.load(path, mmap=False)[key].tolist() == expected
    assert rushlight.load(path, mmap=True)[key].tolist() == expected
    assert rushlight.load(io.BytesIO(path.read_bytes()))[key].tolist() == expected
    with path.open("rb") as file:
        assert rushlight.load(file)[key].tolist() == expected
        with pytest.raises(ValueError, match="mmap=True needs the path"):
            rushlight.load(file, mmap=True)
    stream = io.BytesIO(b"before" + path.read_bytes())
    stream.seek(6)
    assert rushlight.load(stream)[key].tolist() == expected


@pytest.mark.parametrize("name", ["nested", "nested_legacy"])
@pytest.mark.parametrize("mapped", [True, False])
def test_tensors_are_writable_and_files_stay(tmp_path: Path, name: str, mapped: bool) -> None:
    path = tmp_path / "copy.pt"
    path.write_bytes((FILES / f"{name}.pt").read_bytes())
    before = path.read_bytes()
    tensor = rushlight.load(path, mmap=mapped)["base"]
    tensor.numpy()[:] = 7
    assert path.read_bytes() == before
    path.unlink()
    assert tensor.tolist() == [7] * 24


def test_shared_mapping_writes_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "copy.pt"
    before = {"w": rushlight.from_numpy(np.arange(3.0)), "v": rushlight.from_numpy(np.ones(2))}
    rushlight.save(before, path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        rushlight.load(path)["w"].numpy()[:] = 7
        rushlight.load(path, mmap=False)["v"].numpy()[:] = 7  # a copy
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    for options in ({}, {"mmap": False}):
        loaded = rushlight.load(path, **options)
        assert loaded["w"].tolist() == [7, 7, 7]  # whose checksum is another now
        assert loaded["v"].tolist() == [1, 1]
    rushlight.load(path)["w"].numpy()[:] = 8
    assert rushlight.load(path)["w"].tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="MAP_PRIVATE"):
        serialization.set_default_mmap_options(12345)


def test_map_location() -> None:
    for where in ("cpu", b"cpu", {"cpu": "cpu"}, lambda storage, location: None):
        assert load("nested", map_location=where)["scalar"].item() == 2.5
    seen = []

    def remember(storage: Any, location: str) -> Any:
        seen.append((type(storage).__name__, location))
        return storage

    load("zip_1_6", map_location=remember)
    assert seen == [("TypedStorage", "cpu")]
    with pytest.raises(RuntimeError, match="tensors of rushlight are on the CPU"):
        load("nested", map_location="cuda:0")
    with pytest.raises(RuntimeError, match="tensors of rushlight are on the CPU"):
        load("nested", map_location={"cpu": "cuda"})
    with pytest.raises(TypeError, match="map_location: expected None"):
        load("nested", map_location=17)


@BOTH
def test_sizes_without_data(suffix: str) -> None:
    loaded = load(f"nested{suffix}", map_location="meta")
    view = loaded["view"]
    assert type(view) is StoredTensor
    assert view.is_meta
    assert (view.shape, view.stride(), view.dtype) == ((4, 3), (1, 4), rushlight.float32)
    with pytest.raises(RuntimeError, match="has no data"):
        view.numpy()


def test_skip_data() -> None:
    with serialization.skip_data():
        assert load("nested")["base"].shape == (24,)


def test_arguments_that_are_wrong() -> None:
    with pytest.raises(ValueError, match="expected None or pickle"):
        load("nested", pickle_module=io)
    with pytest.raises(ValueError, match="encoding: expected"):
        load("nested", encoding="zlib")
    with pytest.raises(TypeError, match="unexpected keyword argument 'nope'"):
        load("nested", nope=1)
    with pytest.raises(TypeError, match="expected a path or an open binary file, got int"):
        rushlight.load(17)
    with pytest.raises(TypeError, match="binary mode"):
        rushlight.load(io.StringIO("text"))
    with pytest.raises(FileNotFoundError):
        load("missing")
    assert load("nested", weights_only=False, pickle_module=pickle)["scalar"].item() == 2.5


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        rushlight.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        rushlight.load(tmp_path / "pipe")
    (tmp_path / "empty.pt").touch()
    with pytest.raises(pickle.UnpicklingError, match="cut short"):
        rushlight.load(tmp_path / "empty.pt")


def test_registered_packages() -> None:
    calls = []

    def place(storage: Any, location: str) -> Any:
        calls.append(location)
        return storage

    from rushlight.serialization import locations

    serialization.register_package(5, lambda storage: None, place)
    try:
        assert load("zip_1_6")["w"].tolist() == [0, 1, 2]
    finally:
        locations._registered.clear()
    assert calls == ["cpu"]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_records_of_arrays_and_named_constants(protocol: int) -> None:
    kind = np.dtype([("a", "<i4"), ("b", ">f8", (2, 3)), ("c", [("d", "S3", 4)])])
    array = np.zeros(5, kind)
    array["b"] = np.arange(30).reshape(5, 2, 3)
    array["c"]["d"] = b"xy"
    value = [array, ..., NotImplemented, array[1]]
    loaded = rushlight.load(zipped(pickle.dumps(value, protocol)))
    assert loaded[0].dtype == kind
    assert loaded[0].tobytes() == array.tobytes()
    assert loaded[1:3] == [..., NotImplemented]
    assert loaded[3] == array[1]
    stream = io.BytesIO()
    rushlight.save(loaded, stream)
    assert rushlight.load(io.BytesIO(stream.getvalue()))[1:3] == [..., NotImplemented]
