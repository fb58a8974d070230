"""Models of domains that the libraries lack: recommendation, graphs, diffusion, point clouds,
radiance fields, super-resolution, time series, voice activity. Small, of the published structure.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from tests.zoo.large.case import Case
from tests.zoo.program import Call


def layers(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    parts: list[nn.Module] = []
    for a, b in itertools.pairwise(sizes):
        parts += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


class DLRM(nn.Module):
    """Recommendation (Naumov et al., 2019): bags of embeddings and their dot products."""

    def __init__(self, dense: int, tables: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.bottom = layers(dense, 32, width)
        self.bags = nn.ModuleList(nn.EmbeddingBag(n, width, mode="sum") for n in tables)
        pairs = len(tables) * (len(tables) + 1) // 2
        self.top = layers(width + pairs, 32, 1)

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        """Map (N, dense) numbers and (tables, N, k) indices to (N,) probabilities."""
        x = self.bottom(dense)
        parts = [x] + [bag(ids) for bag, ids in zip(self.bags, categories, strict=True)]
        z = torch.stack(parts, 1)
        products = z @ z.transpose(1, 2)
        rows, columns = torch.tril_indices(len(parts), len(parts), -1).unbind()
        out = self.top(torch.cat((x, products[:, rows, columns]), 1))
        return torch.sigmoid(out.squeeze(1))


def dlrm() -> Case:
    tables = (50, 30, 20)
    module = DLRM(6, tables, 16)

    def calls(batch: int) -> Call:
        ids = torch.stack([torch.randint(0, n, (batch, 3)) for n in tables])
        return Call((torch.randn(batch, 6), ids))

    return Case(module, calls, batched=False)


class GraphConvolution(nn.Module):
    """One layer of a GCN (Kipf and Welling, 2017) over a list of edges."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = edges[0], edges[1]
        degree = torch.ones(x.shape[0]).scatter_add(0, target, torch.ones_like(target).float())
        weight = degree[source].rsqrt() * degree[target].rsqrt()
        message = self.linear(x)
        out = message / degree[:, None]
        return out.index_add(0, target, message[source] * weight[:, None])


