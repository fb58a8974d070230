"""Patterns: what matches, what conflicts, and the graph of what needs what."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.package import (
    EmptyMatchError,
    GlobGroup,
    PackageExporter,
    PackagingError,
    PatternConflictError,
)
from rushlight.package.analyze import find_first_use_of_broken_modules, trace_dependencies
from rushlight.package.digraph import DiGraph

from .packages import save_sources


@pytest.mark.parametrize(
    ("include", "exclude", "matching", "others"),
    [
        ("torch.*", (), ["torch.nn", "torch.f"], ["torch", "torch.nn.f", "torchvision"]),
        ("torch.**", (), ["torch", "torch.nn", "torch.nn.f"], ["torchvision"]),
        ("torch*.**", (), ["torch", "torchvision", "torchvision.t"], ["mytorch"]),
        ("**", (), ["a", "a.b.c"], []),
        ("**.b", (), ["b", "a.b", "a.a.b"], ["b.a"]),
        ("a.**.b", (), ["a.b", "a.x.y.b"], ["a", "b", "a.bb"]),
        ("a*b*c", (), ["abc", "axxbyyc"], ["ab", "a.b.c"]),
        (["a.**", "b"], ("a.x.**", "a.y"), ["a", "b", "a.z", "a.y.z"], ["a.x", "a.x.z", "a.y"]),
        ("a+[b]", (), ["a+[b]"], ["aab"]),
    ],
)
def test_matches(
    include: str, exclude: tuple[str, ...], matching: list[str], others: list[str]
) -> None:
    group = GlobGroup(include, exclude=exclude)
    assert [name for name in matching if not group.matches(name)] == []
    assert [name for name in others if group.matches(name)] == []


def test_stars_must_be_a_whole_segment() -> None:
    with pytest.raises(ValueError, match="whole segment"):
        GlobGroup("a.**b")


PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "a*", "*b", "**"]), min_size=1, max_size=3)
NAMES = st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=4).map(".".join)


@settings(deadline=None)
@given(PATTERNS.map(".".join), PATTERNS.map(".".join), st.lists(NAMES, max_size=8))
def test_covering_group_matches_all_that_the_other_does(
    wide: str, narrow: str, names: list[str]
) -> None:
    if GlobGroup(wide).covers(GlobGroup(narrow)):
        assert all(GlobGroup(wide).matches(n) for n in names if GlobGroup(narrow).matches(n))


@pytest.mark.parametrize(
    ("wide", "narrow", "covers"),
    [
        ("**", "a.*.b", True),
        ("a.**", "a.**", True),
        ("a.**", "a", True),
        ("a.*", "a.**", False),
        ("a.**", "**", False),
        ("a*.**", "ab*.c", True),
        ("*.*", "a.**", False),
        ("**.b", "a.**.b", True),
    ],
)
def test_covers(wide: str, narrow: str, covers: bool) -> None:
    assert GlobGroup(wide).covers(GlobGroup(narrow)) is covers


def test_exclusions_keep_a_pattern_from_covering() -> None:
    assert not GlobGroup("a.**", exclude="a.b.*").covers(GlobGroup("a.b.**"))
    assert GlobGroup("a.**", exclude="a.x*").covers(GlobGroup("a.b.**"))


def test_pattern_that_never_applies_is_an_error() -> None:
    with PackageExporter(io.BytesIO()) as exporter:
        exporter.intern("lib.**", exclude="lib.secret.**")
        exporter.deny("lib.secret.**")
        with pytest.raises(PatternConflictError, match=r"deny\('lib.sub'\) never applies"):
            exporter.deny(["other.**", "lib.sub"])
        with pytest.raises(PatternConflictError, match="earlier intern covers it"):
            exporter.mock("lib.*.leaf", exclude="lib.secret.**") or exporter.mock("lib.a")
        exporter.intern("lib.again")  # says the same
        exporter.deny("**")


@pytest.mark.parametrize("action", ["intern", "extern", "mock"])
def test_allow_empty(action: str) -> None:
    exporter = PackageExporter(io.BytesIO())
    getattr(exporter, action)(["absent.*"], allow_empty=False)
    with pytest.raises(EmptyMatchError, match=re.escape(f"{action} GlobGroup(['absent.*'])")):
        exporter.close()


def test_graph_paths() -> None:
    graph = DiGraph()
    for source, target in ["ab", "bc", "ad", "dc", "ce", "fc"]:
        graph.add_edge(source * 2, target * 2)
    assert graph.first_path("ee") == ["aa", "bb", "cc", "ee"]
    dot = graph.all_paths("aa", "cc")
    assert re.findall(r'"(\w+)" -> "(\w+)"', dot) == [
        ("aa", "bb"), ("aa", "dd"), ("bb", "cc"), ("dd", "cc")
    ]  # fmt: skip
    assert graph.forward_transitive_closure("dd") == {"dd", "cc", "ee"}
    assert graph.backward_transitive_closure("dd") == {"dd", "aa"}
    assert "->" not in graph.all_paths("ee", "aa")
    with pytest.raises(ValueError, match="'zz' is not in the graph"):
        graph.successors("zz")


def test_graph_with_a_cycle() -> None:
    graph = DiGraph()
    for source, target in ["ab", "ba", "bc"]:
        graph.add_edge(source, target)
    assert graph.first_path("c") == ["a", "b", "c"]


def test_first_use_of_broken_modules() -> None:
    exporter = PackageExporter(io.BytesIO())
    exporter.intern("lib.**")
    exporter.extern("sys")
    save_sources(exporter, {"lib.low": "import numpy", "main": "import lib.low"})
    with pytest.raises(PackagingError) as info:
        exporter.close()
    assert find_first_use_of_broken_modules(info.value) == {"numpy": ["main", "lib.low", "numpy"]}


def test_trace_dependencies() -> None:
    def call(text: str) -> object:
        import json

        return json.loads(text)

    used = trace_dependencies(call, [("[1]",), ("{}",)])
    assert {__name__, "json", "json.decoder"} <= set(used)
    assert "textwrap" not in used
