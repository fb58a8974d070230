"""Whole programs in the reference interpreter: PyTorch's own graphs, in-place operators and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.reference import Interpreter, dtype_of

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore"),  # torch.export's own deprecations are not ours to fix
]

MODELS = (
    "bf16_mlp", "channels_last", "counter", "gru_tagger", "inplace_slices",
    "inplace_views", "input_mutation", "int_bool", "kv_cache", "lenet", "lifted_constants",
    "lstm_tagger", "multi_output", "nested_inputs", "resnet18", "symbolic_masks",
    "symbolic_sizes", "tcn", "tied_weights", "vit",
)  # fmt: skip
TOLERANCE = {"bfloat16": 2e-2}


@pytest.mark.parametrize("form", ["exported", "decomposed"])
@pytest.mark.parametrize("name", MODELS)
def test_program(name: str, form: str) -> None:
    import torch
    from torch.utils import _pytree as pytree

    from tests.oracle.fx_program import from_torch, program_of
    from tests.zoo.export import build, export, sample
    from tests.zoo.record import clone_call, flat_inputs

    program = build(name, True)
    exported = export(program)
    if form == "decomposed":
        exported = exported.run_decompositions()
    call = sample(program, 1)
    given = [from_torch(leaf) for leaf in flat_inputs(exported, call)]
    outputs = Interpreter(program_of(exported)).run(*given)
    used = clone_call(call)
    with torch.no_grad():
        expected = pytree.tree_leaves(program.module(*used.args, **used.kwargs))
    extra = len(outputs) - len(expected)  # changed buffers and inputs come first
    for ours, theirs in zip(outputs[extra:], expected, strict=True):
        assert_program_output(ours, from_torch(theirs))


def assert_program_output(ours: Any, theirs: Any) -> None:
    """Equal integers and booleans; floats by the norm of the difference."""
    if not isinstance(theirs, np.ndarray):
        assert ours == theirs
        return
    assert dtype_of(ours) == dtype_of(theirs)
    assert ours.shape == theirs.shape
    if theirs.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
        return
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    error = float(np.linalg.norm(a - b)) / (float(np.linalg.norm(b)) or 1)
    assert error <= TOLERANCE.get(dtype_of(theirs), 1e-5)
