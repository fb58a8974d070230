"""The package's types under mypy --strict and pyright, and its stubs beside the module. The two
checks are marked oracle: the tools are installed where PyTorch is."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.utils.pytree import _pytree_c

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "src"


def run(*command: str) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE,
        env=dict(os.environ, MYPYPATH=str(SOURCE)),
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.oracle
def test_mypy() -> None:
    mypy = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent")
    run(*mypy, "--python-version", "3.10", "typed.py")
    run(*mypy, "-p", "rushlight.utils.pytree")


@pytest.mark.oracle
def test_pyright() -> None:
    project = HERE / "pyrightconfig.json"
    run(sys.executable, "-m", "pyright", "--project", str(project))


def test_the_stub_lists_what_the_module_has() -> None:
    stub = Path(inspect.getfile(_pytree_c)).with_name("_pytree_c.pyi")
    tree = ast.parse(stub.read_text())
    names = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    public = {n for n in dir(_pytree_c) if not n.startswith("__")}
    assert set(names) == public
    for name, node in names.items():
        if isinstance(node, ast.ClassDef):
            methods = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            assert {n for n in methods if not n.startswith("__")} <= set(
                dir(getattr(_pytree_c, name))
            )
            continue
        function = getattr(_pytree_c, name)
        if function.__text_signature__ is None:
            continue
        a = node.args
        expected = [x.arg for x in (*a.posonlyargs, *a.args)]
        expected += [a.vararg.arg] if a.vararg else []
        expected += [x.arg for x in a.kwonlyargs]
        assert list(inspect.signature(function).parameters) == expected, name
