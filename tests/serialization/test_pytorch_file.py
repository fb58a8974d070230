"""The container of `.pt` files: records in a ZIP archive."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from rushlight.serialization import PyTorchFileReader, PyTorchFileWriter


def write(file: object, **options: object) -> PyTorchFileWriter:
    writer = PyTorchFileWriter(file, **options)  # type: ignore[arg-type]
    writer.write_record("data.pkl", b"abc")
    writer.write_record("data/0", b"\x01" * 1000, 999)
    writer.write_record("text", "wörter")
    writer.write_record("empty", b"")
    writer.write_end_of_file()
    return writer


def test_what_is_written_is_read(tmp_path: Path) -> None:
    writer = write(tmp_path / "some.model.pt")
    reader = PyTorchFileReader(tmp_path / "some.model.pt")
    assert reader.archive_name() == writer.archive_name() == "some.model"
    assert reader.get_record("data/0") == b"\x01" * 999
    assert reader.get_record("text").decode() == "wörter"
    assert reader.get_record("empty") == b""
    assert reader.get_record("byteorder") == b"little"
    assert reader.get_record("version") == b"3\n"
    assert reader.version() == 3
    assert reader.get_all_records() == [
        "data.pkl", "data/0", "text", "empty", "version", "byteorder", ".data/serialization_id",
    ]  # fmt: skip
    assert writer.get_all_written_records() == set(reader.get_all_records())
    assert reader.has_record("data/0")
    assert not reader.has_record("data/1")
    assert reader.get_record_size("data/0") == 999
    assert len(reader.serialization_id()) == 40
    assert reader.serialization_id().isdigit()
    assert reader.serialization_id() == writer.serialization_id()


def test_python_reads_the_archive(tmp_path: Path) -> None:
    write(tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        assert archive.testzip() is None
        assert archive.read("a/data/0") == b"\x01" * 999


@pytest.mark.parametrize("alignment", [1, 64, 4096])
def test_contents_are_aligned(tmp_path: Path, alignment: int) -> None:
    write(tmp_path / "a.pt", storage_alignment=alignment)
    reader = PyTorchFileReader(tmp_path / "a.pt")
    contents = (tmp_path / "a.pt").read_bytes()
    for name in reader.get_all_records():
        at = reader.get_record_offset(name)
        assert at % alignment == 0
        assert contents[at:].startswith(reader.get_record(name))
        assert contents[reader.get_record_header_offset(name) :].startswith(b"PK\3\4")


@pytest.mark.parametrize("alignment", [0, 3, 1 << 20])
def test_alignments_that_cannot_be(alignment: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        PyTorchFileWriter(io.BytesIO(), storage_alignment=alignment)


def test_streams_functions_and_bytes(tmp_path: Path) -> None:
    stream = io.BytesIO()
    assert write(stream).archive_name() == "archive"
    pieces: list[bytes] = []
    write(pieces.append)
    assert b"".join(pieces) == stream.getvalue()
    assert PyTorchFileReader(stream.getvalue()).get_record("data.pkl") == b"abc"
    stream.seek(0)
    assert PyTorchFileReader(stream).get_record("data.pkl") == b"abc"


def test_identifiers_follow_names_and_contents() -> None:
    def identifier(name: str, contents: bytes) -> str:
        writer = PyTorchFileWriter(io.BytesIO())
        writer.write_record(name, contents)
        assert writer.serialization_id() == ""
        writer.write_end_of_file()
        return writer.serialization_id()

    assert identifier("a", b"1") == identifier("a", b"1")
    assert len({identifier("a", b"1"), identifier("b", b"1"), identifier("a", b"2")}) == 3


def test_versions(tmp_path: Path) -> None:
    with PyTorchFileWriter(tmp_path / "a.pt") as writer:
        writer.set_min_version(6)
        writer.set_min_version(4)
    reader = PyTorchFileReader(tmp_path / "a.pt")
    assert reader.version() == 6
    assert reader.has_record(".data/version")
    with pytest.raises(ValueError, match="file format version 11 is newer than 10"):
        PyTorchFileWriter(io.BytesIO()).set_min_version(11)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0", "version 0 is older than 1"),
        ("11", "version 11 is newer than 10"),
        ("x", "is no number"),
        ("3 4", "is no number"),
        ("", "is no number"),
    ],
)
def test_versions_that_are_not_read(version: str, message: str) -> None:
    stream = io.BytesIO()
    with PyTorchFileWriter(stream) as writer:
        writer.write_record("version", version)
    with pytest.raises(RuntimeError, match=message):
        PyTorchFileReader(stream.getvalue())


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(b"before")
    writer = PyTorchFileWriter(path)
    writer.write_record("x", b"1" * 100_000)
    assert path.read_bytes() == b"before"
    with pytest.raises(ZeroDivisionError), writer:
        raise ZeroDivisionError
    del writer
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_mistakes_while_writing(tmp_path: Path) -> None:
    writer = PyTorchFileWriter(tmp_path / "a.pt")
    writer.write_record("a", b"1")
    with pytest.raises(ValueError, match="two archive entries are named 'a/a'"):
        writer.write_record("a", b"2")
    with pytest.raises(ValueError, match="3 bytes announced, 2 given"):
        writer.write_record("b", b"12", 3)
    with pytest.raises(TypeError, match="record 'b': expected str or an object with the buffer"):
        writer.write_record("b", 17)
    writer.write_end_of_file()
    with pytest.raises(RuntimeError, match="the file is complete"):
        writer.write_record("b", b"2")
    with pytest.raises(RuntimeError, match="the file is complete already"):
        writer.write_end_of_file()
    with pytest.raises(OSError, match="cannot write"):
        PyTorchFileWriter(tmp_path / "missing" / "a.pt")
    with pytest.raises(TypeError, match="expected a path"):
        PyTorchFileWriter(17)


def test_a_stream_that_fails() -> None:
    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            return 0

    with pytest.raises(OSError, match="the stream took 0 of"):
        write(Full())

    def broken(_: bytes) -> int:
        raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        write(broken)


def test_mistakes_while_reading(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot open"):
        PyTorchFileReader(tmp_path / "missing.pt")
    with pytest.raises(RuntimeError, match="not a ZIP archive"):
        PyTorchFileReader(b"hello")
    with pytest.raises(TypeError, match="expected a path"):
        PyTorchFileReader(17)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("data.pkl", b"")
    with pytest.raises(RuntimeError, match="lies in no folder"):
        PyTorchFileReader(stream.getvalue())
    write(tmp_path / "a.pt")
    with pytest.raises(RuntimeError, match="no record 'nope'"):
        PyTorchFileReader(tmp_path / "a.pt").get_record("nope")


def test_damage_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "a.pt")
    contents = bytearray((tmp_path / "a.pt").read_bytes())
    contents[PyTorchFileReader(tmp_path / "a.pt").get_record_offset("data/0")] ^= 1
    with pytest.raises(RuntimeError, match="'a/data/0' is damaged: its checksum is"):
        PyTorchFileReader(bytes(contents)).get_record("data/0")


def test_without_checksums() -> None:
    stream = io.BytesIO()
    write(stream, compute_crc32=False)
    assert PyTorchFileReader(stream.getvalue()).get_record("data.pkl") == b"abc"
    with zipfile.ZipFile(stream) as archive:
        assert {entry.CRC for entry in archive.infolist()} == {0}


def test_records_of_zeros() -> None:
    stream = io.BytesIO()
    with PyTorchFileWriter(stream) as writer:
        writer.write_record_metadata("later", 100_000)
    assert PyTorchFileReader(stream.getvalue()).get_record("later") == bytes(100_000)
