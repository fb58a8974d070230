"""LeNet-5 (LeCun et al., 1998) with tanh and average pooling, dynamic batch."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program


class LeNet(nn.Module):
    """Two convolutions, two poolings, three linear layers over 1x32x32 images."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.Tanh(),
            nn.AvgPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, classes)
        )

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.classifier(torch.flatten(self.features(image), 1))
        return out


def build_lenet(small: bool) -> Program:
    del small  # it is small

    def sample(k: int) -> Call:
        return Call((torch.randn((4, 1, 9)[k], 1, 32, 32),))

    return Program(LeNet(), sample, {"image": {0: torch.export.Dim("batch", min=1, max=1024)}})
