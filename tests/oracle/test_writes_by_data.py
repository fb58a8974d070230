"""In-place writes through views whose sizes only the data tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rushlight.nativert import ModelRunner

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


def programs() -> dict[str, Callable[..., object]]:
    import torch

    def rest_of_masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        y = x[mask]
        y[1:] = 0
        y[0:1].add_(5)
        return y * 2

    def up_to_a_number(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        n = mask.sum().item()
        torch._check(n >= 0)
        torch._check(n <= x.shape[0])
        y = x * 1
        y.narrow(0, 0, n).mul_(3)
        return y + 1

    def rows_of_nonzero(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        at = torch.nonzero(mask)
        at[:, 0].add_(1)
        return at

    return {f.__name__: f for f in (rest_of_masked, up_to_a_number, rows_of_nonzero)}


@pytest.mark.parametrize("form", ["exported", "decomposed"])
@pytest.mark.parametrize("name", ["rest_of_masked", "up_to_a_number", "rows_of_nonzero"])
def test_equals_pytorch(name: str, form: str, tmp_path: Path) -> None:
    import torch

    function = programs()[name]

    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> object:
            return function(x, mask)

    x = torch.arange(1.0, 7.0)
    masks = ([1, 0, 1, 1, 0, 1], [0, 1, 0, 0, 0, 0], [1] * 6)
    exported = torch.export.export(Module(), (x, torch.tensor(masks[0]).bool()))
    if form == "decomposed":
        exported = exported.run_decompositions()
    torch.export.save(exported, tmp_path / "m.pt2")
    runner = ModelRunner(tmp_path / "m.pt2")
    for mask in masks:
        m = torch.tensor(mask).bool()
        np.testing.assert_array_equal(
            np.asarray(runner.run(x.numpy(), m.numpy())), np.asarray(function(x.clone(), m))
        )
