"""Tensors put together from several."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, EMPTY, SCALAR

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_every_dtype(t: torch.Tensor) -> None:
    check("cat", [t, t[:1]], 0)
    check("cat", [t, t], -1)
    check("cat", [t, t, t[:, :2]], 1)
    check("cat", [torch.empty(0), BASE, t], 1)
    check("stack", [t, t], 1)
    check("stack", [t, t], -1)
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        check(name, [t, t])
        check(name, [t[0, 0], t[1, 0]])
    check("block_diag", [t[0], t[1], t[0, 0], t[0, 0, 0]])
    check("meshgrid", [t[0, 0], t[0, 1]])
    check("meshgrid.indexing", [t[0, 0], t[0, 1, :2], t[0, 0]], indexing="xy")
    check("cartesian_prod", [t[0, 0], t[0, 1, :3]])
    check("cartesian_prod", [t[0, 0]])


def test_promotion() -> None:
    check("cat", [torch.arange(3), torch.randn(2)])
    check("cat", [torch.arange(3).int(), torch.ones(2, dtype=torch.uint8)])
    check("cat", [torch.ones(2).half(), torch.ones(2).bfloat16()])


def test_edges() -> None:
    check("cat", [EMPTY, EMPTY], 0)
    check("cat", [EMPTY, torch.ones(2, 3)], 0)
    check("stack", [SCALAR, SCALAR])
    check("cat", [torch.randn(64, 100, 33), torch.randn(64, 7, 33)], 1)


def test_errors() -> None:
    check_error("cat", [BASE, BASE[0]], 0)
    check_error("cat", [SCALAR, SCALAR], 0)
    check_error("cat", [BASE, BASE[:, :1]], 0, match="Expected size 3 but got size 1")
    check_error("stack", [BASE, BASE[0]])
    check_error("cat", [BASE, BASE], 3)
