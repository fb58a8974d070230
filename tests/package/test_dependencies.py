"""Imports that are found in sources, and globals in pickles."""

from __future__ import annotations

import collections
import contextlib
import pickle
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.package.find_file_dependencies import find_files_source_depends_on, find_imports
from rushlight.package.pickle_globals import find_globals


def found(source: str, package: str = "") -> list[tuple[str, str | None]]:
    return find_files_source_depends_on(textwrap.dedent(source), package)


@pytest.mark.parametrize(
    ("source", "imports"),
    [
        ("import a.b, c as d", [("a.b", None), ("c", None)]),
        ("from a.b import c as d, e", [("a.b", "c"), ("a.b", "e")]),
        ("from a import *", [("a", None)]),
        ("def f():\n  class A:\n    async def g(self):\n      import a", [("a", None)]),
        ("x = lambda: __import__('a')", [("a", None)]),
        ("__import__('a.b', globals(), locals(), ['c', 'd'], 0)", [("a.b", "c"), ("a.b", "d")]),
        ("__import__('a', fromlist=('b',))", [("a", "b")]),
        ("__import__(name='a')", [("a", None)]),
        ("__import__(x); __import__('a' + y)", []),
        ("import importlib\nimportlib.import_module('a.b')", [("importlib", None), ("a.b", None)]),
        ("import importlib as i\ni.import_module(name='a')", [("importlib", None), ("a", None)]),
        (
            "from importlib import import_module as m\nm('a')",
            [("importlib", "import_module"), ("a", None)],
        ),
        ("import_module('a')", []),
        ("match x:\n  case 1:\n    import a", [("a", None)]),
        ("with x:\n  import a\nfor i in y:\n  import b\nelse:\n  import c",
         [("a", None), ("b", None), ("c", None)]),
        ("import a\nimport a", [("a", None)]),
    ],
)  # fmt: skip
def test_imports(source: str, imports: list[tuple[str, str | None]]) -> None:
    assert found(source) == imports


@pytest.mark.parametrize(
    ("source", "imports"),
    [
        ("from . import x", [("p.q", "x")]),
        ("from .x import y", [("p.q.x", "y")]),
        ("from .. import x", [("p", "x")]),
        ("from ..x.y import *", [("p.x.y", None)]),
        ("__import__('x', level=1)", [("p.q.x", None)]),
        (
            "import importlib\nimportlib.import_module('.x', __package__)",
            [("importlib", None), ("p.q.x", None)],
        ),
        (
            "import importlib\nimportlib.import_module('..x', 'r.s')",
            [("importlib", None), ("r.x", None)],
        ),
    ],
)
def test_relative_imports(source: str, imports: list[tuple[str, str | None]]) -> None:
    assert found(source, "p.q") == imports


@pytest.mark.parametrize("source", ["from ... import x", "from ....x import y"])
def test_relative_import_beyond_the_top(source: str) -> None:
    with pytest.raises(ImportError, match="beyond top-level"):
        found(source, "p.q")
    with pytest.raises(ImportError, match="there is no package"):
        found(source, "")


@pytest.mark.parametrize(
    "condition",
    [
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
        "t.TYPE_CHECKING and x",
        "not not TYPE_CHECKING",
        "False",
        "0",
    ],
)
def test_code_that_never_runs(condition: str) -> None:
    source = f"if {condition}:\n  import a\nelse:\n  import b"
    assert found(source) == [("b", None)]
    assert found(f"if not ({condition}):\n  import a\nelse:\n  import b") == [("a", None)]


def test_elif_of_type_checking() -> None:
    source = "if TYPE_CHECKING:\n  import a\nelif x:\n  import b\nelse:\n  import c"
    assert found(source) == [("b", None), ("c", None)]


def test_guards_and_lines() -> None:
    source = textwrap.dedent("""
        import a
        try:
            import b
        except (ImportError, ValueError):
            import c
        else:
            import d
        try:
            import e
        except ValueError:
            pass
        def f():
            import g
        if x:
            import h
    """)
    seen = {i.module: (i.line, i.guarded, i.deferred) for i in find_imports(source, "")}
    assert seen == {
        "a": (2, False, False),
        "b": (4, True, False),
        "c": (6, False, True),
        "d": (8, False, False),
        "e": (10, False, False),
        "g": (14, False, True),
        "h": (16, False, True),
    }


def test_computed_names_are_listed() -> None:
    (_, item) = find_imports("import importlib\nimportlib.import_module(f'{x}.y')", "")
    assert item.module is None
    assert item.statement == "importlib.import_module(f'{x}.y')"


def test_deep_source_is_an_error_or_read_but_no_crash() -> None:
    source = "x = " + "(" * 150 + "__import__('a')" + ")" * 150
    with contextlib.suppress(SyntaxError, RecursionError, MemoryError):
        assert found(source) == [("a", None)]


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_globals_of_pickles(protocol: int) -> None:
    obj = [collections.OrderedDict(), collections.OrderedDict, len, Outer.Inner(), "a", "b"]
    names = set(find_globals(pickle.dumps(obj, protocol)))
    wanted = {("collections", "OrderedDict")}
    assert wanted <= names
    assert any(module == __name__ for module, _ in names)


class Outer:
    class Inner:
        pass


def test_computed_global_is_an_error() -> None:
    # A name made by a call: no pickler writes that.
    data = b"\x80\x04\x8c\x02ab\x94\x8c\x02cd\x94\x86\x94\x8c\x01x\x93."
    with pytest.raises(ValueError, match="computes"):
        list(find_globals(data))


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_an_error_or_read(data: bytes) -> None:
    try:
        list(find_globals(data))
    except Exception as error:
        assert isinstance(error, (ValueError, UnicodeDecodeError, IndexError, KeyError))
