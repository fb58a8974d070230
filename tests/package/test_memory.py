"""Arrays and tensors in packages: records, sharing, and what hostile pickles claim about them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.package import PackageExporter, PackageImporter


def round_trip(obj: Any, **options: Any) -> Any:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.extern("numpy.**")
        exporter.save_pickle("data", "a.pkl", obj, **options)
    return PackageImporter(file).load_pickle("data", "a.pkl")


@pytest.mark.parametrize("protocol", [3, 4])
def test_arrays_share_memory_as_before(protocol: int) -> None:
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    other = np.arange(3)
    obj = [base, base[1:3, ::2], base.T, base[::-1], other, base]
    loaded = round_trip(obj, pickle_protocol=protocol)
    for before, after in zip(obj, loaded, strict=True):
        np.testing.assert_array_equal(before, after)
        assert after.strides == before.strides
        assert np.shares_memory(loaded[0], after) == np.shares_memory(base, before)
    assert loaded[0] is loaded[5]
    loaded[0][1, 0] = 99
    assert loaded[1][0, 0] == 99


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.float64(3.5).reshape(()),
        np.array([(1, 2.0)], [("a", "i4"), ("b", ">f8")]),
        np.array(["a", "bcd"]),
        np.array([b"x", b"yz"]),
        np.array(["2020-01-01"], "M8[D]"),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(20)[::3],
        np.array([1, 2], ">i2"),
        np.array([{}, None], object),
        np.ma.array([1, 2], mask=[True, False]),
    ],
    ids=lambda array: str(array.dtype),
)
def test_kinds_of_arrays(array: np.ndarray[Any, Any]) -> None:
    loaded = round_trip(array)
    assert loaded.dtype == array.dtype
    assert type(loaded) is type(array)
    np.testing.assert_array_equal(loaded, array)


def test_memory_is_stored_once() -> None:
    base = np.zeros(100_000)
    with PackageExporter(file := io.BytesIO()) as exporter:
        for i in range(5):
            exporter.save_pickle("data", f"{i}.pkl", [base, base[i:]])
    assert len(file.getvalue()) < 820_000


def test_loads_are_independent() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_pickle("data", "a.pkl", np.zeros(3))
    importer = PackageImporter(file)
    first, second = (importer.load_pickle("data", "a.pkl") for _ in range(2))
    first[0] = 1
    assert second[0] == 0


@pytest.mark.parametrize("protocol", [3, 4])
def test_tensors_share_storages_as_before(protocol: int) -> None:
    base = rushlight.Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    row = rushlight._C.rebuild_tensor(base.untyped_storage(), rushlight.float32, 4, [4], [1])
    loaded = round_trip({"base": base, "row": row, "again": base}, pickle_protocol=protocol)
    assert type(loaded["base"]) is rushlight.Tensor
    np.testing.assert_array_equal(loaded["base"].numpy(), base.numpy())
    assert loaded["row"].untyped_storage() == loaded["base"].untyped_storage()
    assert loaded["row"].storage_offset() == 4
    loaded["base"].numpy()[1, 0] = 99
    assert loaded["row"].tolist() == [99, 5, 6, 7]


@pytest.mark.parametrize(
    "name",
    [
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ],
)
def test_all_dtypes(name: str) -> None:
    dtype = getattr(rushlight, name)
    storage = rushlight.UntypedStorage(bytearray(b"\x01\x00" * 16))
    tensor = rushlight._C.rebuild_tensor(storage, dtype, 0, [2], [1])
    loaded = round_trip(tensor)
    assert loaded.dtype is dtype
    assert loaded.tolist() == tensor.tolist()


def hostile(pickled: bytes, records: dict[str, bytes]) -> PackageImporter:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_binary("data", "a.pkl", pickled)
        exporter.extern("torch._utils")
        exporter.add_array_module()
        exporter.add_dependency("torch._utils")
        for key, contents in records.items():
            exporter.write_record(f".data/{key}.storage", contents)
    return PackageImporter(file)


def test_tensor_larger_than_its_record_is_refused() -> None:
    pickled = (
        b"\x80\x03ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
        b"X\x02\x00\x00\x00r0X\x03\x00\x00\x00cpuM\x00\x10tQK\x00M\x00\x10\x85K\x01\x85\x89NtR."
    )
    with pytest.raises(RuntimeError, match="storage"):
        hostile(pickled, {"r0": b"\0" * 8}).load_pickle("data", "a.pkl")


def test_unknown_persistent_ids_are_refused() -> None:
    with pytest.raises(Exception, match="persistent id of an unknown form"):
        hostile(b"\x80\x03K\x05Q.", {}).load_pickle("data", "a.pkl")
