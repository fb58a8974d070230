"""Functions on lazy tensors, exported and saved, open in PyTorch and give the same there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import Tensor, export, nativert

pytestmark = pytest.mark.oracle
F = rushlight.nn.functional


def attention(x: Tensor, w: Tensor) -> Tensor:
    q = x @ w
    return F.scaled_dot_product_attention(q[None], q[None], q[None], is_causal=True)


def writes(x: Tensor, w: Tensor) -> Tensor:
    y = (x @ w).clone()
    y[0] *= 2
    y[:, 1:3].add_(1.0)
    y.masked_fill_(y > 1, 0.5)
    return y.t().contiguous()


def nested(x: Tensor, w: Tensor) -> dict[str, Any]:
    values, indices = x.sort(-1, descending=True)
    return {"sorted": (values, indices), "var": w.var(dim=1, keepdim=True), "sum": x.sum()}


def indexing(x: Tensor, w: Tensor) -> Tensor:
    rows = rushlight.tensor([2, 0])
    return rushlight.cat([x[rows], x.flip(0)[1:]]).cumsum(0) + w[:, 0]


def mixed(x: Tensor, w: Tensor) -> Tensor:
    low = (x > 0).to(rushlight.int64).sum(1)
    return rushlight.where(low[:, None] > 1, x.exp(), F.gelu(x)) / (1 + w.abs().amax())


def in_place(x: Tensor, w: Tensor) -> None:
    x.mul_(2).add_(w[:, 0])


FUNCTIONS = [attention, writes, nested, indexing, mixed, in_place]


def flat(result: Any) -> list[np.ndarray]:
    import torch.utils._pytree as pytree

    return [np.asarray(leaf) for leaf in pytree.tree_leaves(result) if leaf is not None]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_pytorch_opens_what_a_function_exports(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    import torch

    random = np.random.default_rng(0)
    example = [random.standard_normal(s).astype(np.float32) for s in ((4, 4), (4, 5)[:1] * 2)]
    program = export.export(function, tuple(rushlight.from_numpy(a.copy()) for a in example))
    export.save(program, tmp_path / "p.pt2")
    theirs = torch.export.load(tmp_path / "p.pt2").module()
    for _ in range(2):
        given = [random.standard_normal(a.shape).astype(np.float32) for a in example]
        eager, opened, run = ([g.copy() for g in given] for _ in range(3))
        expected = flat(function(*map(rushlight.from_numpy, eager)))
        got = flat(theirs(*map(torch.from_numpy, opened)))
        ran = flat(nativert.ModelRunner(tmp_path / "p.pt2").run(*run))
        # An argument that is written is written in the caller's memory.
        for want, *others in zip([*expected, *eager], [*got, *opened], [*ran, *run], strict=True):
            for other in others:
                np.testing.assert_allclose(other, want, rtol=1e-5, atol=1e-6)
