"""A temporal convolutional network (Bai et al., 2018): dilated causal convolutions, any length."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

from tests.zoo.program import Call, Program


class TemporalBlock(nn.Module):
    """Two weight-normed causal convolutions; the tail that padding adds is cut off."""

    def __init__(self, inplanes: int, planes: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.trim = (kernel - 1) * dilation
        self.conv1 = weight_norm(
            nn.Conv1d(inplanes, planes, kernel, padding=self.trim, dilation=dilation)
        )
        self.conv2 = weight_norm(
            nn.Conv1d(planes, planes, kernel, padding=self.trim, dilation=dilation)
        )
        self.project = nn.Conv1d(inplanes, planes, 1) if inplanes != planes else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.relu(self.conv1(x)[:, :, : -self.trim].contiguous())
        out = torch.relu(self.conv2(out)[:, :, : -self.trim].contiguous())
        return torch.relu(out + self.project(x))


class TCN(nn.Module):
    """A stack of blocks with doubling dilation and a score for every step."""

    def __init__(self, channels: int, width: int, levels: int, classes: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            *(TemporalBlock(channels if i == 0 else width, width, 3, 1 << i) for i in range(levels))
        )
        self.head = nn.Linear(width, classes)

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        """Map (N, channels, L) to (N, L, classes)."""
        out: torch.Tensor = self.head(self.blocks(signal).transpose(1, 2))
        return out


def build_tcn(small: bool) -> Program:
    channels, width, levels = (3, 12, 3) if small else (8, 64, 6)
    model = TCN(channels, width, levels, 5)

    def sample(k: int) -> Call:
        n, length = ((2, 40), (1, 65), (3, 17))[k]
        return Call((torch.randn(n, channels, length if small else 4 * length),))

    batch = torch.export.Dim("batch", min=1, max=64)
    length = torch.export.Dim("length", min=2, max=4096)
    return Program(model, sample, {"signal": {0: batch, 2: length}})
