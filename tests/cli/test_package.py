"""``rushlight package``: every action, on packages of a small project."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rushlight.cli import main
from rushlight.package import PackageImporter

PROJECT = {
    "proj_app/__init__.py": "from .net import build",
    "proj_app/net.py": "import sys\nimport numpy as np\nfrom . import util\n\n\n"
    "class Net:\n    def __init__(self): self.weight = np.ones(3)\n"
    "    def __call__(self): return util.total(self.weight)\n\n\ndef build(): return Net()\n",
    "proj_app/util.py": "def total(x): return float(x.sum())\n",
    "proj_app/words.txt": "words",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in PROJECT.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name in [name for name in sys.modules if "proj_app" in name]:
        del sys.modules[name]


def run(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["package", *words]) == status
    out, err = capsys.readouterr()
    return str(out or err)


def test_life_of_a_package(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "create", "model.pkg", "--object", "proj_app:build()")
    assert re.search(r"your code +proj_app\n +proj_app\.net\n +proj_app\.util", text)
    assert re.search(r"installed +numpy \d", text)
    assert PackageImporter("model.pkg").load_pickle("objects", "object.pkl")() == 3

    text = run(capsys, "ls", "model.pkg")
    assert re.search(r"5 B +data +proj_app/words\.txt", text)
    assert re.search(r"code +proj_app/net\.py", text)
    assert re.search(r"24 B +memory +\.data/a\d+\.storage", text)

    text = run(capsys, "show", "model.pkg")
    assert re.search(r"contents +as listed\n", text)
    assert re.search(r"distributions +numpy \d", text)
    assert run(capsys, "show", "model.pkg", "proj_app/util.py") == PROJECT["proj_app/util.py"]
    assert "proj_app.net.Net" in run(capsys, "show", "model.pkg", "objects/object.pkl")

    text = run(capsys, "tree", "model.pkg")
    assert "├── net.py" in text
    assert "proj_app.net imports sys, numpy, proj_app.util" in text.replace("proj_app, ", "")

    text = run(capsys, "verify", "model.pkg")
    assert re.search(r"modules +4 of 4 load", text)
    assert re.search(r"objects +1 of 1 load", text)
    assert re.search(r"numpy \S+ \(here\)", text)

    run(capsys, "extract", "model.pkg", "folder")
    assert PackageImporter("folder").load_pickle("objects", "object.pkl")() == 3
    assert "is there already" in run(capsys, "extract", "model.pkg", "folder", status=1)
    assert run(capsys, "diff", "model.pkg", "folder") == ""
    (project / "folder" / "proj_app" / "util.py").write_text("def total(x): return 0\n")
    (project / "folder" / "proj_app" / "new.py").write_text("")
    text = run(capsys, "diff", "model.pkg", "folder", status=1)
    assert "added: proj_app/new.py" in text
    assert "  -def total(x): return float(x.sum())\n  +def total(x): return 0" in text


def test_svg(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "create", "model.pkg", "--module", "proj_app.net")
    run(capsys, "tree", "model.pkg", "--svg", "tree.svg")
    root = ET.parse(project / "tree.svg").getroot()
    texts = "\n".join(root.itertext())
    assert "proj_app.net imports proj_app.util" in texts
    assert "words.txt" in texts
    assert [path.name for path in project.glob(".tree*")] == []


def test_signed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = Ed25519PrivateKey.generate()
    Path("key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    public = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    Path("public.pem").write_bytes(key.public_key().public_bytes(*public))
    other = Ed25519PrivateKey.generate().public_key().public_bytes(*public)
    Path("other.pem").write_bytes(other)
    run(capsys, "create", "model.pkg", "--module", "proj_app.util", "--sign", "key.pem")
    assert "signed by that key" in run(
        capsys, "show", "model.pkg", "--public-key", "public.pem"
    )  # fmt: skip
    run(capsys, "verify", "model.pkg", "--public-key", "public.pem")
    for action in ("show", "verify"):
        text = run(capsys, action, "model.pkg", "--public-key", "other.pem", status=1)
        assert "another key" in text


def test_patterns_and_mistakes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(
        capsys, "create", "model.pkg", "--module", "proj_app.net", "--mock", "proj_app.util"
    )  # fmt: skip
    assert re.search(r"mocked +proj_app\.util", text)
    text = run(
        capsys, "create", "b.pkg", "--module", "proj_app.net", "--deny", "numpy", status=1
    )  # fmt: skip
    assert "proj_app/net.py, line 2: import numpy as np" in text
    assert not Path("b.pkg").exists()
    assert "give --object or --module" in run(capsys, "create", "b.pkg", status=2)
    assert "MODULE:EXPRESSION" in run(capsys, "create", "b.pkg", "--object", "x", status=2)
    assert "NameError" in run(capsys, "create", "b.pkg", "--object", "proj_app:y", status=1)
    assert "no_such" in run(capsys, "create", "b.pkg", "--object", "no_such:y", status=1)
    assert "PACKAGE/FILE" in run(
        capsys, "create", "b.pkg", "--object", "proj_app:1", "--as", "x", status=2
    )  # fmt: skip
    run(capsys, "ls", "absent.pkg", status=1)


def test_verify_reports_what_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("proj_app/broken.py").write_text("raise RuntimeError('no')")
    run(capsys, "create", "model.pkg", "--module", "proj_app.broken")
    text = run(capsys, "verify", "model.pkg", status=1)
    assert "proj_app.broken: RuntimeError: no" in text
