"""Operators written in C++, built as a user builds them, and the option ``--library``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight
from rushlight import export, library, nativert

EXAMPLES = Path(__file__).parents[2] / "examples"


def build(source: Path, folder: Path, name: str) -> Path:
    """Compiles one file against the installed headers and library."""
    package = Path(rushlight.__path__[0])
    made = folder / f"lib{name}.so"
    done = subprocess.run(
        ["g++", "-std=c++20", "-O1", "-shared", "-fPIC", f"-I{rushlight.get_include()}", source,
         f"-L{package / 'lib'}", "-lrushlight", f"-Wl,-rpath,{package / 'lib'}", "-o", made],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = build(EXAMPLES / "cpp" / "library.cpp", tmp_path_factory.mktemp("lib"), "operators")
    library.load(made)
    return made


@pytest.fixture(scope="module")
def program(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def forward(x: rushlight.Tensor) -> rushlight.Tensor:
        return rushlight.ops.examples.scale(x @ x, 3.0).relu()

    path = tmp_path_factory.mktemp("program") / "scaled.pt2"
    export.save(export.export(forward, (rushlight.ones(2, 2),)), path)
    return path


X = np.array([[1.0, -2.0], [0.5, 3.0]], dtype=np.float32)
EXPECTED = np.maximum(3 * (X @ X), 0)


def test_operators_are_called_and_check_their_arguments(example: Path) -> None:
    assert rushlight.ops.examples.scale(rushlight.tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert rushlight.ops.examples.count_above(rushlight.tensor([1.0, 2.0, 3.0]), 1.5) == 2
    with pytest.raises(RuntimeError, match="expected a contiguous float32 tensor"):
        rushlight.ops.examples.scale(rushlight.tensor([1, 2])).tolist()
    with pytest.raises(TypeError, match="missing required argument 'limit'"):
        rushlight.ops.examples.count_above(rushlight.ones(2))


def test_programs_find_them(program: Path) -> None:
    np.testing.assert_allclose(np.asarray(nativert.ModelRunner(program).run(X)), EXPECTED)


def commands() -> list[list[str]]:
    native = Path(rushlight.__path__[0]) / "bin" / "rushlight-run"
    beside = Path(sys.executable).with_name("rushlight-run")
    return [
        [sys.executable, "-m", "rushlight", "run"],
        [str(native if native.exists() else beside)],
    ]


@pytest.mark.parametrize("command", commands(), ids=["python", "native"])
def test_command_line(command: list[str], example: Path, program: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    call = [*command, str(program), "--inputs", str(tmp_path / "x.npy"), "--repeat", "0", "--json",
            "--output", str(tmp_path / "y.npy")]  # fmt: skip
    missing = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    assert missing.returncode == 1
    assert "examples.scale" in missing.stderr
    done = subprocess.run(
        [*call, "--library", str(example)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), EXPECTED)


def test_command_line_takes_python_files(program: Path, tmp_path: Path) -> None:
    (tmp_path / "operators.py").write_text(
        "import rushlight\n"
        "from rushlight import Tensor\n"
        "@rushlight.library.custom_op('examples::scale', mutates_args=())\n"
        "def scale(x: Tensor, by: float = 2.0) -> Tensor:\n"
        "    return x * by\n"
    )
    np.save(tmp_path / "x.npy", X)
    env = dict(os.environ, PYTHONPATH=str(Path(rushlight.__path__[0]).parent))
    for named in ("operators.py", "operators"):
        done = subprocess.run(
            [sys.executable, "-m", "rushlight", "run", str(program), "--inputs", "x.npy",
             "--repeat", "0", "--output", "y.npy", "--library", named],
            capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path, env=env,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), EXPECTED)


BROKEN = {
    "schema": ('m.def("f(Tensr x) -> Tensor", [](const Tensor& x) { return x; });', ValueError,
               "column 18: expected a type"),
    "count": ('m.def("f(Tensor x, int n) -> Tensor", [](const Tensor& x) { return x; });',
              TypeError, "the schema has 2 arguments, the function takes 1"),
    "type": ('m.def("f(Tensor x, int n) -> Tensor", [](const Tensor& x, double) { return x; });',
             TypeError, "argument 'n' is int in the schema, float in the function"),
    "result": ('m.def("f(Tensor x) -> int", [](const Tensor& x) { return x; });', RuntimeError,
               "does not give what the schema"),
    "standard": ('throw std::out_of_range("no such table");', RuntimeError, "no such table"),
    "thrown": ("throw 7;", RuntimeError, "threw something that is no std::exception"),
}  # fmt: skip


def test_definitions_that_do_not_fit(tmp_path: Path) -> None:
    for name, (text, kind, message) in BROKEN.items():
        source = tmp_path / f"{name}.cpp"
        source.write_text(
            "#include <rushlight/library.h>\n#include <stdexcept>\nusing namespace rushlight;\n"
            f"RUSHLIGHT_LIBRARY(broken_{name}, m) {{ {text} }}\n"
        )
        made = build(source, tmp_path, name)
        with pytest.raises(kind, match=message) as raised:
            library.load(made)
        assert f"{name}.cpp" in str(raised.value)


def test_a_library_that_fails_takes_nothing_away(tmp_path: Path) -> None:
    """Neither what was defined before nor the libraries beside it."""
    source = tmp_path / "two.cpp"
    source.write_text(
        "#include <rushlight/library.h>\nusing namespace rushlight;\n"
        "RUSHLIGHT_LIBRARY(broken_two, m) {\n"
        '  m.def("f(Tensor x) -> int", [](const Tensor&) { return int64_t{1}; });\n'
        '  m.def("f(Tensor x, int n) -> int", [](const Tensor&) { return int64_t{2}; });\n}\n'
        "RUSHLIGHT_LIBRARY(beside_two, m) {\n"
        '  m.def("g(Tensor x) -> int", [](const Tensor&) -> int64_t { throw 7; });\n}\n'
    )
    with pytest.raises(TypeError, match="the schema has 2 arguments"):
        library.load(build(source, tmp_path, "two"))
    assert rushlight.ops.broken_two.f(rushlight.ones(1)) == 1
    export.load(_any_program(tmp_path))  # loading a program defines what waits
    with pytest.raises(RuntimeError, match=r"beside_two\.g.*threw something"):
        rushlight.ops.beside_two.g(rushlight.ones(1))


def _any_program(folder: Path) -> Path:
    export.save(export.export(lambda x: x + 1, (rushlight.ones(1),)), folder / "any.pt2")
    return folder / "any.pt2"


def test_files_that_are_no_libraries(tmp_path: Path, example: Path) -> None:
    with pytest.raises(OSError, match=r"cannot load .*missing\.so"):
        library.load(tmp_path / "missing.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(OSError, match=r"cannot load .*text\.so"):
        library.load(tmp_path / "text.so")
    with pytest.raises(ValueError, match="defines no operator"):
        library.load(example)
