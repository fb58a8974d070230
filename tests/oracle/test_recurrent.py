"""Recurrent networks and cells against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.eager import check
from tests.oracle.test_reductions import make

pytestmark = pytest.mark.oracle

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
TOLERANCE = {"float32": 1e-5, "float64": 1e-11, "bfloat16": 3e-2}


def weights(dtype: str, kind: str, inputs: int, hidden: int, layers: int, directions: int,
            biases: bool, projected: int = 0) -> list[Any]:  # fmt: skip
    out = []
    state = projected or hidden
    g = GATES[kind] * hidden
    for layer in range(layers):
        width = inputs if layer == 0 else state * directions
        for d in range(directions):
            seed = 10 * (layer * directions + d)
            out += [
                make(dtype, g, width, seed=seed) * 0.3,
                make(dtype, g, state, seed=seed + 1) * 0.3,
            ]
            if biases:
                out += [make(dtype, g, seed=seed + 2), make(dtype, g, seed=seed + 3)]
            if projected:
                out.append(make(dtype, projected, hidden, seed=seed + 4) * 0.3)
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("kind", list(GATES))
def test_network(kind: str, dtype: str) -> None:
    for steps, batch, inputs, hidden in ((5, 3, 4, 6), (7, 1, 9, 16), (1, 2, 3, 20), (3, 4, 5, 33)):
        for layers, directions, biases, batch_first in (
            (1, 1, True, False), (2, 2, True, True), (2, 1, False, True), (1, 2, False, False),
        ):  # fmt: skip
            x = make(dtype, *((batch, steps) if batch_first else (steps, batch)), inputs)
            h = make(dtype, layers * directions, batch, hidden, seed=1)
            c = make(dtype, layers * directions, batch, hidden, seed=2)
            params = weights(dtype, kind, inputs, hidden, layers, directions, biases)
            tail = (params, biases, layers, 0.0, False, directions == 2, batch_first)
            check(f"{kind}.input", x, [h, c] if kind == "lstm" else h, *tail,
                  rtol=TOLERANCE[dtype])  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_projections(dtype: str) -> None:
    x = make(dtype, 6, 3, 4)
    h, c = make(dtype, 4, 3, 5, seed=1), make(dtype, 4, 3, 8, seed=2)
    params = weights(dtype, "lstm", 4, 8, 2, 2, True, projected=5)
    check("lstm.input", x, [h, c], params, True, 2, 0.0, False, True, False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", list(GATES))
def test_cell(kind: str, dtype: str) -> None:
    for batch, inputs, hidden in ((3, 4, 6), (1, 9, 17)):
        x, h = make(dtype, batch, inputs), make(dtype, batch, hidden, seed=1)
        c = make(dtype, batch, hidden, seed=2)
        state = [h, c] if kind == "lstm" else h
        check(f"{kind}_cell", x, state, *weights(dtype, kind, inputs, hidden, 1, 1, True))
        check(f"{kind}_cell", x, state, *weights(dtype, kind, inputs, hidden, 1, 1, False))


def test_errors() -> None:
    x, h = make("float32", 5, 3, 4), make("float32", 1, 3, 6)
    params = weights("float32", "gru", 4, 6, 1, 1, True)
    check("gru.input", x, make("float32", 1, 2, 6), params, True, 1, 0.0, False, False, False)
    check("gru.input", x[..., :3], h, params, True, 1, 0.0, False, False, False)
    check("gru.input", x, h, params[:3], True, 1, 0.0, False, False, False)
