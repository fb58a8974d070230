"""Sequence taggers: a bidirectional two-layer LSTM and a GRU, over token ids, dynamic batch."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program


class LSTMTagger(nn.Module):
    """Embedding, bidirectional LSTM, a score for each tag; also the final hidden state."""

    def __init__(self, words: int, embed: int, hidden: int, tags: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, embed, padding_idx=0)
        self.lstm = nn.LSTM(embed, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(2 * hidden, tags)

    def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        out, (hidden, _) = self.lstm(self.embed(tokens))
        return torch.log_softmax(self.tag(out), -1), hidden


class GRUTagger(nn.Module):
    """Embedding, one-layer GRU in time-major layout, with an initial state given as input."""

    def __init__(self, words: int, embed: int, hidden: int, tags: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, embed)
        self.gru = nn.GRU(embed, hidden)
        self.tag = nn.Linear(hidden, tags)

    def forward(self, tokens: torch.Tensor, state: torch.Tensor) -> dict[str, torch.Tensor]:
        out, state = self.gru(self.embed(tokens), state)
        return {"tags": self.tag(out), "state": state}


BATCH = (4, 1, 6)


def build_lstm_tagger(small: bool) -> Program:
    words, embed, hidden, length = (200, 16, 24, 7) if small else (10000, 128, 256, 32)
    model = LSTMTagger(words, embed, hidden, 17)

    def sample(k: int) -> Call:
        return Call((torch.randint(0, words, (BATCH[k], length)),))

    return Program(model, sample, {"tokens": {0: torch.export.Dim("batch", min=1, max=256)}})


def build_gru_tagger(small: bool) -> Program:
    words, embed, hidden, length = (200, 16, 24, 6) if small else (10000, 128, 256, 32)
    model = GRUTagger(words, embed, hidden, 17)

    def sample(k: int) -> Call:
        n = BATCH[k]
        return Call((torch.randint(0, words, (length, n)), torch.randn(1, n, hidden)))

    batch = torch.export.Dim("batch", min=1, max=256)
    return Program(model, sample, {"tokens": {1: batch}, "state": {1: batch}})
