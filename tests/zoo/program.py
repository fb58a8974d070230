"""What a zoo model hands to the exporter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True)
class Call:
    """The arguments of one call of a module's ``forward``."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A module with a source of inputs.

    ``sample(0)`` is the example that `torch.export.export` sees; ``sample(1)``, ``sample(2)``, …
    are the calls whose results are recorded, of other sizes wherever a dimension is dynamic. The
    exporter seeds the generator before it builds a program and before it takes each sample.
    """

    module: nn.Module
    sample: Callable[[int], Call]
    dynamic_shapes: Any = None
    calls: int = 2


def settle_batch_norm(module: nn.Module, sample: Callable[[int], Call], steps: int = 3) -> None:
    """Give batch norms random affine parameters and running statistics that fit the data.

    A fresh network has mean 0 and variance 1 there, so its activations shrink or explode with
    depth and a relative error says little. A few forward passes in training mode settle them.
    """
    norms = [m for m in module.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        nn.init.uniform_(norm.weight, 0.5, 1.5)
        nn.init.uniform_(norm.bias, -0.2, 0.2)
        norm.momentum = None  # a plain average over the steps
        norm.reset_running_stats()
    module.train()
    with torch.no_grad():
        for _ in range(steps):
            call = sample(0)
            module(*call.args, **call.kwargs)
    for norm in norms:
        norm.momentum = 0.1
    module.eval()
