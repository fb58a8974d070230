"""Small programs with branches, loops, scans and wrapped graphs."""

from __future__ import annotations

import torch
from torch import nn
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.map import map as map_slices

from tests.zoo.program import Call, Program


class Branches(nn.Module):
    """A branch on data inside a branch on a size; weights are handed in, one branch views."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("shift", torch.randn(4))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def large(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = self.linear(x)
            y.relu_()
            return y + self.shift, x.t().sum(1)

        def small(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = torch.cond(x.sum() > 0, lambda x: x.cos(), lambda x: x * x.shape[0], (x,))
            return y.clone(), x.mean(0)

        first, second = torch.cond(x.shape[0] > 3, large, small, (x,))
        return first * 2, second


def build_branches(small: bool) -> Program:
    del small
    calls = (torch.randn(5, 4), torch.randn(3, 4).abs(), -torch.randn(2, 4).abs())
    return Program(
        Branches(),
        lambda k: Call((calls[k % 3],)),
        {"x": {0: torch.export.Dim("n", min=2, max=20)}},
        calls=3,
    )


class Loops(nn.Module):
    """Newton's square root until it converges; a loop with a branch in its body."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        def going(y: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
            return ((y * y - x).abs().max() > 1e-4) & (steps < 50)

        def newton(y: torch.Tensor, steps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return (y + x / y) / 2, steps + 1

        def step(i: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            z = torch.cond(i % 2 == 0, lambda z: z + 1, lambda z: z * 3, (z,))
            return i + 1, z

        root, steps = while_loop(going, newton, (torch.ones_like(x), torch.zeros_like(n)))
        _, z = while_loop(lambda i, z: i < n, step, (torch.zeros_like(n), x))
        return root, steps, z


def build_loops(small: bool) -> Program:
    del small
    return Program(Loops(), lambda k: Call((torch.rand(6) + 0.1, torch.tensor((4, 3, 0)[k % 3]))))


class Scans(nn.Module):
    """A recurrent cell along a sequence of any length, backwards too, and a map over its states."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, h: torch.Tensor, xs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        def step(h: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            h = self.cell(x, h)
            return h, h.clone()

        last, states = scan(step, h, xs)
        _, sums = scan(lambda c, x: (c + x, (c * x).sum(-1)), h[0], states[:, 0], reverse=True)
        mapped = map_slices(lambda s, h: (s @ h.t()).softmax(-1), states, h)
        return last, states, sums, mapped


def build_scans(small: bool) -> Program:
    del small
    return Program(
        Scans(),
        lambda k: Call((torch.randn(2, 4), torch.randn((5, 7, 3)[k % 3], 2, 3))),
        {"h": None, "xs": {0: torch.export.Dim("length", min=2, max=50)}},
    )


class MixedPrecision(nn.Module):
    """Regions without gradients and under autocast, one inside the other."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            y = x * 2
            y.add_(1)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = torch.nn.functional.softmax(self.linear(y), -1) @ y.t()
            with torch.autocast("cpu", enabled=False):
                w = z.float() @ y
            z = torch.cat([z, z.float()])
        return w + y, z


def build_mixed_precision(small: bool) -> Program:
    del small
    return Program(MixedPrecision(), lambda k: Call((torch.randn(3, 4),)))


class Batched(nn.Module):
    """Functions of one sample over batches, one inside the other."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        near = torch.vmap(
            torch.vmap(lambda a, b: (a - b).abs() * (a > b), in_dims=(None, 0)), in_dims=(0, None)
        )
        gram = torch.vmap(lambda a: (a.t() @ a).tanh(), in_dims=1)
        return near(x[0, 0], y), gram(x)


def build_batched(small: bool) -> Program:
    del small
    return Program(Batched(), lambda k: Call((torch.randn(3, 4, 2), torch.randn(5))))
