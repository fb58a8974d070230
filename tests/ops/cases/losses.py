"""Loss functions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import Case, Source, serves


@serves("mse_loss.default", "l1_loss.default", "smooth_l1_loss.default", "huber_loss.default",
        "kl_div.default", "soft_margin_loss.default", "binary_cross_entropy.default",
        "binary_cross_entropy_with_logits.default")  # fmt: skip
def elementwise(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64"):
        for reduction in (0, 1, 2):
            x, y = source((3, 4), dtype), source((3, 4), dtype)
            p, q = source((3, 4), dtype, 0.1, 0.9), source((3, 4), dtype, 0, 1)
            if name == "binary_cross_entropy":
                yield (p, q, None, reduction), {}
                yield (p, q, source((4,), dtype, 0, 1), reduction), {}
            elif name == "binary_cross_entropy_with_logits":
                yield (x, q, None, None, reduction), {}
                yield (x, q, None, source((4,), dtype, 1, 2), reduction), {}
            elif name == "kl_div":
                yield (x, q, reduction), {}
                yield (x, y, reduction), {"log_target": True}
            else:
                yield (x, y, reduction), {}
    if name in ("smooth_l1_loss", "huber_loss"):
        yield (source((3, 4)), source((3, 4)), 1, 0.5), {}


@serves("cross_entropy_loss.default", "nll_loss_nd.default", "nll_loss_forward.default")
def classes(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64"):
        x, weight = source((4, 5), dtype), source((5,), dtype, 0.5, 2)
        target = np.array([0, 2, 4, 1])
        skipped = np.array([0, -100, 4, 1])
        for reduction in (0, 1, 2):
            yield (x, target, None, reduction, -100), {}
            yield (x, skipped, weight, reduction, -100), {}
            if name == "cross_entropy_loss":
                yield (x, skipped, weight, reduction, -100, 0.1), {}
                yield (x, source((4, 5), dtype, 0, 1), weight, reduction, -100, 0.1), {}
            if name != "nll_loss_forward":
                image = source((2, 5, 3, 3), dtype)
                yield (image, source.index((2, 3, 3), 5), None, reduction, -100), {}


@serves("cosine_embedding_loss.default", "triplet_margin_loss.default",
        "margin_ranking_loss.default", "hinge_embedding_loss.default")  # fmt: skip
def margins(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    x, y, z = source((3, 4)), source((3, 4)), source((3, 4))
    sign = np.array([1, -1, 1], np.float32)
    for reduction in (0, 1, 2):
        if name == "cosine_embedding_loss":
            yield (x, y, sign, 0.2, reduction), {}
        elif name == "triplet_margin_loss":
            yield (x, y, z, 1.0, 2.0, 1e-6, False, reduction), {}
            yield (x, y, z, 0.5, 1.0, 1e-6, True, reduction), {}
        elif name == "margin_ranking_loss":
            yield (x[:, 0], y[:, 0], sign, 0.3, reduction), {}
        else:
            yield (x[:, 0], sign, 1.0, reduction), {}
