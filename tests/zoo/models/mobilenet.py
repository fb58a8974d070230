"""MobileNetV2 (Sandler et al., 2018), dynamic batch."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program, settle_batch_norm


def conv_bn(
    inplanes: int, planes: int, kernel: int, *, stride: int = 1, groups: int = 1, act: bool = True
) -> nn.Sequential:
    """Convolution and batch norm, with ReLU6 unless it is the linear bottleneck's."""
    layers: list[nn.Module] = [
        nn.Conv2d(inplanes, planes, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(planes),
    ]
    if act:
        layers.append(nn.ReLU6(inplace=True))
    return nn.Sequential(*layers)


class InvertedResidual(nn.Module):
    """Expand, filter each channel, project; add the input where the shapes agree."""

    def __init__(self, inplanes: int, planes: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden = inplanes * expand
        layers = [conv_bn(inplanes, hidden, 1)] if expand != 1 else []
        layers.append(conv_bn(hidden, hidden, 3, stride=stride, groups=hidden))
        layers.append(conv_bn(hidden, planes, 1, act=False))
        self.conv = nn.Sequential(*layers)
        self.residual = stride == 1 and inplanes == planes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.conv(x)
        return x + out if self.residual else out


# expansion, channels, blocks, stride of the first block
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class MobileNetV2(nn.Module):
    """The stem, the seven stages, a wide 1x1 convolution and the classifier."""

    def __init__(self, divide: int = 1, blocks: int = 4) -> None:
        super().__init__()
        inplanes = 32 // divide
        layers: list[nn.Module] = [conv_bn(3, inplanes, 3, stride=2)]
        for expand, channels, count, stride in STAGES:
            planes = channels // divide
            for i in range(min(count, blocks)):
                layers.append(InvertedResidual(inplanes, planes, stride if i == 0 else 1, expand))
                inplanes = planes
        last = 1280 // divide
        layers.append(conv_bn(inplanes, last, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, 1000 // divide))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.classifier(self.features(x).mean((2, 3)))
        return out


def build_mobilenet_v2(small: bool) -> Program:
    model = MobileNetV2(4, 2) if small else MobileNetV2()
    side = 64 if small else 224

    def sample(k: int) -> Call:
        return Call((torch.randn((4, 1, 2)[k], 3, side, side),))

    settle_batch_norm(model, sample)
    return Program(model, sample, {"x": {0: torch.export.Dim("batch", min=1, max=64)}})