class GraphAttention(nn.Module):
    """One layer of a GAT (Veličković et al., 2018)."""

    def __init__(self, inputs: int, outputs: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(inputs, heads * outputs, bias=False)
        self.source = nn.Parameter(torch.randn(heads, outputs))
        self.target = nn.Parameter(torch.randn(heads, outputs))

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        n = x.shape[0]
        h = self.project(x).view(n, self.heads, -1)
        score = (h * self.source).sum(-1)[edges[0]] + (h * self.target).sum(-1)[edges[1]]
        score = F.leaky_relu(score, 0.2)
        index = edges[1][:, None].expand_as(score)
        most = torch.full((n, self.heads), -torch.inf).scatter_reduce(0, index, score, "amax")
        weight = (score - most[edges[1]]).exp()
        total = torch.zeros(n, self.heads).scatter_add(0, index, weight)
        weight = weight / total[edges[1]]
        out = torch.zeros_like(h).index_put((edges[1],), h[edges[0]] * weight[..., None], True)
        return out.flatten(1)


class GraphNet(nn.Module):
    """Two convolutions, an attention, and the mean of each graph of a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GraphConvolution(8, 16), GraphConvolution(16, 16)
        self.attention = GraphAttention(16, 4, 3)
        self.head = nn.Linear(12, 5)

    def forward(
        self, x: torch.Tensor, edges: torch.Tensor, graph: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        x = F.relu(self.first(x, edges))
        x = F.elu(self.attention(F.relu(self.second(x, edges)), edges))
        pooled = torch.zeros(3, x.shape[1]).scatter_reduce(
            0, graph[:, None].expand_as(x), x, "mean", include_self=False
        )
        return self.head(pooled), x


def graph_net() -> Case:
    def calls(batch: int) -> Call:
        nodes = 10 + batch
        edges = torch.randint(0, nodes, (2, 40))
        edges = torch.cat((edges, torch.arange(nodes).expand(2, nodes)), 1)
        return Call((torch.randn(nodes, 8), edges, torch.arange(nodes) % 3))

    return Case(GraphNet(), calls, batched=False)


class ResidualBlock(nn.Module):
    """Group norm, convolution, and the time step added between."""

    def __init__(self, inputs: int, outputs: int, time: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, inputs), nn.GroupNorm(4, outputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.time = nn.Linear(time, outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        out: torch.Tensor = self.skip(x) + self.conv2(F.silu(self.norm2(h)))
        return out


class CrossAttention(nn.Module):
    """Attention of the image's points to themselves and to a text."""

    def __init__(self, width: int, text: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.to_self = nn.MultiheadAttention(width, 4, batch_first=True)
        self.to_text = nn.MultiheadAttention(width, 4, kdim=text, vdim=text, batch_first=True)

    def forward(self, x: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        points = self.norm(x).flatten(2).transpose(1, 2)
        points = points + self.to_self(points, points, points, need_weights=False)[0]
        points = points + self.to_text(points, text, text, need_weights=False)[0]
        return x + points.transpose(1, 2).reshape(n, c, h, w)


class DiffusionUNet(nn.Module):
    """The denoiser of latent diffusion (Rombach et al., 2022), two levels."""

    def __init__(self, channels: int, width: int, text: int) -> None:
        super().__init__()
        time = 4 * width
        self.width = width
        self.embed = nn.Sequential(nn.Linear(width, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(channels, width, 3, padding=1)
        self.down1 = ResidualBlock(width, width, time)
        self.shrink = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.down2 = ResidualBlock(width, 2 * width, time)
        self.attention = CrossAttention(2 * width, text)
        self.middle = ResidualBlock(2 * width, 2 * width, time)
        self.up2 = ResidualBlock(4 * width, width, time)
        self.grow = nn.Conv2d(width, width, 3, padding=1)
        self.up1 = ResidualBlock(2 * width, width, time)
        self.last = nn.Sequential(
            nn.GroupNorm(4, width), nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1)
        )

    def forward(self, x: torch.Tensor, step: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        half = self.width // 2
        rates = torch.exp(-math.log(10000) * torch.arange(half) / half)
        angles = step[:, None].float() * rates[None]
        time = self.embed(torch.cat((angles.cos(), angles.sin()), 1))
        a = self.down1(self.first(x), time)
        b = self.attention(self.down2(self.shrink(a), time), text)
        c = self.middle(b, time)
        c = self.up2(torch.cat((c, b), 1), time)
        c = self.grow(F.interpolate(c, scale_factor=2.0, mode="nearest"))
        out: torch.Tensor = self.last(self.up1(torch.cat((c, a), 1), time))
        return out


def diffusion_unet() -> Case:
    def calls(batch: int) -> Call:
        step = torch.randint(0, 1000, (batch,))
        return Call((torch.randn(batch, 4, 16, 16), step, torch.randn(batch, 7, 12)))

    return Case(DiffusionUNet(4, 16, 12), calls)


class PointNet(nn.Module):
    """Classes of point clouds (Qi et al., 2017), and their nearest neighbours' features."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.align = nn.Sequential(nn.Conv1d(3, 16, 1), nn.ReLU(), nn.Conv1d(16, 32, 1))
        self.matrix = layers(32, 16, 9)
        self.features = nn.Sequential(nn.Conv1d(6, 32, 1), nn.GroupNorm(4, 32), nn.ReLU())
        self.head = layers(32, 16, classes)

    def forward(self, points: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Map (N, P, 3) to (N, classes) and the neighbours (N, P, 4)."""
        n = points.shape[0]
        turn = self.matrix(self.align(points.transpose(1, 2)).amax(2)).view(n, 3, 3)
        points = points @ (turn + torch.eye(3))
        distance = torch.cdist(points, points)
        near = distance.topk(4, largest=False).indices
        index = near.flatten(1)[..., None].expand(-1, -1, 3)
        around = points.gather(1, index).view(n, -1, 4, 3).mean(2)
        x = self.features(torch.cat((points, around - points), 2).transpose(1, 2))
        return self.head(x.amax(2)), near


class RadianceField(nn.Module):
    """NeRF (Mildenhall et al., 2020): colours of rays by integration along them."""

    def __init__(self, frequencies: int, width: int, samples: int) -> None:
        super().__init__()
        self.frequencies, self.samples = frequencies, samples
        self.trunk = layers(3 + 6 * frequencies, width, width)
        self.density = nn.Linear(width, 1)
        self.colour = layers(width + 3 + 6 * frequencies, width, 3)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        angles = x[..., None] * (2.0 ** torch.arange(self.frequencies)) * math.pi
        return torch.cat((x, angles.sin().flatten(-2), angles.cos().flatten(-2)), -1)

    def forward(self, origin: torch.Tensor, direction: torch.Tensor) -> tuple[torch.Tensor, ...]:
        t = torch.linspace(0.1, 2.0, self.samples)
        points = origin[:, None] + direction[:, None] * t[:, None]
        h = F.relu(self.trunk(self.encode(points)))
        density = F.softplus(self.density(h)).squeeze(-1)
        view = self.encode(F.normalize(direction, dim=-1))[:, None].expand(-1, self.samples, -1)
        colour = torch.sigmoid(self.colour(torch.cat((h, view), -1)))
        step = torch.cat((t[1:] - t[:-1], torch.full((1,), 0.1)))
        alpha = 1 - torch.exp(-density * step)
        through = torch.cumprod(torch.cat((torch.ones_like(alpha[:, :1]), 1 - alpha), 1), 1)
        weight = alpha * through[:, :-1]
        return (weight[..., None] * colour).sum(1), (weight * t).sum(1), weight


def radiance_field() -> Case:
    module = RadianceField(4, 32, 12)
    return Case(module, lambda batch: Call((torch.randn(batch, 3), torch.randn(batch, 3))))


class SubPixel(nn.Module):
    """Super-resolution by sub-pixel convolution (Shi et al., 2016), with a bicubic skip."""

    def __init__(self, scale: int) -> None:
        super().__init__()
        self.scale = scale
        self.body = nn.Sequential(
            nn.Conv2d(3, 24, 5, padding=2),
            nn.PReLU(24),
            nn.Conv2d(24, 24, 3, padding=1, padding_mode="reflect"),
            nn.PReLU(),
            nn.Conv2d(24, 3 * scale**2, 3, padding=1),
            nn.PixelShuffle(scale),
        )

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        skip = F.interpolate(
            image, scale_factor=float(self.scale), mode="bicubic", align_corners=False
        )
        return (self.body(image) + skip).clamp(0, 1)


class NBeats(nn.Module):
    """Forecasts by stacked residual blocks (Oreshkin et al., 2020)."""

    def __init__(self, past: int, future: int, blocks: int) -> None:
        super().__init__()
        self.past = past
        self.blocks = nn.ModuleList(layers(past, 32, 32, past + future) for _ in range(blocks))

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        mean = series.mean(1, keepdim=True)
        spread = series.std(1, keepdim=True) + 1e-5
        rest, forecast = (series - mean) / spread, torch.zeros(())
        for block in self.blocks:
            back, ahead = block(rest).tensor_split((self.past,), 1)
            rest, forecast = rest - back, forecast + ahead
        return forecast * spread + mean


class PatchForecaster(nn.Module):
    """Patches of each series through a transformer encoder (PatchTST; Nie et al., 2023)."""

    def __init__(self, channels: int, past: int, future: int, patch: int) -> None:
        super().__init__()
        self.patch = patch
        self.embed = nn.Linear(patch, 32)
        self.position = nn.Parameter(torch.randn(past // (patch // 2) - 1, 32) * 0.1)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32 * (past // (patch // 2) - 1), future)
        self.norm = nn.InstanceNorm1d(channels, affine=True)

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        """Map (N, channels, past) to (N, channels, future)."""
        n, c, _ = series.shape
        patches = self.norm(series).unfold(-1, self.patch, self.patch // 2)
        x = self.embed(patches.flatten(0, 1)) + self.position
        out: torch.Tensor = self.head(self.encoder(x).flatten(1)).view(n, c, -1)
        return out


class VoiceActivity(nn.Module):
    """Speech or silence as Silero VAD decides: a spectrum, convolutions, an LSTM with its state."""

    window: torch.Tensor

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("window", torch.hann_window(size), persistent=False)
        self.body = nn.Sequential(
            nn.Conv1d(size // 2 + 1, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Conv1d(width, 1, 1)

    def forward(
        self, wave: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        spectrum = torch.stft(
            wave, self.size, self.size // 4, window=self.window, return_complex=True
        )
        features = torch.log1p(spectrum.abs())
        out, (h, c) = self.lstm(self.body(features).transpose(1, 2), (h, c))
        return torch.sigmoid(self.head(out.transpose(1, 2))).mean(2), h, c


def voice_activity() -> Case:
    def calls(batch: int) -> Call:
        state = torch.zeros(1, batch, 16)
        return Call((torch.randn(batch, 512), state, state.clone()))

    return Case(VoiceActivity(64, 16), calls, batched=False)


class TextConvolution(nn.Module):
    """Sentences by convolutions of several widths (Kim, 2014), in bfloat16."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.convs = nn.ModuleList(nn.Conv1d(16, 12, k) for k in (2, 3, 4))
        self.head = nn.Linear(36, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.embed(words).transpose(1, 2)
        out: torch.Tensor = self.head(torch.cat([F.relu(c(x)).amax(2) for c in self.convs], 1))
        return out


def text_convolution() -> Case:
    module = TextConvolution().to(torch.bfloat16)
    return Case(module, lambda batch: Call((torch.randint(0, 50, (batch, 12)),)), half=True)


def of_noise(build: Callable[[], nn.Module], *shape: int) -> Case:
    """A case whose one input is random numbers of (batch, *shape)."""
    return Case(build(), lambda batch: Call((torch.rand(batch, *shape),)))


CASES: dict[str, Callable[[], Case]] = {
    "dlrm": dlrm,
    "graph_net": graph_net,
    "diffusion_unet": diffusion_unet,
    "point_net": partial(of_noise, partial(PointNet, 5), 24, 3),
    "radiance_field": radiance_field,
    "super_resolution": partial(of_noise, partial(SubPixel, 3), 3, 20, 20),
    "n_beats": partial(of_noise, partial(NBeats, 24, 6, 3), 24),
    "patch_forecaster": partial(of_noise, partial(PatchForecaster, 3, 32, 8, 8), 3, 32),
    "voice_activity": voice_activity,
    "text_convolution_bf16": text_convolution,
}
