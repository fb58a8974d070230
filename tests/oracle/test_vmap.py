"""torch.vmap inside exported programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.oracle.exported import check_program
from tests.oracle.test_control_flow import Function

pytestmark = pytest.mark.oracle

vmap = torch.vmap
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "reduction": (
        vmap(lambda a, b: (a * b).sum(), in_dims=(0, 1)),
        (torch.randn(4, 3), torch.randn(3, 4)),
    ),
    "nested": (
        vmap(
            vmap(lambda a, b: torch.where(a > b, a, b) + a.clamp(min=0), in_dims=(None, 0)),
            in_dims=(0, None),
        ),
        (torch.randn(3), torch.randn(4)),
    ),
    "nested, not pointwise": (
        vmap(vmap(lambda a, w: (a @ w).cumsum(0), in_dims=(0, None))),
        (torch.randn(2, 4, 3), torch.randn(2, 3, 3)),
    ),
    "product": (
        lambda x, w: vmap(lambda a: (a @ w).tanh())(x),
        (torch.randn(5, 2, 3), torch.randn(3, 3)),
    ),
    "a result that is the same for all": (
        lambda x, w: vmap(lambda a: (a + 1, w * 2))(x),
        (torch.randn(5, 2), torch.randn(3)),
    ),
    "numbers do not widen": (
        vmap(lambda a, k: a * k),
        (torch.randn(3, 2), torch.arange(3, dtype=torch.float64)),
    ),
    "different ranks": (
        vmap(lambda a, b: a + b, in_dims=(1, 0)),
        (torch.randn(2, 3), torch.randn(3, 4, 2)),
    ),
    "sizes": (
        vmap(lambda a: a / a.shape[0] + a.reshape(-1).cumsum(0).reshape(a.shape)),
        (torch.randn(3, 2, 2),),
    ),
    "last dimension": (
        vmap(lambda a: (a.t() @ a).diagonal().max(), in_dims=-1),
        (torch.randn(3, 2, 4),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_vmap(name: str) -> None:
    function, args = CASES[name]
    check_program(Function(function), args, interpret=False)
