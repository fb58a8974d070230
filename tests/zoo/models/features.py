"""Small programs for the calling convention, the dtypes and the symbols of the format."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tests.zoo.program import Call, Program


def build_linear(small: bool) -> Program:
    del small  # the smallest real program: start-up time is measured with it
    return Program(nn.Linear(4, 4), lambda k: Call((torch.randn(2, 4),)))


class NestedInputs(nn.Module):
    """Takes a dict, a tuple that holds None, and keyword inputs; returns them nested too."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(
        self,
        batch: dict[str, torch.Tensor],
        pair: tuple[torch.Tensor, torch.Tensor | None],
        *,
        scale: torch.Tensor,
        bias: torch.Tensor | None = None,
        flip: bool = False,
    ) -> dict[str, Any]:
        x = self.linear(batch["x"]) * scale
        if bias is not None:
            x = x + bias
        y = pair[0] if pair[1] is None else pair[0] + pair[1]
        if flip:
            y = y.flip(0)
        return {"first": x, "rest": [y, (x.sum(), None)], "mask": batch["mask"] & (x[:, 0] > 0)}


def build_nested_inputs(small: bool) -> Program:
    del small

    def sample(k: int) -> Call:
        n = (3, 5, 2)[k]
        batch = {"x": torch.randn(n, 4), "mask": torch.rand(n) > 0.4}
        keywords = {"scale": torch.randn(3), "bias": torch.randn(3), "flip": True}
        return Call((batch, (torch.randn(2, 2), None)), keywords)

    rows = torch.export.Dim("rows", min=2, max=50)
    shapes = {
        "batch": {"x": {0: rows}, "mask": {0: rows}},
        "pair": (None, None),
        "scale": None,
        "bias": None,
        "flip": None,
    }
    return Program(NestedInputs(), sample, shapes)


