"""A multi-layer perceptron with a dynamic batch, and a classifier head's usual softmax."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program


class MLP(nn.Module):
    """Linear, ReLU, Linear, GELU, Linear, log-softmax."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, hidden),
            nn.GELU(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.log_softmax(self.layers(x), dim=-1)


def build_mlp(small: bool) -> Program:
    features, hidden = (32, 48) if small else (784, 512)

    def sample(k: int) -> Call:
        return Call((torch.randn((8, 3, 17)[k], features),))

    shapes = {"x": {0: torch.export.Dim("batch", min=1, max=4096)}}
    return Program(MLP(features, hidden, 10), sample, shapes)
