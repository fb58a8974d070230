"""Which containers a file may bring back as their real class."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight import export, nativert
from rushlight.export import NamedOutputs
from rushlight.export.containers import AllowedTypes
from rushlight.utils import pytree
from tests import fixture_calls as fixtures
from tests.export.archives import LEAF, node, rewrite_program, signature, spec


class Scores(OrderedDict[str, Any]):
    """Built from pairs, like transformers' cache."""


@dataclasses.dataclass
class Result:
    """Built by keywords, like transformers' outputs."""

    logits: Any
    loss: Any = None


class Opaque:
    """Only its author knows how to build one."""

    def __init__(self, value: Any) -> None:
        self.value = value


def archive(tmp_path: Path, container: dict[str, Any]) -> str:
    """The linear fixture, with its output in a container."""

    def change(program: dict[str, Any]) -> None:
        signature(program)["out_spec"] = spec(container)

    return rewrite_program(fixtures.path_of("linear"), tmp_path / "x.pt2", change)


def result_of(path: str, *allowed: type | str) -> Any:
    runner = nativert.ModelRunner(path, allowed_types=allowed)
    return runner.run(*fixtures.flat_inputs("linear", 0))


def test_a_name_alone_becomes_a_mapping_and_imports_nothing(tmp_path: Path) -> None:
    path = archive(tmp_path, node("antigravity.Output", ["logits"], LEAF))
    result = result_of(path)
    assert isinstance(result, NamedOutputs)
    fixtures.check(result.logits, fixtures.flat_outputs("linear", 0)[0])
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("cls", [Scores, Result])
def test_allowed_classes(tmp_path: Path, cls: type, as_text: bool) -> None:
    name = f"{__name__}.{cls.__name__}"
    path = archive(tmp_path, node(name, ["logits"], LEAF))
    result = result_of(path, name if as_text else cls)
    assert type(result) is cls
    logits = result["logits"] if isinstance(result, Scores) else result.logits
    assert isinstance(logits, np.ndarray)


def test_allowed_name_that_cannot_be_imported(tmp_path: Path) -> None:
    path = archive(tmp_path, node("no_such_package.Output", ["logits"], LEAF))
    assert isinstance(result_of(path, "no_such_package.Output"), NamedOutputs)


def test_allowed_class_without_names_needs_a_registration(tmp_path: Path) -> None:
    path = archive(tmp_path, node(f"{__name__}.Opaque", None, LEAF))
    with pytest.raises(TypeError, match="register_pytree_node"):
        export.load(path, allowed_types=[Opaque])


def test_registered_classes_are_built_as_registered(tmp_path: Path) -> None:
    pytree.register_pytree_node(
        Opaque,
        lambda o: ([o.value], None),
        lambda children, _: Opaque(next(iter(children))),
        serialized_type_name=f"{__name__}.Opaque",
    )
    try:
        result = result_of(archive(tmp_path, node(f"{__name__}.Opaque", None, LEAF)))
        assert isinstance(result, Opaque)
        assert result.value.shape == fixtures.flat_outputs("linear", 0)[0].shape  # type: ignore[union-attr]
    finally:
        pytree.unregister_pytree_node(Opaque)


def test_allowed_types_are_classes_or_names() -> None:
    with pytest.raises(TypeError, match="expected classes or full names, got 3"):
        AllowedTypes([3])  # type: ignore[list-item]


def test_named_tuple_fields_come_from_the_file(tmp_path: Path) -> None:
    def change(program: dict[str, Any]) -> None:
        root = node("collections.namedtuple", "their.Output", LEAF)
        signature(program)["out_spec"] = spec(root)
        module = program["graph_module"]
        module["treespec_namedtuple_fields"] = {"their.Output": {"field_names": ["logits"]}}
        assert json.dumps(program)

    path = rewrite_program(fixtures.path_of("linear"), tmp_path / "x.pt2", change)
    result = result_of(path)
    assert type(result).__name__ == "Output"
    fixtures.check(result.logits, fixtures.flat_outputs("linear", 0)[0])
