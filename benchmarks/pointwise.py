"""Pointwise operators beside PyTorch eager: one thread, a million elements, one process.

    python benchmarks/pointwise.py [--size N] [--json FILE]

Prints microseconds per call (the best of several rounds, taken in turns) and the ratio ours/theirs:
below 1 is faster than PyTorch. The last rows compare a chain of operators called one by one with
PyTorch's; rows named "10" measure the fixed cost of a call.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import rushlight

ROUNDS = 200


def best(functions: list[Callable[[], Any]], repeat: int) -> list[float]:
    """Seconds per call of each function, measured in turns so that noise hits all alike."""
    times = [float("inf")] * len(functions)
    for function in functions:
        function()
    for _ in range(ROUNDS):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            for _ in range(repeat):
                function()
            times[i] = min(times[i], (time.perf_counter() - start) / repeat)
    return times


def tensors(*values: torch.Tensor) -> list[Any]:
    return [rushlight.ops.aten.mul.Scalar(v, 1) for v in values]


def rows(n: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    mine, theirs = rushlight.ops.aten, torch.ops.aten
    x, y = torch.randn(n), torch.randn(n)
    rx, ry = tensors(x, y)
    bx, by = x.bfloat16(), y.bfloat16()
    rbx, rby = tensors(bx, by)
    ix, iy = torch.arange(n), torch.arange(n)
    rix, riy = tensors(ix, iy)
    mask, matrix, row = x > 0, torch.randn(1000, n // 1000), torch.randn(n // 1000)
    rmask = mine.gt.Scalar(rx, 0)
    rmatrix, rrow = tensors(matrix, row)
    sx, sy = torch.randn(10), torch.randn(10)
    rsx, rsy = tensors(sx, sy)
    found: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "add": (lambda: mine.add.Tensor(rx, ry), lambda: theirs.add.Tensor(x, y)),
        "mul scalar": (lambda: mine.mul.Scalar(rx, 2.0), lambda: theirs.mul.Scalar(x, 2.0)),
        "add bfloat16": (lambda: mine.add.Tensor(rbx, rby), lambda: theirs.add.Tensor(bx, by)),
        "add int64": (lambda: mine.add.Tensor(rix, riy), lambda: theirs.add.Tensor(ix, iy)),
        "add row": (lambda: mine.add.Tensor(rmatrix, rrow), lambda: theirs.add.Tensor(matrix, row)),
        "where": (lambda: mine.where.self(rmask, rx, ry), lambda: theirs.where.self(mask, x, y)),
        "gt": (lambda: mine.gt.Tensor(rx, ry), lambda: theirs.gt.Tensor(x, y)),
        "pow 2": (lambda: mine.pow.Tensor_Scalar(rx, 2), lambda: theirs.pow.Tensor_Scalar(x, 2)),
        "to bfloat16": (
            lambda: mine.to.dtype(rx, rushlight.bfloat16),
            lambda: theirs.to.dtype(x, torch.bfloat16),
        ),
        "add 10": (lambda: mine.add.Tensor(rsx, rsy), lambda: theirs.add.Tensor(sx, sy)),
    }
    unary = "relu exp log tanh sigmoid silu gelu erf sin sqrt"
    for name in unary.split():
        a, b = getattr(mine, name).default, getattr(theirs, name).default
        found[name] = (lambda a=a: a(rx), lambda b=b: b(x))  # type: ignore[misc]

    def chain(ops: Any, u: Any, v: Any) -> Any:
        return ops.mul.Tensor(ops.sigmoid.default(ops.add.Tensor(u, v)), u)

    found["mul(sigmoid(add))"] = (lambda: chain(mine, rx, ry), lambda: chain(theirs, x, y))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rushlight.set_num_threads(1)
    results = {}
    print(f"{'operator':20} {'ours us':>9} {'torch us':>9} {'ratio':>6}")
    for name, functions in rows(options.size).items():
        ours, theirs = best(list(functions), 500 if name.endswith(" 10") else 1)
        results[name] = {"ours_us": ours * 1e6, "torch_us": theirs * 1e6, "ratio": ours / theirs}
        print(f"{name:20} {ours * 1e6:9.1f} {theirs * 1e6:9.1f} {ours / theirs:6.2f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
