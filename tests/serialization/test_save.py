"""What `rushlight.save` writes is what was given, byte for byte the same each time."""

from __future__ import annotations

import collections
import io
import math
import subprocess
import sys
import zipfile
from argparse import Namespace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight
from rushlight import serialization
from rushlight.serialization import Parameter, TypedStorage

FILES = Path(__file__).parents[1] / "data" / "pt"
FORMATS = pytest.mark.parametrize("zipped", [True, False])


def dumps(obj: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    rushlight.save(obj, stream, **options)
    return stream.getvalue()


def round_trip(obj: Any, **options: Any) -> Any:
    return rushlight.load(io.BytesIO(dumps(obj, **options)))


def matrix(rows: int = 4, columns: int = 6) -> rushlight.Tensor:
    return rushlight.from_numpy(np.arange(rows * columns, dtype=np.float32).reshape(rows, columns))


def view(tensor: rushlight.Tensor, offset: int, size: Any, stride: Any) -> rushlight.Tensor:
    from rushlight import _C

    return _C.rebuild_tensor(tensor.untyped_storage(), tensor.dtype, offset, size, stride)


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**2100), 2**2100)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False)
)
KEYS = st.text() | st.integers() | st.booleans() | st.tuples(st.integers(), st.text())
OBJECTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(KEYS, inner)
        | st.lists(inner).map(tuple)
        | st.sets(st.integers() | st.text())
        | st.frozensets(st.integers())
        | st.dictionaries(KEYS, inner).map(collections.OrderedDict)
    ),
    max_leaves=20,
)


@given(OBJECTS)
@settings(max_examples=150, deadline=None)
def test_plain_objects(obj: Any) -> None:
    for zipped in (True, False):
        loaded = round_trip(obj, _use_new_zipfile_serialization=zipped)
        assert loaded == obj
        assert type(loaded) is type(obj)


def test_special_floats() -> None:
    nan, infinity, zero = round_trip([math.nan, -math.inf, -0.0])
    assert math.isnan(nan)
    assert infinity == -math.inf
    assert math.copysign(1, zero) == -1


def test_objects_that_hold_themselves() -> None:
    items: list[Any] = [1]
    items.append(items)
    loaded = round_trip(items)
    assert loaded[1] is loaded
    pair: Any = ([],)
    pair[0].append(pair)
    loaded = round_trip(pair)
    assert loaded[0][0] is loaded
    shared = [1]
    loaded = round_trip({"a": shared, "b": shared})
    assert loaded["a"] is loaded["b"]


@FORMATS
def test_views_share_memory(zipped: bool) -> None:
    base = matrix()
    turned = view(base, 1, (3, 2), (1, 6))
    loaded = round_trip([base, turned, base], _use_new_zipfile_serialization=zipped)
    assert loaded[0] is loaded[2]
    assert loaded[1].stride() == (1, 6)
    assert loaded[1].storage_offset() == 1
    assert loaded[1].tolist() == turned.tolist() == [[1, 7], [2, 8], [3, 9]]
    loaded[0].numpy()[0, 1] = -5
    assert loaded[1].tolist()[0][0] == -5


@FORMATS
def test_a_storage_of_two_dtypes(zipped: bool) -> None:
    from rushlight import _C

    base = matrix()
    bits = _C.rebuild_tensor(base.untyped_storage(), rushlight.int32, 0, (24,), (1,))
    loaded = round_trip([base, bits], _use_new_zipfile_serialization=zipped)
    assert loaded[0].tolist() == base.tolist()
    assert loaded[1].tolist() == bits.tolist()
    assert loaded[0].untyped_storage() == loaded[1].untyped_storage()


def test_parameters_and_storages() -> None:
    parameter = Parameter(matrix(2, 2), requires_grad=False)
    parameter.tag = "kept"  # type: ignore[attr-defined]
    base = matrix()
    typed = TypedStorage(base.untyped_storage(), rushlight.float32)
    loaded = round_trip([parameter, typed, base, base.untyped_storage()])
    assert type(loaded[0]) is Parameter
    assert not loaded[0].requires_grad
    assert loaded[0].tag == "kept"
    assert loaded[0].tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("name", ["dtypes", "sparse", "quantised", "nested", "harmless"])
@FORMATS
def test_loaded_files_save_as_they_are(name: str, zipped: bool) -> None:
    first = dumps(rushlight.load(FILES / f"{name}.pt"), _use_new_zipfile_serialization=zipped)
    again = dumps(rushlight.load(io.BytesIO(first)), _use_new_zipfile_serialization=zipped)
    assert first == again


def test_tensors_without_data() -> None:
    loaded = rushlight.load(FILES / "nested.pt", map_location="meta")
    again = round_trip(loaded["view"])
    assert again.is_meta
    assert (again.shape, again.stride()) == ((4, 3), (1, 4))


