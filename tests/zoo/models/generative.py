"""DCGAN's generator (Radford et al., 2015) and a convolutional VAE (Kingma and Welling, 2013)."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.program import Call, Program, settle_batch_norm


class Generator(nn.Module):
    """Latent (N, latent, 1, 1) to image (N, 3, 64, 64) by five transposed convolutions."""

    def __init__(self, latent: int, width: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inplanes = latent
        for i, planes in enumerate((width * 8, width * 4, width * 2, width)):
            stride, padding = (1, 0) if i == 0 else (2, 1)
            layers += [
                nn.ConvTranspose2d(inplanes, planes, 4, stride, padding, bias=False),
                nn.BatchNorm2d(planes),
                nn.ReLU(True),
            ]
            inplanes = planes
        layers += [nn.ConvTranspose2d(inplanes, 3, 4, 2, 1, bias=False), nn.Tanh()]
        self.main = nn.Sequential(*layers)
        for module in self.modules():
            if isinstance(module, nn.ConvTranspose2d):
                nn.init.normal_(module.weight, 0.0, 0.05)

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        image: torch.Tensor = self.main(z)
        return image


class VAE(nn.Module):
    """Encode 1x28x28 images, take the mean of the posterior, decode."""

    def __init__(self, width: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, width * 2, 3, 2, 1),
            nn.SiLU(),
            nn.Flatten(),
        )
        self.mean = nn.Linear(width * 2 * 49, latent)
        self.logvar = nn.Linear(width * 2 * 49, latent)
        self.expand = nn.Linear(latent, width * 2 * 49)
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (width * 2, 7, 7)),
            nn.ELU(),
            nn.ConvTranspose2d(width * 2, width, 3, 2, 1, output_padding=1),
            nn.Softplus(),
            nn.ConvTranspose2d(width, 1, 3, 2, 1, output_padding=1),
        )
        # A fresh posterior is close to the prior, where the KL divergence cancels to nothing.
        for module in (self.mean, self.logvar):
            nn.init.normal_(module.weight, std=8.0 * module.in_features**-0.5)

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the reconstruction, its KL divergence for each image, and the latent mean."""
        hidden = self.encoder(image)
        mean, logvar = self.mean(hidden), self.logvar(hidden)
        kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp(), dim=1)
        return torch.sigmoid(self.decoder(self.expand(mean))), kl, mean


def build_dcgan(small: bool) -> Program:
    latent, width = (16, 4) if small else (100, 64)
    model = Generator(latent, width)

    def sample(k: int) -> Call:
        return Call((torch.randn((8, 1, 3)[k], latent, 1, 1),))

    settle_batch_norm(model, sample)
    return Program(model, sample, {"z": {0: torch.export.Dim("batch", min=1, max=64)}})


def build_vae(small: bool) -> Program:
    model = VAE(*((4, 6) if small else (32, 20)))

    def sample(k: int) -> Call:
        return Call((torch.rand((4, 1, 6)[k], 1, 28, 28),))

    return Program(model, sample, {"image": {0: torch.export.Dim("batch", min=1, max=64)}})
