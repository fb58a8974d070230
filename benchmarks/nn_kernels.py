"""Neural-network kernels beside PyTorch eager, interleaved in one process.

    python benchmarks/nn_kernels.py [--threads N] [--seconds S] [--only TEXT]

Prints the median time of one call in microseconds and the ratio rushlight / PyTorch (below 1 means
rushlight is faster). With one thread it is the thread's CPU time, so that other programs on the
machine show less; with more it is elapsed time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

import rushlight

Case = tuple[str, str, tuple[Any, ...], dict[str, Any]]


def cases() -> list[Case]:
    def r(*sizes: int) -> torch.Tensor:
        return torch.randn(sizes)

    def heads(b: int, h: int, n: int, d: int) -> torch.Tensor:
        return r(b, n, h, d).transpose(1, 2)

    image, w64, v64 = r(1, 64, 112, 112), r(64), torch.rand(64) + 0.5
    causal = (None, 0.0, True)
    gru = [r(192, 64), r(192, 64), r(192), r(192)]
    lstm = [r(512, 128), r(512, 128), r(512), r(512)]
    bn = (w64, w64, w64, v64, 0.1, 1e-5)
    return [
        ("softmax rows 12x128x128", "_softmax", (r(12, 128, 128), -1, False), {}),
        ("softmax rows 8x32000", "_softmax", (r(8, 32000), -1, False), {}),
        ("softmax dim 1 of 8x100x256", "_softmax", (r(8, 100, 256), 1, False), {}),
        ("log_softmax 8x32000", "_log_softmax", (r(8, 32000), -1, False), {}),
        (
            "layer_norm 128x768",
            "native_layer_norm",
            (r(1, 128, 768), [768], r(768), r(768), 1e-5),
            {},
        ),
        ("rms_norm 64x2048", "rms_norm", (r(64, 2048), [2048], r(2048), 1e-6), {}),
        ("group_norm 32 of 1x256x32x32", "group_norm", (r(1, 256, 32, 32), 32, r(256), r(256)), {}),
        ("batch_norm 1x64x112x112", "_native_batch_norm_legit_no_training", (image, *bn), {}),
        ("max_pool2d 3 s2 p1 64x112x112", "max_pool2d", (image, [3, 3], [2, 2], [1, 1]), {}),
        ("max_pool2d with indices", "max_pool2d_with_indices", (image, [3, 3], [2, 2], [1, 1]), {}),
        ("max_pool2d 2 64x112x112", "max_pool2d", (image, [2, 2]), {}),
        ("avg_pool2d 3 s1 p1", "avg_pool2d", (r(1, 64, 56, 56), [3, 3], [1, 1], [1, 1]), {}),
        ("adaptive_avg_pool2d 512x7x7", "adaptive_avg_pool2d", (r(1, 512, 7, 7), [1, 1]), {}),
        ("mean over 2, 3 of 512x7x7", "mean.dim", (r(1, 512, 7, 7), [2, 3], True), {}),
        ("mean rows 128x768", "mean.dim", (r(128, 768), [-1], True), {}),
        ("sum columns 1024x1024", "sum.dim_IntList", (r(1024, 1024), [0]), {}),
        ("sum 1024x1024", "sum", (r(1024, 1024),), {}),
        ("var 128x768", "var.correction", (r(128, 768), [-1]), {}),
        ("amax rows 1024x1024", "amax", (r(1024, 1024), [1]), {}),
        ("argmax rows 64x32000", "argmax", (r(64, 32000), 1), {}),
        ("max.dim columns 1024x1024", "max.dim", (r(1024, 1024), 0), {}),
        (
            "sdpa 12 heads 128x64",
            "scaled_dot_product_attention",
            (heads(1, 12, 128, 64), heads(1, 12, 128, 64), heads(1, 12, 128, 64)),
            {},
        ),
        (
            "sdpa causal 12 heads 512x64",
            "scaled_dot_product_attention",
            (heads(1, 12, 512, 64), heads(1, 12, 512, 64), heads(1, 12, 512, 64), *causal),
            {},
        ),
        (
            "sdpa 4 heads 2048x64",
            "scaled_dot_product_attention",
            (heads(1, 4, 2048, 64), heads(1, 4, 2048, 64), heads(1, 4, 2048, 64)),
            {},
        ),
        (
            "sdpa one query, 1024 keys",
            "scaled_dot_product_attention",
            (heads(1, 12, 1, 64), heads(1, 12, 1024, 64), heads(1, 12, 1024, 64)),
            {},
        ),
        (
            "lstm 32 steps, batch 4, 128",
            "lstm.input",
            (r(32, 4, 128), [r(1, 4, 128), r(1, 4, 128)], lstm, True, 1, 0.0, False, False, False),
            {},
        ),
        (
            "gru 32 steps, batch 1, 64",
            "gru.input",
            (r(32, 1, 64), r(1, 1, 64), gru, True, 1, 0.0, False, False, False),
            {},
        ),
        (
            "upsample_bilinear2d 64x28x28 x2",
            "upsample_bilinear2d",
            (r(1, 64, 28, 28), [56, 56], False),
            {},
        ),
        ("upsample_nearest2d 64x28x28 x2", "upsample_nearest2d", (r(1, 64, 28, 28), [56, 56]), {}),
        (
            "embedding 128 of 30522x768",
            "embedding",
            (r(30522, 768), torch.randint(0, 30522, (1, 128))),
            {},
        ),
    ]


def to_ours(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return rushlight.from_dlpack(value)
    return [to_ours(v) for v in value] if isinstance(value, (list, tuple)) else value


def timed(call: Callable[[], Any], repeats: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(repeats):
        call()
    return (clock() - start) / repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.4, help="per case and library")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rushlight.set_num_threads(options.threads)
    clock = time.thread_time if options.threads == 1 else time.perf_counter
    print(
        f"{'case':36}{'rushlight':>12}{'PyTorch':>12}{'ratio':>8}   (us, {options.threads} threads)"
    )
    for name, op, args, kwargs in cases():
        if options.only not in name:
            continue
        base, _, overload = op.partition(".")
        overload = overload or "default"
        theirs = getattr(getattr(torch.ops.aten, base), overload)
        ours = getattr(getattr(rushlight.ops.aten, base), overload)
        mine = to_ours(list(args))
        ours_call, theirs_call = lambda: ours(*mine, **kwargs), lambda: theirs(*args, **kwargs)  # noqa: B023
        with torch.inference_mode():
            once = max(timed(theirs_call, 3, clock), timed(ours_call, 3, clock))
            repeats = max(1, int(options.seconds / 20 / once))
            samples = [
                (timed(ours_call, repeats, clock), timed(theirs_call, repeats, clock))
                for _ in range(20)
            ]
        a = statistics.median(s[0] for s in samples) * 1e6
        b = statistics.median(s[1] for s in samples) * 1e6
        print(f"{name:36}{a:12.1f}{b:12.1f}{a / b:8.2f}")


if __name__ == "__main__":
    main()
