"""Checksums, signatures, versions of distributions, and archives that mean harm."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from rushlight.package import (
    PackageExporter,
    PackageImporter,
    PackageVersionWarning,
    UntrustedPackageError,
)
from rushlight.package.metadata import DISTRIBUTIONS, FACTS
from rushlight.package.origins import Origin, distributions_of, origin_of
from rushlight.serialization import PyTorchFileReader, PyTorchFileWriter

RAN = "raise RuntimeError('this must not run')"


def made(**options: object) -> io.BytesIO:
    with PackageExporter(file := io.BytesIO(), **options) as exporter:  # type: ignore[arg-type]
        exporter.save_source_string("main", "x = 1")
        exporter.save_text("data", "a.txt", "text")
    return file


def changed(file: io.BytesIO, **records: bytes | None) -> io.BytesIO:
    """A copy of a package with other contents of some records (``__`` is ``/``)."""
    file.seek(0)
    reader = PyTorchFileReader(file)
    contents = {name: reader.get_record(name) for name in reader.get_all_records()}
    for key, value in records.items():
        name = key.replace("__", "/").replace("_dot_", ".")
        contents.pop(name, None)
        if value is not None:
            contents[name] = value
    out = io.BytesIO()
    with PyTorchFileWriter(out) as writer:
        for name, data in contents.items():
            if name not in (".data/serialization_id", "byteorder", ".data/version"):
                writer.write_record(name, data)
    return out


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ({"main_dot_py": RAN.encode()}, r"has been changed since it was made: main\.py"),
        ({"other_dot_py": b""}, r"added \['other\.py'\]"),
        ({"data__a_dot_txt": None}, r"missing \['data/a\.txt'\]"),
        ({"_dot_data__extern_modules": b"os\n"}, "has been changed"),
        ({"_dot_data__sha256": b"nonsense\n"}, "the line 'nonsense'"),
    ],
)
def test_changed_contents_are_refused(records: dict[str, bytes | None], problem: str) -> None:
    file = made(checksums=True)
    assert PackageImporter(file).import_module("main").x == 1
    with pytest.raises(UntrustedPackageError, match=problem) as info:
        PackageImporter(changed(file, **records))
    assert "Loading a package runs its code" in str(info.value)


def test_checksums_can_be_left_alone() -> None:
    file = changed(made(checksums=True), main_dot_py=b"x = 2")
    assert PackageImporter(file, verify=False).import_module("main").x == 2


def test_signature_needs_a_list() -> None:
    with pytest.raises(UntrustedPackageError, match="no list of checksums"):
        PackageImporter(made(), public_key=b"\0" * 32)
    with pytest.raises(UntrustedPackageError, match="is not signed"):
        PackageImporter(made(checksums=True), public_key=b"\0" * 32)


def test_versions_of_distributions_are_recorded_and_compared() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.extern(["numpy.**", "yaml.**"])
        exporter.save_source_string("main", "import numpy.linalg, yaml, json")
    lock = PackageImporter(file).metadata.distributions
    assert set(lock) == {"numpy", "PyYAML"}
    other = changed(file, _dot_data__distributions=b"numpy==0.1\nabsent-thing==2\n")
    with pytest.warns(PackageVersionWarning, match=r"absent-thing 2 is not installed here"):
        importer = PackageImporter(other)
    assert importer.metadata.distributions["numpy"] == "0.1"
    PackageImporter(other, check_versions=False)
    with pytest.raises(ValueError, match="name==version"):
        PackageImporter(changed(file, _dot_data__distributions=b"numpy\n"))


def test_origins() -> None:
    assert origin_of("json") is Origin.STANDARD_LIBRARY
    assert origin_of("numpy") is Origin.INSTALLED
    assert origin_of("tests") is Origin.YOURS
    assert origin_of("no_such_module") is Origin.MISSING
    assert distributions_of(["json", "tests", "no_such_module"]) == {}


def test_packages_of_newer_versions_are_refused() -> None:
    with pytest.raises(ValueError, match="has format 99, and this version of rushlight reads up"):
        PackageImporter(changed(made(), **{FACTS.replace(".", "_dot_").replace("/", "__"):
                                           b'{"format": 99}'}))  # fmt: skip
    assert DISTRIBUTIONS.startswith(".data/")


def test_other_files_are_not_packages(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a package"):
        PackageImporter(changed(made(), _dot_data__extern_modules=None))
    with pytest.raises(RuntimeError):
        PackageImporter(io.BytesIO(b"not a zip"))
    with pytest.raises(OSError):
        PackageImporter(tmp_path / "absent.pkg")
    with pytest.raises(TypeError, match="a package is opened from"):
        PackageImporter(3)


@pytest.mark.parametrize(
    "name", ["../evil.py", "a/../../evil.py", "/etc/evil", "a\\b.py", "c:/evil", "a//b", "./a"]
)
def test_paths_that_leave_the_package_are_refused(name: str) -> None:
    file = made()
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(zipfile.ZipInfo("archive/"), "")
        info = zipfile.ZipInfo("x")
        info.filename = "archive/" + name
        archive.writestr(info, RAN)
    with pytest.raises((ValueError, RuntimeError), match="unsafe name"):
        PackageImporter(file)


def test_links_are_refused() -> None:
    file = made()
    with zipfile.ZipFile(file, "a") as archive:
        info = zipfile.ZipInfo("archive/link.py")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(RuntimeError, match=r"link\.py' is a symbolic link"):
        PackageImporter(file)


@pytest.mark.parametrize(
    "names",
    [["a.py", "a/b.py"], ["a/b.py", "a.py"], ["a.py", "a/__init__.py"]],
)
def test_two_modules_of_one_name_are_refused(names: list[str]) -> None:
    out = io.BytesIO()
    with PyTorchFileWriter(out) as writer:
        writer.write_record(".data/extern_modules", b"")
        for name in names:
            writer.write_record(name, b"")
    with pytest.raises(ImportError, match="inconsistent package"):
        PackageImporter(out)


def test_module_inside_an_external_one_is_refused() -> None:
    out = io.BytesIO()
    with PyTorchFileWriter(out) as writer:
        writer.write_record(".data/extern_modules", b"json\n")
        writer.write_record("json/evil.py", b"")
    with pytest.raises(ImportError, match="external module"):
        PackageImporter(out)
