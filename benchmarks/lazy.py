"""Speed of array programs beside NumPy, PyTorch eager, torch.compile, jax.jit, numexpr and MLX.

    python benchmarks/lazy.py [--only TEXT] [--rounds N] [--threads N] [--compile] [--json FILE]

Every program is written in NumPy's names and in PyTorch's; ours runs the latter unchanged.
Within a round each library runs once, so that slow spells of the machine hit all of them alike.
Reported is the median over the rounds and ours divided by the fastest peer's (below 1.00 we are
faster). Each call ends with all its results in memory. Libraries that are not installed are left
out; ``--compile`` adds torch.compile, which needs a compiler and minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lazy_programs import PROGRAMS, Program

Call = Callable[[], Any]


def ours(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import rushlight as rl

    tensors = [rl.tensor(x) for x in inputs]

    def call() -> None:
        for result in program.torch(rl, *tensors):
            rl._C.compute(result)

    return call


def numpy(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    return lambda: program.numpy(np, *inputs)


def torch_eager(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import torch

    tensors = [torch.tensor(x) for x in inputs]

    def call() -> None:
        with torch.no_grad():
            program.torch(torch, *tensors)

    return call


def torch_compiled(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import torch

    tensors = [torch.tensor(x) for x in inputs]
    compiled = torch.compile(lambda *args: program.torch(torch, *args))

    def call() -> None:
        with torch.no_grad():
            compiled(*tensors)

    return call


def jax_jit(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import jax
    import jax.numpy as jnp

    arrays = [jnp.asarray(x) for x in inputs]
    compiled = jax.jit(lambda *args: program.numpy(jnp, *args))
    return lambda: jax.block_until_ready(compiled(*arrays))


def numexpr(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import numexpr as ne

    if program.numexpr is None:
        raise LookupError
    names = dict(zip("xyzw", inputs, strict=False))
    return lambda: ne.evaluate(program.numexpr, local_dict=names)


def mlx(program: Program, inputs: Sequence[np.ndarray]) -> Call:
    import mlx.core as mx

    mx.set_default_device(mx.cpu)
    arrays = [mx.array(x) for x in inputs]
    compiled = mx.compile(lambda *args: program.numpy(mx, *args))
    return lambda: mx.eval(compiled(*arrays))


PEERS: dict[str, Callable[[Program, Sequence[np.ndarray]], Call]] = {
    "rushlight": ours,
    "numpy": numpy,
    "torch": torch_eager,
    "torch.compile": torch_compiled,
    "jax.jit": jax_jit,
    "numexpr": numexpr,
    "mlx": mlx,
}


def set_threads(count: int) -> None:
    """Before anything is imported that makes threads of its own."""
    for name in ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(count)
    if count == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import rushlight as rl

    rl.set_num_threads(count)
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(count)


def calls_of(program: Program, inputs: Sequence[np.ndarray], compile: bool) -> dict[str, Call]:
    calls = {}
    for name, make in PEERS.items():
        if name == "torch.compile" and not compile:
            continue
        try:
            call = make(program, inputs)
            call()
            call()
        except Exception as error:  # a library that is missing, or lacks a function
            if name == "rushlight":
                raise
            if not isinstance(error, (ImportError, LookupError)):
                print(f"  {name} left out of {program.name}: {str(error)[:60]}")
            continue
        calls[name] = call
    return calls


def measure(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Median seconds per call."""
    repeats = {}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        repeats[name] = max(1, min(1000, int(0.02 / (time.perf_counter() - start + 1e-9))))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            times[name].append((time.perf_counter() - start) / repeats[name])
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="torch.compile too")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    set_threads(options.threads)
    rows = []
    for program in PROGRAMS:
        for label, inputs in program.cases():
            name = f"{program.name} {label}".strip()
            if options.only not in name:
                continue
            medians = measure(calls_of(program, inputs, options.compile), options.rounds)
            peers = {k: v for k, v in medians.items() if k != "rushlight"}
            best = min(peers, key=peers.__getitem__)
            ratio = medians["rushlight"] / peers[best]
            rows.append({"program": name, "ratio": ratio, "best": best, **medians})
            others = "  ".join(f"{k} {v * 1e6:.0f}" for k, v in medians.items())
            print(f"{name:32} {ratio:5.2f} x {best:13} µs: {others}", flush=True)
    mean = math.exp(statistics.fmean(math.log(row["ratio"]) for row in rows))
    print(f"geometric mean {mean:.2f} over {len(rows)} rows, {options.threads} thread(s)")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
