"""Branches, loops, scans and wrapped graphs, as torch.export writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch._higher_order_ops.map import map as map_slices

from tests.oracle.exported import check_program
from tests.zoo.models.control_flow import (
    build_branches,
    build_loops,
    build_mixed_precision,
    build_scans,
)

pytestmark = pytest.mark.oracle


class Function(nn.Module):
    """A module of one function."""

    def __init__(self, function: Callable[..., Any], **modules: nn.Module) -> None:
        super().__init__()
        self.function = function
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("build", [build_branches, build_loops, build_scans])
def test_zoo_programs(build: Callable[[bool], Any]) -> None:
    program = build(True)
    calls = [program.sample(k).args for k in range(3)]
    check_program(program.module, *calls, dynamic_shapes=program.dynamic_shapes)


def test_autocast_and_no_grad() -> None:
    program = build_mixed_precision(True)
    check_program(program.module, program.sample(0).args, tolerance=2e-2)


def test_a_branch_on_each_value() -> None:
    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: (x + 1, x * 2), lambda x: (x - 1, x / 2), (x,))

    check_program(Function(f), (torch.ones(3),), (-torch.ones(3),))


def test_branches_with_numbers_and_results_that_feed_fused_operators() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        n = x.shape[0]
        z = torch.cond(y > 0, lambda x: x + n, lambda x: x.flip(0) * n, (x,))
        return (z.t()[:, 1:] * 2).relu().sum(0) + z.view(-1)[: n - 1]

    n = torch.export.Dim("n", min=3, max=9)
    shapes = ({0: n}, None)
    calls = [(torch.randn(k, 3), torch.tensor(s)) for k, s in ((4, 1), (4, -1), (6, 1), (3, 0))]
    check_program(Function(f), *calls, dynamic_shapes=(shapes,))


def test_branches_may_differ_in_checks() -> None:
    def good(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(2, -1).sum(0)

    def other(x: torch.Tensor) -> torch.Tensor:
        return x[:2] * 0

    check_program(
        Function(lambda x: torch.cond(x[0] > 0, good, other, (x,))),
        (torch.ones(4),),
        (-torch.ones(4),),
    )


def test_a_loop_carries_several_tensors_of_several_dtypes() -> None:
    def f(x: torch.Tensor) -> Any:
        def body(i: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Any:
            return i + 1, a @ x + b, b.roll(1)

        start = torch.zeros((), dtype=torch.int32)
        flags = torch.eye(3, dtype=torch.float64)
        i, a, b = while_loop(lambda i, a, b: i < 4, body, (start, x * 1.0, flags.float()))
        return i, a, b.to(torch.bool)

    check_program(Function(f), (torch.randn(3, 3),))


def test_nested_loops() -> None:
    def f(x: torch.Tensor) -> Any:
        def inner(j: torch.Tensor, x: torch.Tensor) -> Any:
            return j + 1, x + j

        def outer(i: torch.Tensor, x: torch.Tensor) -> Any:
            _, y = while_loop(lambda j, x: j < i, inner, (torch.zeros_like(i), x))
            return i + 1, y * 0.5

        return while_loop(lambda i, x: i < 4, outer, (torch.zeros((), dtype=torch.int64), x))

    check_program(Function(f), (torch.randn(2),))


def test_scans_over_several_inputs_and_dims() -> None:
    def f(c: torch.Tensor, xs: torch.Tensor, ys: torch.Tensor) -> Any:
        def step(c: Any, x: Any) -> Any:
            a, b = x
            return c * 0.5 + a, (c + b, (a > 0).sum())

        first = scan(step, c, (xs, ys))
        second = scan(lambda c, x: (c + x.sum(), c * 2), c[0], xs, dim=1, reverse=True)
        return first, second

    check_program(Function(f), (torch.randn(3), torch.randn(5, 3), torch.randn(5, 3)))


def test_maps() -> None:
    def f(xs: torch.Tensor, w: torch.Tensor) -> Any:
        return map_slices(lambda x, w: ((x @ w).softmax(-1), x.argmax(-1)), xs, w)

    check_program(
        Function(f),
        (torch.randn(4, 2, 3), torch.randn(3, 3)),
        (torch.randn(6, 2, 3), torch.randn(3, 3)),
        dynamic_shapes=(({0: torch.export.Dim("n", min=2, max=9)}, None),),
    )


def test_associative_scans() -> None:
    def f(a: torch.Tensor, b: torch.Tensor) -> Any:
        def combine(x: Any, y: Any) -> Any:
            return x[0] * y[0], x[1] * y[0] + y[1]

        return associative_scan(combine, (a, b), dim=0, combine_mode="generic")

    check_program(Function(f), (torch.rand(6, 2), torch.rand(6, 2)), interpret=False)


AUTOCAST: list[tuple[str, Callable[[torch.Tensor], Any]]] = [
    ("products", lambda x: (x @ x, torch.mm(x, x), torch.addmm(x, x, x), x.double() @ x.double())),
    ("linear", lambda x: torch.nn.functional.linear(x, x, x[0])),
    ("conv", lambda x: torch.nn.functional.conv1d(x[None], x[:, :, None])),
    ("attention", lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x)),
    ("prelu", lambda x: torch.nn.functional.prelu(x, x[0])),
    ("losses", lambda x: (torch.nn.functional.mse_loss(x.bfloat16(), x.bfloat16() + 1), x.prod())),
    ("norms", lambda x: (torch.nn.functional.layer_norm(x @ x, (4,)), (x @ x).softmax(-1))),
    ("joining", lambda x: (torch.cat([x @ x, x]), torch.stack([x @ x, x @ x]))),
    ("decompositions", lambda x: torch.linalg.inv((x + 4 * torch.eye(4)).bfloat16())),
]


@pytest.mark.parametrize(("name", "function"), AUTOCAST, ids=[n for n, _ in AUTOCAST])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_of(
    name: str, function: Callable[[torch.Tensor], Any], dtype: torch.dtype
) -> None:
    def f(x: torch.Tensor) -> Any:
        with torch.autocast("cpu", dtype=dtype):
            return function(x)

    check_program(Function(f), (torch.rand(4, 4) + 0.5,), tolerance=3e-2, interpret=False)


def test_autocast_of_another_device_changes_nothing() -> None:
    def f(x: torch.Tensor) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
            y = x @ x
        with torch.enable_grad():
            return y + 1

    check_program(Function(f), (torch.rand(4, 4),), tolerance=2e-2)


def test_checkpointed_functions() -> None:
    from torch.utils.checkpoint import checkpoint

    linear = nn.Linear(3, 3)

    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = linear

        def forward(self, x: torch.Tensor) -> Any:
            return checkpoint(lambda a: self.linear(a).relu(), x, use_reentrant=False)

    check_program(Checkpointed(), (torch.randn(2, 3),))
