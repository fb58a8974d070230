"""Pointwise operators fused behind products, with operands of every broadcastable shape."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from rushlight import export

SHAPES = (
    (), (10,), (1, 10), (7, 1), (7, 10), (4, 7, 10), (4, 1, 10), (1, 7, 10),
    (2, 4, 7, 10), (2, 1, 7, 10), (1, 4, 7, 10), (2, 1, 1, 10), (1, 1, 7, 1), (2, 4, 7, 1),
)  # fmt: skip


class Tails(torch.nn.Module):
    """Each operand added to a product of its own."""

    def __init__(self, linear: bool) -> None:
        super().__init__()
        self.linear = linear

    def forward(
        self, a: torch.Tensor, b: torch.Tensor, *others: torch.Tensor
    ) -> list[torch.Tensor]:
        def product() -> torch.Tensor:
            return torch.nn.functional.linear(a, b) if self.linear else a @ b

        masked = product().where(others[4] > 0, torch.tensor(-5.0))
        return [*(product() + other for other in others), masked]


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("linear", [True, False], ids=["linear", "matmul"])
def test_operands_of_tails_broadcast(linear: bool, dtype: torch.dtype, tmp_path: Path) -> None:
    a = torch.randn(2, 4, 7, 5)
    b = torch.randn(10, 5) if linear else torch.randn(2, 4, 5, 10)
    others = [(torch.randn(shape) * 3).to(dtype) for shape in SHAPES]
    module = Tails(linear)
    torch.export.save(torch.export.export(module, (a, b, *others)), tmp_path / "tails.pt2")
    want = module(a, b, *others)
    got = export.load(tmp_path / "tails.pt2").module()(a, b, *others)
    for x, y in zip(got, want, strict=True):
        torch.testing.assert_close(torch.from_dlpack(x), y, rtol=1e-4, atol=1e-5)
