"""One step of each recurrent cell, and the loop over time, directions and layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import Array, accumulate, cast, dtype_of
from .scalars import sigmoid

Weights = Sequence[Array | None]
Step = Callable[[Array, list[Array], Weights], list[Array]]


def _affine(value: Array, weight: Array | None, bias: Array | None) -> Array:
    assert weight is not None
    product = value @ weight.T
    return product if bias is None else np.asarray(product + bias)


def lstm_step(value: Array, state: list[Array], weights: Weights) -> list[Array]:
    """Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000).

    A fifth weight projects the hidden state (Sak et al., 2014).
    """
    hidden, cell = state
    gates = _affine(value, weights[0], weights[2]) + _affine(hidden, weights[1], weights[3])
    i, f, g, o = np.split(gates, 4, axis=-1)
    cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
    hidden = sigmoid(o) * np.tanh(cell)
    if len(weights) > 4 and weights[4] is not None:
        hidden = hidden @ weights[4].T
    return [hidden, cell]


def gru_step(value: Array, state: list[Array], weights: Weights) -> list[Array]:
    """Cho et al. (2014); the reset gate acts on W h + b, as in cuDNN."""
    (hidden,) = state
    from_input = np.split(_affine(value, weights[0], weights[2]), 3, axis=-1)
    from_hidden = np.split(_affine(hidden, weights[1], weights[3]), 3, axis=-1)
    reset = sigmoid(from_input[0] + from_hidden[0])
    update = sigmoid(from_input[1] + from_hidden[1])
    new = np.tanh(from_input[2] + reset * from_hidden[2])
    return [np.asarray((1 - update) * new + update * hidden)]


def simple_step(activation: Callable[[Any], Any]) -> Step:
    """Elman's network (1990)."""

    def step(value: Array, state: list[Array], weights: Weights) -> list[Array]:
        gate = _affine(value, weights[0], weights[2]) + _affine(state[0], weights[1], weights[3])
        return [np.asarray(activation(gate))]

    return step


def _layer_weights(
    params: Sequence[Array], count: int, has_biases: bool, dtype: str
) -> list[Weights]:
    """The weights of every layer and direction as w_ih, w_hh, b_ih, b_hh (and a projection)."""
    each = len(params) // count
    wide: list[Array | None] = [accumulate(param, dtype) for param in params]
    groups = [wide[i : i + each] for i in range(0, len(wide), each)]
    return [g if has_biases else [*g[:2], None, None, *g[2:]] for g in groups]


def run_layers(
    step: Step,
    input: Array,
    states: list[Array],
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Array, list[Array]]:
    """input (time, batch, features), or batch first; states (layers * directions, batch, width)."""
    if dropout > 0 and num_layers > 1:
        raise NotImplementedError("dropout: the reference interpreter draws no random numbers")
    dtype = dtype_of(input)
    directions = 2 if bidirectional else 1
    weights = _layer_weights(params, num_layers * directions, has_biases, dtype)
    batched = input.ndim == 3
    sequence = accumulate(input, dtype)
    if not batched:
        sequence, states = sequence[:, None], [state[:, None] for state in states]
    elif batch_first:
        sequence = sequence.swapaxes(0, 1)
    last: list[list[Array]] = [[] for _ in states]
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            state = [accumulate(s[at], dtype) for s in states]
            steps = []
            for value in sequence[::-1] if direction else sequence:
                state = step(value, state, weights[at])
                steps.append(state[0])
            outputs.append(np.stack(steps[::-1] if direction else steps))
            for kept, part in zip(last, state, strict=True):
                kept.append(part)
        sequence = np.concatenate(outputs, axis=-1)
    final = [cast(np.stack(parts), dtype) for parts in last]
    if not batched:
        return cast(sequence[:, 0], dtype), [state[:, 0] for state in final]
    return cast(sequence.swapaxes(0, 1) if batch_first else sequence, dtype), final
