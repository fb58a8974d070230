"""Programs with state and aliasing: mutated buffers, a key/value cache, in-place writes, ties."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program


class Counter(nn.Module):
    """A running mean and the number of calls, both buffers that forward changes."""

    calls: torch.Tensor
    mean: torch.Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(features))
        self.scale = nn.Parameter(torch.randn(features))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.calls += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return (x - self.mean) * self.scale, self.calls.clone()


def build_counter(small: bool) -> Program:
    del small
    return Program(Counter(6), lambda k: Call((torch.randn(4, 6),)), calls=3)


class CachedAttention(nn.Module):
    """One decoding step of attention over a static cache that ``index_copy_`` fills."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, heads: int, width: int, length: int) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.qkv = nn.Linear(heads * width, 3 * heads * width)
        self.out = nn.Linear(heads * width, heads * width)
        self.register_buffer("keys", torch.zeros(1, heads, length, width))
        self.register_buffer("values", torch.zeros(1, heads, length, width))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """Map x (1, 1, heads * width) at ``position`` (1,) to the same shape."""
        q, k, v = self.qkv(x).view(1, 1, 3, self.heads, self.width).permute(2, 0, 3, 1, 4)
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        seen = torch.arange(self.keys.shape[2]) <= position
        scores = (q @ self.keys.transpose(-2, -1)) / self.width**0.5
        weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
        mixed = (weights @ self.values).transpose(1, 2).reshape(1, 1, -1)
        out: torch.Tensor = self.out(mixed)
        return out


def build_kv_cache(small: bool) -> Program:
    heads, width, length = (2, 8, 6) if small else (8, 64, 128)

    def sample(k: int) -> Call:
        # The first recorded call writes position 0, the next position 1, …
        return Call((torch.randn(1, 1, heads * width), torch.tensor([max(k - 1, 0)])))

    return Program(CachedAttention(heads, width, length), sample, calls=4)


class InplaceSlices(nn.Module):
    """Writes through slices and rows, with and without a step."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        y[:, 1:3].mul_(2.0)
        y[0] = -1.0
        z = torch.zeros_like(y)
        z[1:, ::2] += y[1:, ::2].exp()
        return y, z


def build_inplace_slices(small: bool) -> Program:
    del small
    return Program(InplaceSlices(), lambda k: Call((torch.randn(4, 6),)))


class InplaceViews(nn.Module):
    """Writes through a transpose, a flattening, chunks, a diagonal and an added dimension."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        y.t()[2].add_(x[:, 0])
        flat = y.view(-1)
        flat[::3].relu_()
        left, right = y.chunk(2, dim=1)
        left.copy_(right.flip(1))
        y.diagonal().fill_(0.5)
        y.unsqueeze(0).clamp_(max=1.5)
        return y, flat.sum()


def build_inplace_views(small: bool) -> Program:
    del small
    return Program(InplaceViews(), lambda k: Call((torch.randn(4, 6),)))


class InputMutation(nn.Module):
    """Changes one of its inputs in place and returns another value."""

    def forward(self, total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        total.add_(x)
        return total.sum(1)


def build_input_mutation(small: bool) -> Program:
    del small
    return Program(InputMutation(), lambda k: Call((torch.randn(3, 4), torch.randn(3, 4))))


class TiedLanguageModel(nn.Module):
    """The head is the embedding's weight; others are a strided view and a slice of a storage."""

    shift: torch.Tensor

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.Linear(width, width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embed.weight
        # A parameter that is a transposed view of its storage, as some initialisers leave it.
        self.turn = nn.Parameter(torch.randn(width, width + 2).t())
        self.register_buffer("shift", torch.randn(3, width)[1])  # starts inside its storage

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(self.mix(self.embed(tokens)))
        hidden = hidden @ self.turn[: hidden.shape[-1]] + self.shift
        out: torch.Tensor = self.head(hidden)
        return out


def build_tied_weights(small: bool) -> Program:
    words, width = (50, 8) if small else (2000, 128)

    def sample(k: int) -> Call:
        return Call((torch.randint(0, words, ((2, 3, 1)[k], 5)),))

    shapes = {"tokens": {0: torch.export.Dim("batch", max=100)}}
    return Program(TiedLanguageModel(words, width), sample, shapes)