def test_equal_objects_give_equal_files(tmp_path: Path) -> None:
    script = (
        "import numpy as np, rushlight, sys;"
        "rushlight.save({'s': {'a', 'b', 'c', 'dd'}, 'f': frozenset('xyz'),"
        "'w': rushlight.from_numpy(np.arange(5.0))}, sys.argv[1])"
    )
    for i in range(2):
        (tmp_path / str(i)).mkdir()
        path = tmp_path / str(i) / "a.pt"
        subprocess.run(
            [sys.executable, "-c", script, path], check=True, env={"PYTHONHASHSEED": str(i + 1),
             "PYTHONPATH": str(Path(rushlight.__file__).parents[1])},
        )  # fmt: skip
    assert (tmp_path / "0" / "a.pt").read_bytes() == (tmp_path / "1" / "a.pt").read_bytes()


def stored(data: bytes) -> dict[str, int]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            e.filename.partition("/")[2]: e.file_size
            for e in archive.infolist()
            if "/data/" in e.filename
        }


def test_compact_drops_what_views_do_not_use() -> None:
    base = matrix(100, 10)
    column = view(base, 3, (100,), (10,))
    assert stored(dumps(column)) == {"data/0": 4000}
    assert stored(dumps(column, compact=True)) == {"data/0": 400}
    loaded = round_trip(column, compact=True)
    assert loaded.tolist() == column.tolist()
    assert loaded.stride() == (1,)
    row, later = view(base, 50, (10,), (1,)), view(base, 70, (10,), (1,))
    assert stored(dumps([row, later], compact=True)) == {"data/0": 120}
    first, second = round_trip([row, later], compact=True)
    assert (first.tolist(), second.tolist()) == (row.tolist(), later.tolist())
    assert first.untyped_storage() == second.untyped_storage()
    turned = view(base, 0, (10, 100), (1, 10))
    assert stored(dumps(turned, compact=True)) == {"data/0": 4000}
    assert round_trip(turned, compact=True).stride() == (1, 10)
    assert round_trip([base, column], compact=True)[1].stride() == (10,)
    nothing = view(base, 5, (0, 3), (3, 1))
    assert stored(dumps(nothing, compact=True)) == {"data/0": 0}
    assert round_trip(nothing, compact=True).shape == (0, 3)
    expanded = view(base, 5, (50, 3), (0, 1))
    assert round_trip(expanded, compact=True).tolist() == expanded.tolist()


def test_user_classes_come_back_when_allowed() -> None:
    obj = Fraction(1, 3)
    assert round_trip([obj, Namespace(a=1), Path("x")]) == [obj, Namespace(a=1), Path("x")]
    with pytest.raises(TypeError, match="is not found as"):
        dumps(lambda: 1)
    with pytest.raises(TypeError, match="stands for an object that is not here"):
        dumps(rushlight.load(FILES / "module.pt", stand_ins=True))


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    rushlight.save([1], path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        rushlight.save([matrix(), lambda: 1], path)

    class Broken(io.RawIOBase):
        def write(self, data: object) -> int:
            raise OSError("disk on fire")

    for zipped in (True, False):
        with pytest.raises(OSError, match="disk on fire"):
            rushlight.save([matrix()], Broken(), _use_new_zipfile_serialization=zipped)
        with pytest.raises(OSError):
            rushlight.save([1], tmp_path / "no" / "a.pt", _use_new_zipfile_serialization=zipped)
        with pytest.raises(OSError):
            rushlight.save([1], tmp_path, _use_new_zipfile_serialization=zipped)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saving_over_the_file_that_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    rushlight.save({"w": matrix()}, path)
    loaded = rushlight.load(path)
    for zipped in (True, False):
        rushlight.save({"w": loaded["w"], "n": 1}, path, _use_new_zipfile_serialization=zipped)
        assert loaded["w"].tolist() == matrix().tolist()
        assert rushlight.load(path)["w"].tolist() == matrix().tolist()


def test_settings() -> None:
    assert serialization.get_crc32_options() is True
    serialization.set_crc32_options(False)
    try:
        data = dumps([matrix()])
    finally:
        serialization.set_crc32_options(True)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {e.CRC for e in archive.infolist()} == {0}
    assert rushlight.load(io.BytesIO(data))[0].tolist() == matrix().tolist()
    with serialization.skip_data():
        data = dumps([matrix()])
    assert rushlight.load(io.BytesIO(data))[0].tolist() == [[0] * 6] * 4


def test_arguments_that_are_wrong() -> None:
    with pytest.raises(ValueError, match="pickle_protocol: expected 2"):
        dumps([1], pickle_protocol=1)
    with pytest.raises(ValueError, match="pickle_module"):
        dumps([1], pickle_module=io)
    with pytest.raises(TypeError, match=r"a path or an object with write\(\), got int"):
        rushlight.save([1], 17)
