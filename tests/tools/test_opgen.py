"""The op table's generator: what it accepts, what it refuses, and what it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rushlight import _C

ROOT = Path(__file__).parents[2]
GOOD = """
- op: twice(Tensor self, *, Scalar alpha=1) -> Tensor
  kind: pointwise
  dtype: self
  kernel: twice
  inplace: true
"""


def generate(folder: Path, rows: str) -> subprocess.CompletedProcess[str]:
    ops = folder / "ops"
    ops.mkdir(exist_ok=True)
    (ops / "family.yaml").write_text(rows, encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools/generate_ops.py"), str(ops), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_row_becomes_a_table_entry_a_declaration_and_its_in_place_twin(tmp_path: Path) -> None:
    assert generate(tmp_path, GOOD).returncode == 0
    table = (tmp_path / "out/ops_family.cpp").read_text(encoding="utf-8")
    assert '"aten.twice.default"' in table
    assert '"twice_(Tensor(a!) self, *, Scalar alpha=1) -> Tensor(a!)"' in table
    kernels = (tmp_path / "out/kernels_pointwise.cpp").read_text(encoding="utf-8")
    assert "TileFn twice(DType compute, std::string_view string);" in kernels


def test_a_second_run_touches_nothing(tmp_path: Path) -> None:
    generate(tmp_path, GOOD)
    files = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*.*")}
    generate(tmp_path, GOOD)
    assert files == {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*.*")}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (GOOD.replace("kernel:", "kernal:"), "unknown key 'kernal'; did you mean 'kernel'?"),
        (GOOD.replace("pointwise", "pointwize"), "unknown kind 'pointwize'; did you mean"),
        (GOOD.replace("  kernel: twice\n", ""), "a pointwise operator needs a kernel"),
        (GOOD.replace("dtype: self", "dtype: selves"), "cannot have dtype 'selves'"),
        (GOOD.replace("Tensor self", "Tenzor self"), "unknown type 'Tenzor'"),
        (GOOD + GOOD, "aten.twice.default stands twice in the table"),
        (GOOD.replace("kind: pointwise", "kind: kernel"), "a kernel operator needs a shape rule"),
        (
            "- op: twice(Tensor self) -> Tensor\n  kind: composite\n",
            "a composite operator needs 'decompose'",
        ),
    ],
)
def test_mistakes_are_refused_by_name(tmp_path: Path, rows: str, message: str) -> None:
    result = generate(tmp_path, rows)
    assert result.returncode != 0
    assert message in result.stderr


def test_every_schema_of_the_table_is_known_to_the_engine() -> None:
    names = _C.op_names()
    assert len(names) > 500
    assert names == sorted(names)
    for name in names:
        assert _C.op_schema(name).split("(")[0].split("::")[-1].split(".")[0] in name
