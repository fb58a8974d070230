"""ResNet-18 and ResNet-50 (He et al., 2015). ResNet-18 is static, ResNet-50 has a dynamic batch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from tests.zoo.program import Call, Program, settle_batch_norm


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut."""

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut(inplanes, planes, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        result: torch.Tensor = self.relu(out)
        return result


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions and a shortcut; the stride sits on the 3x3."""

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * 4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut(inplanes, planes * 4, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        result: torch.Tensor = self.relu(out)
        return result


def shortcut(inplanes: int, outplanes: int, stride: int) -> nn.Module | None:
    """A strided 1x1 convolution where the shapes of both branches differ."""
    if stride == 1 and inplanes == outplanes:
        return None
    return nn.Sequential(
        nn.Conv2d(inplanes, outplanes, 1, stride, bias=False), nn.BatchNorm2d(outplanes)
    )


class ResNet(nn.Module):
    """The stem, four stages of blocks, and a linear classifier."""

    def __init__(
        self, block: type[BasicBlock] | type[Bottleneck], depths: Sequence[int], width: int
    ) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        stages: list[nn.Module] = []
        inplanes = width
        for stage, depth in enumerate(depths):
            planes = width << stage
            for i in range(depth):
                stages.append(block(inplanes, planes, 2 if stage and i == 0 else 1))
                inplanes = planes * block.expansion
        self.stages = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inplanes, 1000)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.stages(self.stem(x)))
        out: torch.Tensor = self.fc(torch.flatten(x, 1))
        return out


def build_resnet18(small: bool) -> Program:
    model = ResNet(BasicBlock, (1, 1, 1, 1) if small else (2, 2, 2, 2), 16 if small else 64)
    side = 64 if small else 224
    settle_batch_norm(model, lambda k: Call((torch.randn(4, 3, side, side),)))
    return Program(model, lambda k: Call((torch.randn(1, 3, side, side),)))


def build_resnet50(small: bool) -> Program:
    model = ResNet(Bottleneck, (1, 2, 1, 1) if small else (3, 4, 6, 3), 8 if small else 64)
    side = 64 if small else 224

    def sample(k: int) -> Call:
        return Call((torch.randn((4, 1, 3)[k], 3, side, side),))

    settle_batch_norm(model, sample)
    # As in trained networks, a block changes its input little; with a gain of about 1 in each of
    # 16 blocks, float32 itself would be good for no more than 1.5e-5 here.
    for module in model.modules():
        if isinstance(module, Bottleneck):
            module.bn3.weight.data *= 0.25
    return Program(model, sample, {"x": {0: torch.export.Dim("batch", min=1, max=64)}})
