"""Attention against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.eager import check
from tests.oracle.test_reductions import make

pytestmark = pytest.mark.oracle

SDPA = "scaled_dot_product_attention"


def heads(dtype: str, b: int, h: int, length: int, d: int, seed: int) -> Any:
    """[b, h, length, d] as a model makes it: a transposed view."""
    return make(dtype, b, length, h, d, seed=seed).transpose(1, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_shapes(dtype: str) -> None:
    for b, h, queries, keys, d, e in (
        (2, 3, 4, 5, 8, 8), (1, 2, 70, 70, 16, 16), (2, 2, 1, 33, 24, 24), (1, 1, 130, 1100, 8, 8),
        (1, 2, 5, 7, 3, 6), (1, 1, 3, 0, 4, 4),
    ):  # fmt: skip
        q, k, v = (heads(dtype, b, h, n, w, i) for i, (n, w) in enumerate(
            ((queries, d), (keys, d), (keys, e))))  # fmt: skip
        check(SDPA, q, k, v)
        check(SDPA, q.contiguous(), k.contiguous(), v.contiguous(), scale=0.3)
        if keys:
            check(SDPA, q, k, v, None, 0.0, True)
        check(SDPA, q[0], k[0], v[0])
        check(SDPA, q[0, 0], k[0, 0], v[0, 0])
        if d == e and keys:
            check("_scaled_dot_product_flash_attention_for_cpu", q, k, v)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masks(dtype: str) -> None:
    import torch

    q, k, v = heads(dtype, 2, 3, 40, 8, 0), heads(dtype, 2, 3, 600, 8, 1), make(dtype, 2, 3, 600, 8)
    for sizes in ((40, 600), (1, 600), (40, 1), (2, 1, 1, 600), (2, 3, 40, 600), (3, 1, 600)):
        mask = make("float32", *sizes, seed=3) > 0
        mask[..., 0] = True
        check(SDPA, q, k, v, mask)
        check(SDPA, q, k, v, make(dtype, *sizes, seed=4))
        if sizes[-2:] == (40, 600):
            check("_scaled_dot_product_flash_attention_for_cpu", q, k, v, attn_mask=make(
                dtype, *sizes, seed=4))  # fmt: skip
    mask = torch.ones(40, 600, dtype=torch.bool)
    mask[3] = False
    mask[5, :550] = False
    check(SDPA, q, k, v, mask)
    check(SDPA, q, k, v, torch.zeros(40, 600, dtype=q.dtype).masked_fill(~mask, -float("inf")))
    check(SDPA, q, k, v, mask.int())
    check(SDPA, q, k, v, mask[:, :5])


def test_grouped_queries() -> None:
    q = heads("float32", 2, 6, 9, 8, 0)
    for h in (1, 2, 3):
        k, v = heads("float32", 2, h, 11, 8, 1), heads("float32", 2, h, 11, 8, 2)
        check(SDPA, q, k, v, enable_gqa=True)
        check(SDPA, q, k, v, None, 0.0, True, enable_gqa=True)
    check(SDPA, q, heads("float32", 2, 4, 11, 8, 1), heads("float32", 2, 4, 11, 8, 2),
          enable_gqa=True)  # fmt: skip
    check(SDPA, q, heads("float32", 2, 2, 11, 8, 1), heads("float32", 2, 2, 11, 8, 2))


def test_errors() -> None:
    q = make("float32", 2, 3, 4, 8)
    check(SDPA, q, q[..., :7], q)
    check(SDPA, q, q.double(), q)
    check(SDPA, q[0, 0, 0], q, q)
