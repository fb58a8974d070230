"""A U-Net (Ronneberger et al., 2015): skips by concatenation; dynamic batch, height and width."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program, settle_batch_norm


def double_conv(inplanes: int, planes: int) -> nn.Sequential:
    """Twice a 3x3 convolution with batch norm and ReLU."""
    return nn.Sequential(
        nn.Conv2d(inplanes, planes, 3, padding=1, bias=False),
        nn.BatchNorm2d(planes),
        nn.ReLU(inplace=True),
        nn.Conv2d(planes, planes, 3, padding=1, bias=False),
        nn.BatchNorm2d(planes),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    """Two levels up by transposed convolution, the innermost by bilinear interpolation."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.down1 = double_conv(3, width)
        self.down2 = double_conv(width, width * 2)
        self.down3 = double_conv(width * 2, width * 4)
        self.middle = double_conv(width * 4, width * 4)
        self.pool = nn.MaxPool2d(2)
        self.up3 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.merge3 = double_conv(width * 8, width * 4)
        self.up2 = nn.ConvTranspose2d(width * 4, width * 2, 2, stride=2)
        self.merge2 = double_conv(width * 4, width * 2)
        self.up1 = nn.ConvTranspose2d(width * 2, width, 2, stride=2)
        self.merge1 = double_conv(width * 2, width)
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (N, classes, H, W) and the class of most weight in each image (N,)."""
        a = self.down1(image)
        b = self.down2(self.pool(a))
        c = self.down3(self.pool(b))
        x = self.middle(self.pool(c))
        x = self.merge3(torch.cat((self.up3(x), c), 1))
        x = self.merge2(torch.cat((self.up2(x), b), 1))
        x = self.merge1(torch.cat((self.up1(x), a), 1))
        logits = self.head(x)
        return logits, logits.mean((2, 3)).argmax(1)


def build_unet(small: bool) -> Program:
    model = UNet(8 if small else 32, 5)
    scale = 1 if small else 4

    def sample(k: int) -> Call:
        n, h, w = ((2, 32, 48), (1, 48, 32), (3, 16, 56))[k]
        return Call((torch.randn(n, 3, h * scale, w * scale),))

    settle_batch_norm(model, sample)
    batch = torch.export.Dim("batch", min=1, max=16)
    height = 8 * torch.export.Dim("h8", min=2, max=64)
    width = 8 * torch.export.Dim("w8", min=2, max=64)
    return Program(model, sample, {"image": {0: batch, 2: height, 3: width}})
