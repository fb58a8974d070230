"""One model of the large zoo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from tests.zoo.large import torchvision_operators  # noqa: F401  (before transformers and timm)
from tests.zoo.program import Call, settle_batch_norm


@dataclass(frozen=True)
class Case:
    """A model to export, and calls of it.

    ``calls(batch)`` gives a call of that batch size. Where ``batched`` is true, dimension 0 of
    every tensor argument is exported as dynamic if the model allows it.
    """

    module: nn.Module
    calls: Callable[[int], Call]
    batched: bool = True
    half: bool = False  # computes in bfloat16 or float16


def images(module: nn.Module, side: int = 64, channels: int = 3, *, settle: bool = True) -> Case:
    """A model of images, whose batch norms get statistics that fit its data."""

    def calls(batch: int) -> Call:
        return Call((torch.randn(batch, channels, side, side),))

    if settle:
        settle_batch_norm(module, lambda _: calls(4), steps=1)
    return Case(module, calls)


class Tensors(nn.Module):
    """A model's result as a tuple of its tensors."""

    def __init__(self, module: nn.Module, limit: int | None = None) -> None:
        super().__init__()
        self.module = module
        self.limit = limit

    def forward(self, *args: torch.Tensor, **kwargs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        leaves = torch.utils._pytree.tree_leaves(self.module(*args, **kwargs))
        return tuple(t for t in leaves if isinstance(t, torch.Tensor))[: self.limit]