class BFloat16MLP(nn.Module):
    """Weights and arithmetic in bfloat16, float32 at both ends, and one bfloat16 output."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width * 2).bfloat16()
        self.norm = nn.LayerNorm(width * 2).bfloat16()
        self.second = nn.Linear(width * 2, width).bfloat16()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.second(torch.nn.functional.silu(self.norm(self.first(x.bfloat16()))))
        return y.float().softmax(-1), y


def build_bf16_mlp(small: bool) -> Program:
    width = 8 if small else 256

    def sample(k: int) -> Call:
        return Call((torch.randn((4, 1, 9)[k], width),))

    shapes = {"x": {0: torch.export.Dim("batch", min=1, max=64)}}
    return Program(BFloat16MLP(width), sample, shapes)


class IntegersAndBooleans(nn.Module):
    """Integer and boolean inputs of several widths; integer division, bits, comparison, where."""

    def forward(
        self, ids: torch.Tensor, bytes_: torch.Tensor, mask: torch.Tensor, short: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        masked = torch.where(mask, ids, -ids)
        quotient = torch.div(ids, 3, rounding_mode="floor")
        bits = (bytes_ & 15) | (bytes_ >> 4)
        order = torch.argsort(masked, dim=1, stable=True)
        count = torch.cumsum(mask.to(torch.int64), dim=1)
        any_all = torch.stack((mask.any(1), mask.all(1), ~mask[:, 0]))
        return masked, quotient, ids % 3, bits, order, count, any_all, short * 2 - 1, ids / 2


def build_int_bool(small: bool) -> Program:
    del small

    def sample(k: int) -> Call:
        n = (3, 2, 4)[k]
        return Call(
            (
                torch.randint(-9, 10, (n, 5)),
                torch.randint(0, 256, (n, 5), dtype=torch.uint8),
                torch.rand(n, 5) > 0.5,
                torch.randint(-100, 100, (n,), dtype=torch.int32),
            )
        )

    rows = {0: torch.export.Dim("rows", min=2, max=32)}
    return Program(
        IntegersAndBooleans(), sample, {"ids": rows, "bytes_": rows, "mask": rows, "short": rows}
    )


class LiftedConstants(nn.Module):
    """Tensors made in forward or held as plain attributes or non-persistent buffers."""

    window: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(6, periodic=False), persistent=False)
        self.table = torch.arange(12.0).view(3, 4)

    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        weights = torch.tensor([0.5, -1.5, 2.0, 0.25, 1.0, -3.0])
        rows = self.table[index].sum(1, keepdim=True)
        return x * self.window * weights + rows + torch.tensor(7)


def build_lifted_constants(small: bool) -> Program:
    del small
    return Program(
        LiftedConstants(), lambda k: Call((torch.randn(3, 6), torch.randint(0, 3, (3,))))
    )


class MultiOutput(nn.Module):
    """Operators with several results or a list of them; an input and a constant returned as is."""

    def forward(self, x: torch.Tensor) -> tuple[Any, ...]:
        values, indices = x.topk(2, dim=1)
        low, where = x.min(dim=0)
        parts = torch.split(x, [1, 2, 3], dim=1)
        var, mean = torch.var_mean(x, dim=1)
        first, *_ = x.unbind(0)
        ordered, _ = x.sort(dim=1, descending=True)
        return values, indices, low, where, parts[2], var, mean, first, ordered, x, 3


def build_multi_output(small: bool) -> Program:
    del small
    return Program(MultiOutput(), lambda k: Call((torch.randn(4, 6),)))


class SymbolicSizes(nn.Module):
    """Sizes computed from sizes: a view, a step, slices and scalars that depend on the input."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        n, length = x.shape
        halves = x.reshape(n, 2, length // 2).sum(1) / length
        both = torch.cat((x, y), dim=0)
        steps = torch.arange(length, dtype=x.dtype) * (1.0 / n)
        return halves, both + steps, both[n:, : length - 1]


def build_symbolic_sizes(small: bool) -> Program:
    del small

    def sample(k: int) -> Call:
        n, m, half = ((3, 4, 4), (2, 5, 3), (6, 3, 5))[k]
        return Call((torch.randn(n, 2 * half), torch.randn(m, 2 * half)))

    length = 2 * torch.export.Dim("half", min=2, max=20)
    n, m = torch.export.Dim("n", min=2, max=20), torch.export.Dim("m", min=2, max=20)
    return Program(SymbolicSizes(), sample, {"x": {0: n, 1: length}, "y": {0: m, 1: length}})


class SymbolicMasks(nn.Module):
    """A causal mask and a padding whose sizes are those of the input; the size is an output."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        n, length = x.shape
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        scores = x.new_zeros(n, length, length).masked_fill(mask, 1.0) @ x.unsqueeze(-1)
        return scores.squeeze(-1), torch.nn.functional.pad(x, (n, 1)), n * length


def build_symbolic_masks(small: bool) -> Program:
    del small
    n, length = torch.export.Dim("n", min=2, max=20), torch.export.Dim("length", min=2, max=20)

    def sample(k: int) -> Call:
        return Call((torch.randn(*((3, 7), (2, 5), (4, 6))[k]),))

    return Program(SymbolicMasks(), sample, {"x": {0: n, 1: length}})


class ScalarInputs(nn.Module):
    """A dynamic integer input beside literals that stay in the graph's inputs."""

    def forward(self, x: torch.Tensor, count: int, alpha: float, name: str) -> torch.Tensor:
        assert name == "repeat"
        return x.unsqueeze(0).expand(count, -1) * alpha + torch.arange(count).unsqueeze(1)


def build_scalar_inputs(small: bool) -> Program:
    del small

    def sample(k: int) -> Call:
        return Call((torch.randn(5), (3, 4, 7)[k], 0.5, "repeat"))

    shapes = {"x": None, "count": torch.export.Dim.DYNAMIC, "alpha": None, "name": None}
    return Program(ScalarInputs(), sample, shapes)


class ChannelsLast(nn.Module):
    """A convolution whose weight and activations are kept channels-last, in float64 at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        with torch.no_grad():
            weight = self.conv.weight.contiguous(memory_format=torch.channels_last)
            self.conv.weight = nn.Parameter(weight)
        self.depthwise = nn.Conv2d(4, 8, 3, padding=2, dilation=2, groups=4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.conv(x.contiguous(memory_format=torch.channels_last))
        x = self.depthwise(torch.nn.functional.hardswish(x))
        return x.double().mean((2, 3))


def build_channels_last(small: bool) -> Program:
    del small
    return Program(ChannelsLast(), lambda k: Call((torch.randn(2, 3, 9, 7),)))
