"""What the large zoo found, as small programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from rushlight import export


class Program(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def dropout_in_place(x: torch.Tensor) -> torch.Tensor:
    return F.dropout(x + 1, 0.5, training=False, inplace=True)


def written_constant(x: torch.Tensor) -> torch.Tensor:
    constant = torch.tensor([1.0, 2.0, 3.0])
    return constant.mul_(2) + x


@pytest.mark.oracle
@pytest.mark.parametrize("function", [dropout_in_place, written_constant])
def test_programs(function: Callable[..., Any], tmp_path: Path) -> None:
    x = torch.randn(2, 3)
    torch.export.save(torch.export.export(Program(function), (x,)), tmp_path / "p.pt2")
    got = torch.from_dlpack(export.load(tmp_path / "p.pt2").module()(x))
    torch.testing.assert_close(got, function(x))


@pytest.mark.oracle
def test_a_constant_keeps_what_is_written(tmp_path: Path) -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = torch.zeros(1)  # neither a buffer nor a parameter

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls.add_(1)
            return x * self.calls

    x = torch.ones(3)
    torch.export.save(torch.export.export(Counter(), (x,)), tmp_path / "p.pt2")
    ours, theirs = (f(str(tmp_path / "p.pt2")).module() for f in (export.load, torch.export.load))
    for _ in range(3):
        torch.testing.assert_close(torch.from_dlpack(ours(x)), theirs(x))


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_embedding_bags_without_gradients(tmp_path: Path) -> None:
    bag = torch.nn.EmbeddingBag(10, 4, mode="sum").requires_grad_(False)
    ids = torch.randint(0, 10, (3, 2))
    with torch.no_grad():
        program = torch.export.export(bag, (ids,)).run_decompositions()
    torch.export.save(program, tmp_path / "p.pt2")
    got = torch.from_dlpack(export.load(tmp_path / "p.pt2").module()(ids))
    torch.testing.assert_close(got, bag(ids))
