"""Softmax, normalisation, pooling, embedding and losses against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.eager import check
from tests.oracle.test_reductions import make

pytestmark = pytest.mark.oracle

FLOATS = ["float32", "float64", "float16", "bfloat16"]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["softmax.int", "_softmax", "log_softmax.int", "_log_softmax"])
def test_softmax(op: str, dtype: str) -> None:
    import torch

    last: Any = False if op.startswith("_") else None
    x = make(dtype, 3, 17, 40)
    cases = [
        make(dtype), make(dtype, 5), x, x.transpose(0, 2), make(dtype, 2, 3, 300), x[:, ::2] * 20,
        make(dtype, 4, 0), make(dtype, 0, 4), make(dtype, 2, 9, 1), make(dtype, 7, 1000) * 30,
    ]  # fmt: skip
    for y in cases:
        for dim in range(-max(y.dim(), 1), max(y.dim(), 1)):
            check(op, y, dim, last)
    check(op, x, 5, last)
    masked = x.clone()
    masked[0, :, 3:] = -float("inf")
    masked[1, 2] = -float("inf")
    masked[2, 2, 2] = float("nan")
    check(op, masked, 2, last)
    check(op, masked, 1, last)
    if dtype == "float32":
        check("softmax.int", torch.arange(6), 0, torch.float32)
        check("softmax.int", torch.arange(6), 0)
        check("_safe_softmax", masked, 2)
        check("_safe_softmax", masked, 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(dtype: str) -> None:
    x = make(dtype, 3, 5, 70)
    w, b = make(dtype, 70, seed=1), make(dtype, 70, seed=2)
    for y in (x, x.transpose(0, 1), make(dtype, 0, 70), make(dtype, 2, 70) + 100):
        for args in ((w, b), (w, None), (None, None)):
            check("layer_norm", y, [70], *args, rtol=5e-6 if dtype == "float32" else None)
            check("native_layer_norm", y, [70], *args, 1e-5)
        for eps in (None, 1e-6):
            check("rms_norm", y, [70], w, eps)
            check("rms_norm", y, [70], None, eps)
        if dtype != "float16":
            check("_fused_rms_norm", y, [70], w, 1e-6)
    check("layer_norm", x, [5, 70], make(dtype, 5, 70), make(dtype, 5, 70))
    check("layer_norm", x, [71], None, None)
    check("layer_norm", x, [], None, None)
    check("layer_norm", x, [70], make(dtype, 71), None)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_batch_norm(dtype: str) -> None:
    for sizes in ((4, 6), (3, 6, 7), (2, 6, 5, 9), (2, 6, 3, 2, 4)):
        x = make(dtype, *sizes)
        w, b = make(dtype, 6, seed=1), make(dtype, 6, seed=2)
        m, v = make(dtype, 6, seed=3), make(dtype, 6, seed=4).abs() + 0.5
        for weight, bias in ((w, b), (None, None), (w, None)):
            check("batch_norm", x, weight, bias, m, v, False, 0.1, 1e-5, False)
            check("batch_norm", x, weight, bias, None, None, True, 0.1, 1e-5, False)
            check("_native_batch_norm_legit_no_training", x, weight, bias, m, v, 0.1, 1e-5)
            check("native_batch_norm", x, weight, bias, m, v, False, 0.1, 1e-5)
            check("_native_batch_norm_legit.no_stats", x, weight, bias, True, 0.1, 1e-5)
            check("_native_batch_norm_legit_functional", x, weight, bias, m, v, True, 0.1, 1e-5)
            check("_native_batch_norm_legit_functional", x, weight, bias, m, v, False, 0.1, 1e-5)
        if len(sizes) == 4:
            import torch

            nhwc = x.contiguous(memory_format=torch.channels_last)
            check("batch_norm", nhwc, w, b, m, v, False, 0.1, 1e-5, False)
        check("batch_norm", x, w, b, None, None, False, 0.1, 1e-5, False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_group_and_instance_norm(dtype: str) -> None:
    for sizes in ((4, 6), (3, 6, 7), (2, 6, 5, 9)):
        x, w, b = make(dtype, *sizes), make(dtype, 6, seed=1), make(dtype, 6, seed=2)
        inner = x.numel() // (sizes[0] * 6)
        for groups in (1, 2, 6):
            for weight, bias in ((w, b), (None, None)):
                if inner > 1 or groups < 6:
                    check("group_norm", x, groups, weight, bias, 1e-5)
                    check("native_group_norm", x, weight, bias, sizes[0], 6, inner, groups, 1e-5)
        check("group_norm", x, 4, w, b)
        if inner > 1:
            check("instance_norm", x, w, b, None, None, True, 0.1, 1e-5, False)
        m, v = make(dtype, 6, seed=3), make(dtype, 6, seed=4).abs() + 0.5
        check("instance_norm", x, w, b, m, v, False, 0.1, 1e-5, False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_max_pool(n: int, dtype: str) -> None:
    x = make(dtype, 2, 3, *(11, 14, 9)[:n])
    if dtype != "int64":
        x[0, 0].view(-1)[3] = float("nan")
        x[1, 1] = -float("inf")
    for y in (x, x[0], x.transpose(0, 1)):
        for kernel, stride, padding, dilation in (
            (2, [], 0, 1), (3, 2, 1, 1), (3, 1, 1, 1), (2, 3, 1, 2), (5, 2, 2, 1), (4, 3, 0, 1),
        ):  # fmt: skip
            for ceil in (False, True):
                args = ([kernel] * n, [stride] * n if stride != [] else [], [padding] * n,
                        [dilation] * n, ceil)  # fmt: skip
                if dtype == "int64" and n == 1:
                    continue
                check(f"max_pool{n}d_with_indices", y, *args)
                if dtype != "int64":
                    check(f"max_pool{n}d", y, *args)
    check(f"max_pool{n}d", x, [2] * n, [1] * n, [2] * n)
    check(f"max_pool{n}d", x, [20] * n)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_avg_pool(n: int, dtype: str) -> None:
    if n == 3 and dtype == "bfloat16":
        return  # PyTorch has no kernel for it
    x = make(dtype, 2, 3, *(11, 14, 9)[:n])
    for y in (x, x[0]):
        for kernel, stride, padding in ((2, [], 0), (3, 2, 1), (3, 1, 1), (5, 2, 2), (4, 3, 0)):
            for ceil in (False, True):
                for include in (False, True):
                    args = ([kernel] * n, [stride] * n if stride != [] else [], [padding] * n, ceil,
                            include)  # fmt: skip
                    check(f"avg_pool{n}d", y, *args)
                    if n > 1:
                        check(f"avg_pool{n}d", y, *args, 3)
        for size in (1, 2, 3, 5, 7, 20):
            check(f"adaptive_avg_pool{n}d", y, [size] * n)
            check(f"adaptive_max_pool{n}d", y, [size] * n)
    if n > 1:
        check(f"_adaptive_avg_pool{n}d", x, [4] * n)
    check(f"avg_pool{n}d", x, [2] * n, [1] * n, [2] * n)


def test_embedding() -> None:
    import torch

    w = torch.randn(10, 7)
    for index in (torch.tensor([[1, 2], [9, 0]]), torch.tensor(3), torch.empty(0, 2).long(),
                  torch.tensor([4, 4], dtype=torch.int32)):  # fmt: skip
        check("embedding", w, index)
        check("embedding", w.T.contiguous().T, index, 1)
        check("embedding", w.half(), index)
    check("embedding", w, torch.tensor([10]))
    check("embedding", w, torch.tensor([-1]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_shuffles_and_glu(dtype: str) -> None:
    x = make(dtype, 2, 8, 6, 4)
    for y in (x, x[0], x.transpose(2, 3)):
        check("pixel_shuffle", y, 2)
        check("pixel_unshuffle", y, 2)
        check("pixel_shuffle", y, 3)
    for dim in (0, 1, -1):
        check("glu", x, dim)
    check("glu", make(dtype, 3, 5), 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_upsample(n: int, dtype: str) -> None:
    x = make(dtype, 2, 3, *(5, 7, 4)[:n])
    for size in (3, 5, 8, 14, 1):
        sizes = [size, size + 1, size + 2][:n]
        for name in ("upsample_nearest", "_upsample_nearest_exact"):
            check(f"{name}{n}d", x, sizes)
            check(f"{name}{n}d.vec", x, sizes, None)
        for name in {1: ["upsample_linear1d"], 2: ["upsample_bilinear2d", "upsample_bicubic2d"],
                     3: ["upsample_trilinear3d"]}[n]:  # fmt: skip
            for align in (False, True):
                check(name, x, sizes, align)
                check(f"{name}.vec", x, sizes, align, None)
    for factor in (2.0, 1.7, 0.6):
        factors = [factor] * n
        check(f"upsample_nearest{n}d.vec", x, None, factors)
        check(f"_upsample_nearest_exact{n}d.vec", x, None, factors)
        if n == 2:
            for align in (False, True):
                check("upsample_bilinear2d.vec", x, None, align, factors)
                check("upsample_bicubic2d.vec", x, None, align, factors)


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_losses(dtype: str, reduction: int) -> None:
    import torch

    x, y = make(dtype, 4, 5), make(dtype, 4, 5, seed=1)
    for op in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        check(op, x, y, reduction)
    check("smooth_l1_loss", x, y, reduction, 0.0)
    check("huber_loss", x, y, reduction, 0.3)
    check("mse_loss", x, y[:1], reduction)
    check("hinge_embedding_loss", x, y.sign(), 0.5, reduction)
    check("poisson_nll_loss", x, y.abs() * 3, True, True, 1e-8, reduction)
    check("kl_div", x.log_softmax(1), y.softmax(1), reduction)
    check("kl_div", x.log_softmax(1), y.log_softmax(1), reduction, log_target=True)
    p, t = x.sigmoid(), (y > 0).to(x.dtype)
    check("binary_cross_entropy", p, t, None, reduction)
    check("binary_cross_entropy", p, t, y.abs(), reduction)
    check("binary_cross_entropy", x, t, None, reduction)
    check("binary_cross_entropy_with_logits", x, t, None, None, reduction)
    check("binary_cross_entropy_with_logits", x, t, y.abs()[:1], y.abs()[0], reduction)

    labels, weight = torch.tensor([0, 4, 2, 2]), make(dtype, 5, seed=3).abs()
    for w in (None, weight):
        check("nll_loss", x.log_softmax(1), labels, w, reduction)
        check("nll_loss_forward", x.log_softmax(1), labels, w, reduction, -100)
        for smoothing in (0.0, 0.2):
            check("cross_entropy_loss", x, labels, w, reduction, 2, smoothing)
            check("cross_entropy_loss", x, y.softmax(1), w, reduction, -100, smoothing)
    check("nll_loss", x, torch.tensor([0, 5, 2, 2]), None, reduction)
    check("nll_loss", x, torch.tensor([0, 2]), None, reduction)
    check("nll_loss_nd", x, torch.tensor([0, 2]), None, reduction)
    check("cross_entropy_loss", x, torch.tensor([0, 2]), None, reduction)
    image = make(dtype, 2, 5, 3, 4)
    labels = torch.randint(0, 5, (2, 3, 4))
    check("nll_loss2d_forward", image, labels, weight, reduction, -100)
    check("cross_entropy_loss", image, labels, weight, reduction)
    check("cross_entropy_loss", x[0], torch.tensor(3), None, reduction)


def test_distances() -> None:
    import torch

    a, b = torch.randn(4, 5, 6), torch.randn(4, 5, 6)
    for dim in (0, 1, -1):
        check("cosine_similarity", a, b, dim)
    check("cosine_similarity", a, torch.zeros(4, 5, 6), 1)
    check("cosine_similarity", a, b[:1], 2)
    for p in (2.0, 1.0, 0.0, 3.0, float("inf")):
        check("pairwise_distance", a, b, p)
        check("pairwise_distance", a, b, p, 1e-6, True)
        check("cdist", a, b[:, :3], p)
        check("_cdist_forward", a, b[0], p, None)
    for dim in (0, 1, 2, -1):
        g = torch.randn([1] if dim == -1 else [s if i == dim else 1 for i, s in enumerate(a.shape)])
        check("_weight_norm", a, g, dim)
    check("_weight_norm_interface", a, torch.randn(4, 1, 1), 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_grid_sampler(padding: int, mode: int, dtype: str) -> None:
    x, grid = make(dtype, 2, 3, 5, 6), make(dtype, 2, 4, 7, 2, seed=1)
    tolerance = 2e-5 if dtype == "float32" else 1e-9
    for align in (False, True):
        check("grid_sampler", x, grid, mode, padding, align, rtol=tolerance)
        check("grid_sampler_2d", x, grid, mode, padding, align, rtol=tolerance)
        if mode < 2:
            volume, points = make(dtype, 2, 3, 4, 5, 6), make(dtype, 2, 3, 2, 4, 3, seed=1)
            check("grid_sampler_3d", volume, points, mode, padding, align, rtol=tolerance)


def test_embedding_bag() -> None:
    import torch

    w = torch.randn(10, 19)
    index, offsets = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4, 4, 6])
    for mode in (0, 1, 2):
        check("embedding_bag", w, index, offsets, False, mode)
        check("embedding_bag.padding_idx", w, index, offsets, False, mode, False, None, False, 4)
        check("_embedding_bag", w, index, offsets, False, mode)
    check("_embedding_bag", w, index, offsets, False, 0, False, torch.randn(8))
