"""The reference interpreter runs whole opened programs, and agrees with PyTorch's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import export, reference
from rushlight.export import OutputKind
from tests import fixture_calls as fixtures

# Buffers keep their value between calls, which the interpreter does not do: one call each.
CASES = [(n, f) for n in fixtures.NAMES for f in fixtures.FORMS]


def to_reference(value: Any) -> Any:
    if isinstance(value, rushlight.Tensor):
        return reference.cast(fixtures.as_array(value), "bfloat16")
    return value


@pytest.mark.parametrize(("name", "form"), CASES)
def test_reference_agrees(name: str, form: str) -> None:
    program = export.load(fixtures.path_of(name, form))
    given = fixtures.flat_inputs(name, 0, form)
    names = {v.name for v in program.graph.inputs}
    inputs = [
        to_reference(value)
        for value, spec in zip(
            given,
            [s for s in program.graph_signature.input_specs if s.target is None],
            strict=True,
        )
        if spec.arg.name in names
    ]
    results = reference.Interpreter(program).run(*inputs)
    values = dict(zip((v.name for v in program.graph.outputs), results, strict=True))
    user = [s.arg for s in program.graph_signature.output_specs if s.kind is OutputKind.USER_OUTPUT]
    for arg, wanted in zip(user, fixtures.flat_outputs(name, 0), strict=True):
        if isinstance(arg, export.ConstantArgument):
            fixtures.check(arg.value, wanted)
            continue
        result = values[arg.name]
        if reference.dtype_of(np.asarray(result)) == "bfloat16" or isinstance(
            result, reference.BFloat16Array
        ):
            np.testing.assert_allclose(np.asarray(result, "f4"), wanted, rtol=1e-2, atol=1e-2)
        else:
            fixtures.check(np.asarray(result), wanted)
