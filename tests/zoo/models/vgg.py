"""VGG-11 (Simonyan and Zisserman, 2014), without batch norm, static shapes."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program

CHANNELS = (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0)  # 0 is a pooling


class VGG11(nn.Module):
    """Eight 3x3 convolutions, five poolings, three linear layers."""

    def __init__(self, divide: int, hidden: int, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inplanes = 3
        for channels in CHANNELS:
            if channels == 0:
                layers.append(nn.MaxPool2d(2, 2))
                continue
            planes = channels // divide
            layers += [nn.Conv2d(inplanes, planes, 3, padding=1), nn.ReLU(inplace=True)]
            inplanes = planes
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(inplanes * 49, hidden),
            nn.ReLU(True),
            nn.Dropout(),
            nn.Linear(hidden, hidden),
            nn.ReLU(True),
            nn.Dropout(),
            nn.Linear(hidden, classes),
        )
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.uniform_(module.bias, -0.1, 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.avgpool(self.features(x))
        out: torch.Tensor = self.classifier(torch.flatten(x, 1))
        return out


def build_vgg11(small: bool) -> Program:
    # Small: one seventh of the pooling grid is real, so the adaptive pooling repeats its input.
    model = VGG11(8, 64, 100) if small else VGG11(1, 4096, 1000)
    side = 64 if small else 224
    return Program(model, lambda k: Call((torch.randn(1, 3, side, side),)))
