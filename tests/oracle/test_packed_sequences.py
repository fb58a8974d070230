"""Recurrent networks over packed sequences, and packing itself."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.eager import check

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

LENGTHS = torch.tensor([5, 3, 3, 1])


@pytest.mark.parametrize("batch_first", [False, True])
def test_packing_and_padding(batch_first: bool) -> None:
    x = torch.randn(4, 5, 2) if batch_first else torch.randn(5, 4, 2)
    check("_pack_padded_sequence", x, LENGTHS, batch_first)
    data, sizes = torch.ops.aten._pack_padded_sequence(x, LENGTHS, batch_first)
    check("_pad_packed_sequence", data, sizes, batch_first, -1.5, 0)
    check("_pad_packed_sequence", data, sizes, batch_first, 0.0, 8)
    check("_pad_packed_sequence", data, sizes, batch_first, 0.0, 2)
    check("_pack_padded_sequence", x, LENGTHS.flip(0), batch_first)


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_networks(kind: str, bidirectional: bool, layers: int) -> None:
    torch.manual_seed(0)
    module = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}.get(kind, torch.nn.RNN)
    options = {"nonlinearity": kind.removeprefix("rnn_")} if kind.startswith("rnn") else {}
    net = module(2, 3, layers, bidirectional=bidirectional, **options)
    data, sizes = torch.ops.aten._pack_padded_sequence(torch.randn(5, 4, 2), LENGTHS, False)
    state = torch.randn(layers * (2 if bidirectional else 1), 4, 3)
    hx = [state, torch.randn_like(state)] if kind == "lstm" else state
    params = [p.detach() for p in net.parameters()]
    check(f"{kind}.data", data, sizes, hx, params, True, layers, 0.0, False, bidirectional)
