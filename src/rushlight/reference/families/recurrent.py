"""Recurrent networks. PyTorch's order of gates: LSTM input, forget, cell, output; GRU reset,
update, new. Parameters of a layer and direction: w_ih, w_hh and, with biases, b_ih, b_hh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, accumulate, cast, dtype_of
from ..recurrence import gru_step, lstm_step, run_layers, simple_step


def lstm_input(
    input: Array,
    hx: Sequence[Array],
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Array, Array, Array]:
    """The output at every step, the last hidden state and the last cell state."""
    out, (hidden, cell) = run_layers(
        lstm_step, input, list(hx), params, has_biases, num_layers,
        dropout if train else 0, bidirectional, batch_first,
    )  # fmt: skip
    return out, hidden, cell


def gru_input(
    input: Array,
    hx: Array,
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Array, Array]:
    out, (hidden,) = run_layers(
        gru_step, input, [hx], params, has_biases, num_layers,
        dropout if train else 0, bidirectional, batch_first,
    )  # fmt: skip
    return out, hidden


def rnn_tanh_input(
    input: Array,
    hx: Array,
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Array, Array]:
    out, (hidden,) = run_layers(
        simple_step(np.tanh), input, [hx], params, has_biases, num_layers,
        dropout if train else 0, bidirectional, batch_first,
    )  # fmt: skip
    return out, hidden


def rnn_relu_input(
    input: Array,
    hx: Array,
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Array, Array]:
    out, (hidden,) = run_layers(
        simple_step(lambda x: np.maximum(x, 0)), input, [hx], params, has_biases, num_layers,
        dropout if train else 0, bidirectional, batch_first,
    )  # fmt: skip
    return out, hidden


def lstm_cell_default(
    input: Array,
    hx: Sequence[Array],
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> tuple[Array, Array]:
    dtype = dtype_of(input)
    state = [accumulate(x, dtype) for x in hx]
    weights = [None if w is None else accumulate(w, dtype) for w in (w_ih, w_hh, b_ih, b_hh)]
    hidden, cell = lstm_step(accumulate(input, dtype), state, weights)
    return cast(hidden, dtype), cast(cell, dtype)


def gru_cell_default(
    input: Array,
    hx: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> Array:
    dtype = dtype_of(input)
    weights = [None if w is None else accumulate(w, dtype) for w in (w_ih, w_hh, b_ih, b_hh)]
    return cast(gru_step(accumulate(input, dtype), [accumulate(hx, dtype)], weights)[0], dtype)


def rnn_tanh_cell_default(
    input: Array,
    hx: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> Array:
    dtype = dtype_of(input)
    weights = [None if w is None else accumulate(w, dtype) for w in (w_ih, w_hh, b_ih, b_hh)]
    step = simple_step(np.tanh)
    return cast(step(accumulate(input, dtype), [accumulate(hx, dtype)], weights)[0], dtype)


def rnn_relu_cell_default(
    input: Array,
    hx: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> Array:
    dtype = dtype_of(input)
    weights = [None if w is None else accumulate(w, dtype) for w in (w_ih, w_hh, b_ih, b_hh)]
    step = simple_step(lambda x: np.maximum(x, 0))
    return cast(step(accumulate(input, dtype), [accumulate(hx, dtype)], weights)[0], dtype)
