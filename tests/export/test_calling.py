"""Arguments by position and by name, and PyTorch-like errors for those that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight import export
from tests import fixture_calls as fixtures


@pytest.fixture(scope="module")
def program() -> export.ExportedProgram:
    return export.load(fixtures.path_of("nested_inputs"))


@pytest.fixture
def flat() -> list[Any]:
    return fixtures.flat_inputs("nested_inputs", 0)


def call(program: export.ExportedProgram, flat: list[Any], **changes: Any) -> Any:
    x, mask, first, second, scale, bias, flip = flat
    arguments: dict[str, Any] = {
        "batch": {"x": x, "mask": mask},
        "pair": (first, second),
        "scale": scale,
        "bias": bias,
        "flip": flip,
        **changes,
    }
    return program.module()(**{k: v for k, v in arguments.items() if v is not Ellipsis})


def check(result: Any) -> None:
    expected = fixtures.flat_outputs("nested_inputs", 0)
    assert list(result) == ["first", "rest", "mask"]
    first, (second, (third, nothing)), mask = result.values()
    assert nothing is None
    for value, wanted in zip(
        (first, second, third, mask), (*expected[:3], expected[4]), strict=True
    ):
        fixtures.check(value, wanted)


def test_by_name_in_any_order(program: export.ExportedProgram, flat: list[Any]) -> None:
    check(call(program, flat))
    x, mask, first, second, scale, bias, flip = flat
    batch = {"mask": mask, "x": x}
    module = program.module()
    check(module(batch, (first, second), flip=flip, scale=scale, bias=bias))
    check(module(batch, (first, second), scale, bias, flip))
    check(module(batch, pair=(first, second), bias=bias, flip=flip, scale=scale))


ERRORS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"bias": ...}, TypeError, r"forward\(\) missing 1 required argument: 'bias'"),
    ({"bias": ..., "flip": ...}, TypeError, "missing 2 required arguments: 'bias', 'flip'"),
    ({"bais": 1}, TypeError, r"forward\(\) got an unexpected keyword argument 'bais'"),
    ({"batch": []}, TypeError, "batch: expected a dict, as at export, got list"),
    ({"batch": {"x": 1}}, ValueError, "batch: the keys differ.*missing 'mask'"),
    ({"pair": [1, None]}, TypeError, "pair: expected a tuple, as at export, got list"),
    ({"pair": (1,)}, ValueError, "pair: expected 2 entries, as at export, got 1"),
    ({"flip": False}, ValueError, "'flip'.*exported for True only, got False"),
    ({"pair": (3, None)}, TypeError, "input 'pair_0': expected float32.*got 3"),
]


@pytest.mark.parametrize(("changes", "error", "message"), ERRORS)
def test_errors(
    program: export.ExportedProgram,
    flat: list[Any],
    changes: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        call(program, flat, **changes)


def test_numbers_of_arguments() -> None:
    module = export.load(fixtures.path_of("linear")).module()
    (x,) = fixtures.flat_inputs("linear", 0)
    with pytest.raises(TypeError, match=r"forward\(\) takes 1 argument but 2 were given"):
        module(x, x)
    with pytest.raises(TypeError, match="got multiple values for argument 'input'"):
        module(x, input=x)
    with pytest.raises(TypeError, match="missing 1 required argument: 'input'"):
        module()


def test_results_have_the_original_nesting() -> None:
    outputs = export.load(fixtures.path_of("int_bool")).module()(
        *fixtures.flat_inputs("int_bool", 0)
    )
    assert isinstance(outputs, tuple)
    single = export.load(fixtures.path_of("linear")).module()(*fixtures.flat_inputs("linear", 0))
    assert np.asarray(single).ndim == 2
