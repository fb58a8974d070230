"""Reading and writing at positions that tensors give."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.calls import check, check_error
from tests.oracle.tensors import ALL, BASE, EMPTY, POSITIVE, REAL, SCALAR, tolerance

pytestmark = pytest.mark.oracle

IX = torch.tensor([0, 2, -1])
POSITIONS = torch.tensor([[[0, 2, 1, 0], [1, 1, 0, 2]]])


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_index(t: torch.Tensor) -> None:
    rows = torch.tensor([0, 1, -1])
    check("index.Tensor", t, [None, IX])
    check("index.Tensor", t, [rows, None, IX])
    check("index.Tensor", t, [rows, IX])
    check("index.Tensor", t, [rows.int(), IX])
    check("index.Tensor", t, [None, IX[:, None], IX])
    check("index.Tensor", t, [None, None, IX])
    check("index.Tensor", t, [rows[:, None], None, IX])
    check("index.Tensor", t, [torch.tensor(1)])
    check("index.Tensor", t, [POSITIVE])
    check("index.Tensor", t, [None, torch.tensor([True, False, True])])
    check("index.Tensor", t, [rows, torch.tensor([True, True, True])])
    check("_unsafe_index.Tensor", t, [None, IX])


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_index_put(t: torch.Tensor) -> None:
    rows = torch.tensor([0, 1, -1])
    check("index_put", t, [None, torch.tensor([0, 2])], t[:, :1])
    check("index_put", t, [rows, None, torch.tensor([0, 1, 2])], t[0, 0, 0])
    check("index_put", t, [torch.tensor([0, 0])], t[1:], True, rtol=tolerance(t))
    check("index_put", t, [torch.tensor([True, False])], t[1])
    check("index_put", t, [POSITIVE], t[1, 1, 1])
    check("index_put_", t.clone(), [torch.tensor([0])], t[1, 1, 1])
    check("put", t.contiguous(), torch.tensor([1, -1]), t[0, 0, :2])


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_along_a_dimension(t: torch.Tensor) -> None:
    source = t.contiguous()
    check("index_select", t, 1, torch.tensor([2, 0]))
    check("index_select", t, -1, torch.tensor([2, 0, 0], dtype=torch.int32))
    check("gather", t, 2, torch.tensor([[[0, 3], [1, 1]]]))
    check("gather", t, 0, torch.tensor([[[0, 1], [1, 1]]]))
    check("take", t, torch.tensor([[0, -1], [5, 6]]))
    check("take_along_dim", t, torch.tensor([[[0, 3, 1]]]), 2)
    check("take_along_dim", source, torch.tensor([[[0, 3, 1]]]))
    check("scatter.src", t, 1, POSITIONS, source)
    check("scatter.value", t, 1, POSITIONS, 1)
    check("scatter_add", t, 1, POSITIONS, source, rtol=tolerance(t))
    check("index_copy", t, 2, torch.tensor([3, 0]), t[..., :2])
    check("index_fill.int_Scalar", t, 1, torch.tensor([0, -1]), 1)
    check("index_fill.int_Tensor", t, 1, torch.tensor([0]), torch.tensor(1).to(t.dtype))
    alpha = True if t.dtype == torch.bool else 2
    check("index_add", t, 2, torch.tensor([1, 0, 1, 3]), t, alpha=alpha, rtol=tolerance(t))


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("t", REAL.values(), ids=REAL.keys())
def test_reductions(t: torch.Tensor, reduce: str) -> None:
    source = t.contiguous()
    for include in (True, False):
        check(
            "scatter_reduce.two",
            t,
            1,
            POSITIONS,
            source,
            reduce,
            include_self=include,
            rtol=tolerance(t),
        )
        if reduce != "sum":
            index = torch.tensor([1, 0, 1, 3])
            check("index_reduce", t, 2, index, t, reduce, include_self=include, rtol=tolerance(t))
    check("scatter.reduce", t, 1, POSITIONS, source, reduce="add", rtol=tolerance(t))
    check("scatter.value_reduce", t, 1, POSITIONS, 2, reduce="multiply", rtol=tolerance(t))


@pytest.mark.parametrize("t", ALL.values(), ids=ALL.keys())
def test_masks(t: torch.Tensor) -> None:
    check("masked_select", t, POSITIVE)
    check("masked_select", t, POSITIVE[0])
    check("masked_select", t[0], POSITIVE)
    check("masked_scatter", t, POSITIVE, t.contiguous())
    check("nonzero", t)
    check("argwhere", t)
    check("nonzero_numpy", t)
    check("nonzero_static", t, size=30)


def test_large() -> None:
    """Above the size at which threads share the work."""
    table, index = torch.randn(500, 300), torch.randint(0, 500, (40, 50))
    check("index.Tensor", table, [index])
    check("index_select", table, 0, index.flatten())
    check("index_select", table, 1, torch.randint(0, 300, (900,)))
    check("gather", table, 0, torch.randint(0, 500, (700, 300)))
    check("scatter_add", table, 0, torch.randint(0, 500, (500, 300)), table, rtol=1e-4)
    check("index_put", table, [torch.randperm(500)], torch.randn(500, 300))


def test_edges() -> None:
    check("gather", SCALAR, 0, torch.tensor(0))
    check("index_select", SCALAR, 0, torch.tensor([0]))
    check("scatter.value", SCALAR, 0, torch.tensor(0), 2.0)
    check("nonzero", SCALAR)
    check("index.Tensor", EMPTY, [None, torch.tensor([0, 1])])
    check("gather", EMPTY, 0, torch.empty(0, 2, dtype=torch.int64))
    check("nonzero", EMPTY)
    check("masked_select", EMPTY, EMPTY > 0)
    check("one_hot", torch.tensor([[0, 2], [1, 1]]))
    check("one_hot", torch.tensor([0, 2]), 4)
    check("scatter_.value", BASE.clone(), 1, POSITIONS, 1)


def test_errors() -> None:
    far, one = torch.tensor([5]), torch.tensor([0])
    check_error(
        "index.Tensor",
        BASE,
        [torch.tensor([2])],
        match="index 2 is out of bounds for dimension 0 with size 2",
    )
    check_error("index.Tensor", BASE, [one] * 4)
    check_error("index.Tensor", SCALAR, [torch.tensor(True)])
    check_error("index.Tensor", BASE, [torch.tensor([1.0])])
    check_error("index.Tensor", BASE, [torch.tensor([True])])
    check_error("index.Tensor", BASE, [torch.tensor([0, 1]), torch.tensor([0, 1, 2])])
    check_error("gather", BASE, 1, torch.tensor([[[5]]]))
    check_error("scatter.value", BASE, 1, torch.tensor([[[5]]]), 1)
    check_error("scatter.src", BASE, 1, POSITIONS, BASE.double())
    check_error("index_select", BASE, 1, far)
    check_error("index_select", BASE[0, 0], 0, far)
    check_error("index_add", BASE, 1, far, BASE[:, :1])
    check_error("index_copy", BASE, 1, far, BASE[:, :1])
    check_error("index_fill.int_Scalar", BASE, 1, far, 1)
    check_error("take", BASE, torch.tensor([99]))
    check_error("index_put", BASE, [one], torch.tensor(1))
    check_error("index_put", BASE, [torch.tensor([7])], torch.tensor(1.0))
    check_error("index_put", BASE, [one], torch.randn(7))
    check_error("masked_select", BASE, BASE)
    check_error("one_hot", far, 3)
    check_error("one_hot", torch.tensor([-1]), 3)
