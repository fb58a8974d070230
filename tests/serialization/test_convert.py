"""safetensors, .npz and GGUF files, and conversion between formats."""

from __future__ import annotations

import io
import json
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.cli import main
from rushlight.serialization import convert, inspect, load_gguf, safetensors

DATA = Path(__file__).parents[1] / "data"
DTYPES = DATA / "pt" / "dtypes.pt"


def same(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert set(a) == set(b)
    for name, tensor in a.items():
        assert tensor.dtype == b[name].dtype
        assert tuple(tensor.shape) == tuple(b[name].shape)
        assert tensor.tolist() == b[name].tolist(), name


def without(tensors: dict[str, Any], *names: str) -> dict[str, Any]:
    return {n: t for n, t in tensors.items() if not n.startswith(names)}


def test_safetensors_round_trip(tmp_path: Path) -> None:
    tensors = without(rushlight.load(DTYPES), "complex128", "complex32")
    tensors["scalar"] = rushlight.from_numpy(np.array(2.5, np.float32))
    tensors["empty"] = rushlight.from_numpy(np.empty((0, 3), np.float32))
    tensors["turned"] = rushlight.from_numpy(np.arange(6.0).reshape(2, 3).T)
    path = tmp_path / "a.safetensors"
    safetensors.save_file(tensors, path, {"format": "pt", "größe": "ü"})
    same(tensors, safetensors.load_file(path))
    same(tensors, safetensors.load_file(path, mmap=False))
    same(tensors, safetensors.load_file(io.BytesIO(path.read_bytes())))
    assert safetensors.load_metadata(path) == {"format": "pt", "größe": "ü"}
    stream = io.BytesIO()
    safetensors.save_file(dict(reversed(tensors.items())), stream, {"format": "pt", "größe": "ü"})
    assert stream.getvalue() == path.read_bytes()
    with pytest.raises(ValueError, match="safetensors has no type complex128"):
        safetensors.save_file({"x": rushlight.load(DTYPES)["complex128"]}, path)
    same(tensors, safetensors.load_file(path))


def pack(header: Any, data: bytes = b"\0" * 8) -> io.BytesIO:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(struct.pack("<Q", len(text)) + text + data)


def entry(**changes: Any) -> dict[str, Any]:
    return {"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}


BROKEN = {
    "short": io.BytesIO(b"abc"),
    "long header": io.BytesIO(struct.pack("<Q", 1 << 40) + b"{}"),
    "header beyond the file": io.BytesIO(struct.pack("<Q", 100) + b"{}"),
    "no JSON": pack(b"{nope"),
    "another encoding": pack(json.dumps(entry()).encode("utf-32-be")),
    "no text": pack(b'{"\xff":1}'),
    "deep JSON": pack(b"[" * 100_000),
    "a list": pack([]),
    "names twice": pack(b'{"x":1,"x":1}'),
    "no entry": pack({"x": 5}),
    "more keys": pack(entry(more=1)),
    "unknown type": pack(entry(dtype="F33")),
    "negative size": pack(entry(shape=[-2])),
    "size of text": pack(entry(shape="2")),
    "huge size": pack(entry(shape=[2**62, 2**62])),
    "another size": pack(entry(shape=[3])),
    "backwards": pack(entry(data_offsets=[8, 0])),
    "beyond the data": pack(entry(shape=[4], data_offsets=[0, 16])),
    "a gap": pack(entry(shape=[1], data_offsets=[4, 8])),
    "an overlap": pack({**entry(), "y": entry()["x"]}),
    "bytes behind": pack(entry(), b"\0" * 9),
    "metadata": pack({**entry(), "__metadata__": {"a": 1}}),
    "half a byte": pack(entry(dtype="F4", shape=[3], data_offsets=[0, 2]), b"\0\0"),
    "bits without dimensions": pack(entry(dtype="F4", shape=[], data_offsets=[0, 1]), b"\0"),
    "many dimensions": pack(entry(shape=[1] * 100 + [2])),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_safetensors(name: str) -> None:
    with pytest.raises(RuntimeError, match="no valid safetensors file"):
        safetensors.load_file(io.BytesIO(BROKEN[name].getvalue()))


def test_honest_safetensors_of_this_form() -> None:
    assert safetensors.load_file(pack(entry()))["x"].tolist() == [0, 0]
    four_bits = pack(entry(dtype="F4", shape=[2, 8]))
    tensors = safetensors.load_file(four_bits)
    assert (tensors["x"].dtype.name, tuple(tensors["x"].shape)) == ("float4_e2m1fn_x2", (2, 4))
    stream = io.BytesIO()
    safetensors.save_file(tensors, stream)
    assert b'"shape":[2,8]' in stream.getvalue()


def test_tensors_of_odd_sizes_are_mapped(tmp_path: Path) -> None:
    """A tensor begins where its elements may, not only at multiples of eight."""
    path = tmp_path / "a.safetensors"
    tensors = {n: rushlight.from_numpy(np.arange(3, dtype=np.float32)) for n in "abc"}
    safetensors.save_file(tensors, path)
    loaded = safetensors.load_file(path)
    addresses = sorted(t.untyped_storage().data_ptr() for t in loaded.values())
    assert [b - a for a, b in pairwise(addresses)] == [12, 12]
    same(tensors, loaded)


def test_gguf_values() -> None:
    tensors, metadata = load_gguf(DATA / "gguf" / "blocks.gguf")
    assert metadata["test.layers"] == 3
    assert metadata["test.names"] == ["a", "b"]
    expected = np.load(DATA / "gguf" / "blocks.npz")
    assert set(tensors) == set(expected.files)
    for name in expected.files:
        np.testing.assert_allclose(tensors[name].numpy(), expected[name], rtol=1e-6, err_msg=name)


def test_gguf_blocks_worked_by_hand() -> None:
    """Types for which the package that made the fixture has no values."""
    half = np.float16(0.5).tobytes()
    bits = bytes([0b00000101] + [0] * 15)
    tensors, _ = load_gguf(gguf(info(kind=41, sizes=(128,)), bytes(7), half + bits, tensors=1))
    assert tensors["x"].tolist() == [0.5, -0.5, 0.5] + [-0.5] * 125
    eight = np.float32(0.25).tobytes() + bytes([1, 255] + [4] * 254) + bytes(32)
    tensors, _ = load_gguf(gguf(info(kind=15, sizes=(256,)), bytes(7), eight, tensors=1))
    assert tensors["x"].tolist() == [0.25, -0.25] + [1.0] * 254


def gguf(*parts: bytes, tensors: int = 0, pairs: int = 0, version: int = 3) -> io.BytesIO:
    return io.BytesIO(b"GGUF" + struct.pack("<IQQ", version, tensors, pairs) + b"".join(parts))


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def info(kind: int = 0, sizes: tuple[int, ...] = (2,), offset: int = 0) -> bytes:
    head = string(b"x") + struct.pack("<I", len(sizes))
    return head + struct.pack(f"<{len(sizes)}QIQ", *sizes, kind, offset)


NESTED = string(b"k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 10
BROKEN_GGUF = {
    "short": io.BytesIO(b"GGUF"),
    "magic": io.BytesIO(b"GGUX" + b"\0" * 30),
    "version": gguf(version=4),
    "big-endian": gguf(version=3 << 24),
    "many tensors": gguf(tensors=1 << 60),
    "missing pair": gguf(pairs=1),
    "unknown type": gguf(string(b"k"), struct.pack("<I", 77), pairs=1),
    "array bomb": gguf(string(b"k"), struct.pack("<IIQ", 9, 0, 1 << 60), pairs=1),
    "nested arrays": gguf(NESTED, pairs=1),
    "long text": gguf(string(b"k"), struct.pack("<IQ", 8, 1 << 60), pairs=1),
    "beyond the file": gguf(info(sizes=(100,)), tensors=1),
    "huge offset": gguf(info(offset=1 << 60), tensors=1),
    "huge sizes": gguf(info(sizes=(1 << 40, 1 << 40)), tensors=1),
    "incomplete blocks": gguf(info(kind=2, sizes=(33,)), tensors=1),
    "blocks not supported": gguf(info(kind=4, sizes=(256,)), tensors=1),
    "names twice": gguf(info(sizes=(0,)) * 2, tensors=2),
    "alignment": gguf(string(b"general.alignment"), struct.pack("<II", 4, 0), pairs=1),
}


@pytest.mark.parametrize("name", BROKEN_GGUF)
def test_broken_gguf(name: str) -> None:
    with pytest.raises(RuntimeError):
        load_gguf(io.BytesIO(BROKEN_GGUF[name].getvalue()))


def test_conversion_between_all_formats(tmp_path: Path) -> None:
    tensors = without(rushlight.load(DTYPES), "complex", "bfloat16", "float8")
    start = tmp_path / "a.pt"
    rushlight.save({"model": tensors, "epoch": 3}, start)
    before = start.read_bytes()
    assert convert(start, tmp_path / "b.safetensors") == ["epoch"]
    assert convert(tmp_path / "b.safetensors", tmp_path / "c.npz") == []
    assert convert(tmp_path / "c.npz", tmp_path / "d.pt") == []
    assert convert(tmp_path / "d.pt", tmp_path / "e.npz") == []
    assert convert(tmp_path / "e.npz", tmp_path / "f.safetensors") == []
    assert convert(tmp_path / "f.safetensors", tmp_path / "g.pth") == []
    expected = {f"model.{name}": tensor for name, tensor in tensors.items()}
    same(expected, rushlight.load(tmp_path / "g.pth"))
    same(expected, safetensors.load_file(tmp_path / "b.safetensors"))
    arrays = np.load(tmp_path / "c.npz")
    for name, tensor in expected.items():
        assert arrays[name].dtype.name == tensor.dtype.name
        assert arrays[name].tolist() == tensor.tolist()
    assert start.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 7
    assert {t.name for t in inspect(tmp_path / "c.npz").tensors} == set(expected)
    assert (tmp_path / "d.pt").read_bytes() == (tmp_path / "g.pth").read_bytes()


def test_types_that_numpy_lacks(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'bfloat16': NumPy has no type bfloat16"):
        convert(DTYPES, tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []
    convert(DTYPES, tmp_path / "a.npz", upcast=True)
    arrays = np.load(tmp_path / "a.npz")
    assert arrays["bfloat16"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert arrays["bfloat16"].dtype == np.float32
    assert arrays["float8_e5m2"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert arrays["complex32"].dtype == np.complex64
    assert arrays["complex128"].dtype == np.complex128
    assert arrays["uint64"].dtype == np.uint64


def test_all_dtypes_between_pt_files(tmp_path: Path) -> None:
    convert(DTYPES, tmp_path / "a.pt")
    same(rushlight.load(DTYPES), rushlight.load(tmp_path / "a.pt"))


def test_gguf_becomes_other_formats(tmp_path: Path) -> None:
    convert(DATA / "gguf" / "blocks.gguf", tmp_path / "a.safetensors")
    expected = np.load(DATA / "gguf" / "blocks.npz")
    tensors = safetensors.load_file(tmp_path / "a.safetensors")
    np.testing.assert_allclose(tensors["Q4_K"].numpy(), expected["Q4_K"], rtol=1e-6)


def test_npz_of_other_orders(tmp_path: Path) -> None:
    np.savez_compressed(
        tmp_path / "a.npz",
        big=np.arange(6, dtype=">i4").reshape(2, 3),
        fortran=np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        scalar=np.float32(2.5),
    )
    convert(tmp_path / "a.npz", tmp_path / "a.pt")
    loaded = rushlight.load(tmp_path / "a.pt")
    assert loaded["big"].tolist() == loaded["fortran"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded["scalar"].item() == 2.5


def test_what_cannot_be_converted(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ends in one of"):
        convert(DTYPES, tmp_path / "a.onnx")
    rushlight.save([1, 2], tmp_path / "none.pt")
    with pytest.raises(ValueError, match="no tensors by name"):
        convert(tmp_path / "none.pt", tmp_path / "a.npz")
    np.savez(tmp_path / "objects.npz", x=np.array([None, 1], dtype=object))
    with pytest.raises(RuntimeError, match="no tensor type"):
        convert(tmp_path / "objects.npz", tmp_path / "a.pt")
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4hello")
    with pytest.raises(RuntimeError, match=r"no valid \.npz file"):
        convert(tmp_path / "bad.npz", tmp_path / "a.pt")
    with pytest.raises(OSError):
        convert(tmp_path / "missing.pt", tmp_path / "a.npz")
    assert not (tmp_path / "a.npz").exists()


def test_a_result_that_is_wrong_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    module = importlib.import_module("rushlight.serialization.convert")
    target = tmp_path / "a.safetensors"
    target.write_bytes(b"before")
    write = module._write

    def damage(entries: Any, file: Any, *rest: Any) -> None:
        write(entries, file, *rest)
        file.seek(-1, 2)
        file.write(b"\x7f")

    monkeypatch.setattr(module, "_write", damage)
    with pytest.raises(RuntimeError, match="is not what was written"):
        convert(DATA / "pt" / "state_dict.pt", target)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = str(tmp_path / "a.safetensors")
    assert main(["convert", str(DATA / "pt" / "nested.pt"), target]) == 0
    assert "left out, for they are no plain tensors: list, ordered.b" in capsys.readouterr().err
    assert main(["convert", str(DTYPES), str(tmp_path / "b.npz")]) == 1
    assert "--upcast makes it float32" in capsys.readouterr().err
    assert main(["convert", str(DTYPES), str(tmp_path / "b.npz"), "--upcast"]) == 0
    assert main(["convert", str(DATA / "pt" / "module.pt"), target]) == 1
    assert "somewhere.models.Net" in capsys.readouterr().err
