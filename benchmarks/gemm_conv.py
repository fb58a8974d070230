"""Matrix products and convolutions of well-known networks, side by side with PyTorch eager.

    python benchmarks/gemm_conv.py [--only conv|linear] [--threads 1 2] [--seconds 0.4] [--cpu]

Both run in one process on the same arrays, taking turns, so that whatever else the machine does
meets both. The numbers are medians in microseconds; a ratio below 1 means rushlight is faster.
`--cpu` counts the calling thread's CPU time and shows the minimum instead: on a machine that is
busy with other work that is the fairer number, but it sees one thread only.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import rushlight
from rushlight.ops import aten


@dataclass(frozen=True)
class Case:
    network: str
    label: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]


def conv_case(
    network: str, ins: int, size: int, outs: int, kernel: int, stride: int = 1, groups: int = 1
) -> Case:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, ins, size, size), np.float32)
    w = rng.standard_normal((outs, ins // groups, kernel, kernel), np.float32) * 0.05
    b = rng.standard_normal(outs, np.float32)
    pad = kernel // 2
    tx, tw, tb = torch.from_numpy(x), torch.from_numpy(w), torch.from_numpy(b)
    rx, rw, rb = rushlight.from_numpy(x), rushlight.from_numpy(w), rushlight.from_numpy(b)
    geometry = ([stride] * 2, [pad] * 2, [1, 1], groups)
    note = f" g{groups}" if groups > 1 else ""
    return Case(
        network,
        f"{ins}x{size}x{size} -> {outs}, {kernel}x{kernel} s{stride}{note}",
        lambda: aten.conv2d.default(rx, rw, rb, *geometry),
        lambda: torch.ops.aten.conv2d.default(tx, tw, tb, *geometry),
    )


def linear_case(network: str, m: int, k: int, n: int, transposed: bool = True) -> Case:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((m, k), np.float32)
    w = rng.standard_normal((n, k) if transposed else (k, n), np.float32) * 0.05
    b = rng.standard_normal(n, np.float32)
    tx, tw, tb = torch.from_numpy(x), torch.from_numpy(w), torch.from_numpy(b)
    rx, rw, rb = rushlight.from_numpy(x), rushlight.from_numpy(w), rushlight.from_numpy(b)
    if transposed:
        return Case(
            network,
            f"linear {m}x{k} -> {n}",
            lambda: aten.linear.default(rx, rw, rb),
            lambda: torch.ops.aten.linear.default(tx, tw, tb),
        )
    return Case(
        network,
        f"addmm {m}x{k} -> {n}",
        lambda: aten.addmm.default(rb, rx, rw),
        lambda: torch.ops.aten.addmm.default(tb, tx, tw),
    )


def bmm_case(network: str, batch: int, m: int, k: int, n: int, transposed: bool) -> Case:
    rng = np.random.default_rng(0)
    a = rng.standard_normal((batch, m, k), np.float32)
    b = rng.standard_normal((batch, n, k) if transposed else (batch, k, n), np.float32)
    b = b.transpose(0, 2, 1) if transposed else b
    ta, tb = torch.from_numpy(a), torch.from_numpy(b)
    ra, rb = rushlight.from_numpy(a), rushlight.from_numpy(b)
    return Case(
        network,
        f"bmm {batch}x{m}x{k} * {k}x{n}{'^T' if transposed else ''}",
        lambda: aten.bmm.default(ra, rb),
        lambda: torch.ops.aten.bmm.default(ta, tb),
    )


# (input channels, size, output channels, kernel, stride, groups)
CONVOLUTIONS: dict[str, list[tuple[int, ...]]] = {
    "ResNet-18": [
        (3, 224, 64, 7, 2),
        (64, 56, 64, 3),
        (64, 56, 128, 3, 2),
        (64, 56, 128, 1, 2),
        (128, 28, 128, 3),
        (128, 28, 256, 3, 2),
        (128, 28, 256, 1, 2),
        (256, 14, 256, 3),
        (256, 14, 512, 3, 2),
        (256, 14, 512, 1, 2),
        (512, 7, 512, 3),
    ],
    "ResNet-50": [
        (64, 56, 64, 1),
        (64, 56, 256, 1),
        (256, 56, 64, 1),
        (256, 56, 128, 1),
        (128, 56, 128, 3, 2),
        (128, 28, 512, 1),
        (256, 56, 512, 1, 2),
        (512, 28, 128, 1),
        (512, 28, 256, 1),
        (256, 28, 256, 3, 2),
        (256, 14, 1024, 1),
        (512, 28, 1024, 1, 2),
        (1024, 14, 256, 1),
        (1024, 14, 512, 1),
        (512, 14, 512, 3, 2),
        (512, 7, 2048, 1),
        (1024, 14, 2048, 1, 2),
        (2048, 7, 512, 1),
    ],
    "MobileNetV2": [
        (3, 224, 32, 3, 2),
        (32, 112, 32, 3, 1, 32),
        (32, 112, 16, 1),
        (16, 112, 96, 1),
        (96, 112, 96, 3, 2, 96),
        (96, 56, 24, 1),
        (144, 56, 144, 3, 1, 144),
        (144, 56, 144, 3, 2, 144),
        (192, 28, 192, 3, 1, 192),
        (192, 28, 64, 1),
        (384, 14, 384, 3, 1, 384),
        (384, 14, 96, 1),
        (576, 14, 576, 3, 2, 576),
        (960, 7, 960, 3, 1, 960),
        (960, 7, 320, 1),
        (320, 7, 1280, 1),
    ],
    "VGG-16": [
        (3, 224, 64, 3),
        (64, 224, 64, 3),
        (64, 112, 128, 3),
        (128, 112, 128, 3),
        (128, 56, 256, 3),
        (256, 56, 256, 3),
        (256, 28, 512, 3),
        (512, 28, 512, 3),
        (512, 14, 512, 3),
    ],
}


def cases(only: str) -> Iterator[Case]:
    if only != "linear":
        for network, layers in CONVOLUTIONS.items():
            for layer in layers:
                yield conv_case(network, *layer)
    if only != "conv":
        for k, n in [(768, 768), (768, 3072), (3072, 768)]:
            yield linear_case("BERT-base@128", 128, k, n)
        yield bmm_case("BERT-base@128", 12, 128, 64, 128, True)
        yield bmm_case("BERT-base@128", 12, 128, 128, 64, False)
        for k, n in [(768, 2304), (768, 768), (768, 3072), (3072, 768)]:
            yield linear_case("GPT-2@64", 64, k, n, transposed=False)
        yield linear_case("GPT-2@64", 64, 768, 50257)
        yield bmm_case("GPT-2@64", 12, 64, 64, 64, True)
        for k, n in [(768, 768), (768, 3072), (3072, 768)]:
            yield linear_case("one token", 1, k, n)
            yield linear_case("one token", 1, k, n, transposed=False)
        for m in (1, 4, 16):
            yield linear_case("small", m, 4, 4)
            yield linear_case("small", m, 64, 64)
        yield linear_case("ResNet head", 1, 512, 1000)


def measure(case: Case, seconds: float, cpu: bool) -> tuple[float, float, float]:
    """Times of both in microseconds, and the relative error of our result."""
    clock = time.thread_time if cpu else time.perf_counter
    expected = case.theirs().double()
    error = (torch.from_numpy(np.asarray(case.ours())).double() - expected).norm() / expected.norm()
    start = clock()
    case.ours()
    repeat = max(1, int(2e-4 / (clock() - start + 1e-9)))
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["ours"]) < 5:
        for name, run in (("ours", case.ours), ("theirs", case.theirs)):
            start = clock()
            for _ in range(repeat):
                run()
            times[name].append((clock() - start) / repeat * 1e6)
    typical = min if cpu else statistics.median
    return typical(times["ours"]), typical(times["theirs"]), float(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["conv", "linear"], default="")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=0.4, help="per case")
    parser.add_argument("--cpu", action="store_true", help="CPU time of one thread")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, {platform.processor() or platform.machine()}")
    for threads in [1] if options.cpu else options.threads:
        torch.set_num_threads(threads)
        rushlight.set_num_threads(threads)
        print(f"\n{threads} thread(s)")
        print(
            f"{'network':14} {'layer':34} {'rushlight us':>12} {'torch us':>10} "
            f"{'ratio':>6} {'error':>8}"
        )
        sums: dict[str, list[float]] = {}
        for case in cases(options.only):
            ours, theirs, error = measure(case, options.seconds, options.cpu)
            print(
                f"{case.network:14} {case.label:34} {ours:12.1f} {theirs:10.1f} "
                f"{ours / theirs:6.2f} {error:8.1e}",
                flush=True,
            )
            total = sums.setdefault(case.network, [0.0, 0.0])
            total[0] += ours
            total[1] += theirs
        for network, (ours, theirs) in sums.items():
            print(
                f"{network:14} {'sum of the rows above':34} {ours:12.1f} {theirs:10.1f} "
                f"{ours / theirs:6.2f}"
            )


if __name__ == "__main__":
    with torch.no_grad():
        main()
