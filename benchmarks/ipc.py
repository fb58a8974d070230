"""There and back through two queues: rushlight, torch.multiprocessing, pickle.

    python benchmarks/ipc.py [--rounds 15] [--sizes 10 1000000 16000000]

For every size, float32, milliseconds, medians and the ratio to the best peer (below 1: faster).
*new*: a new array each time, so its bytes have to get into shared memory or a pipe; *again*: the
same array each time, *touched* once at the end by the sender. The child sends back what it got.
Every contender lives in a process of its own with a child of its own, and rounds are interleaved.
Contenders that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing as mp
import pickle
import platform
import statistics
import time
from typing import Any

import numpy as np


def echo(module: str, requests: Any, replies: Any) -> None:
    """The child: sends back what it gets."""
    load(module)
    while (message := requests.get()) is not None:
        replies.put(message)


def load(module: str) -> Any:
    """The contender's multiprocessing module, and how it makes and touches arrays."""
    if module == "rushlight":
        import rushlight
        import rushlight.multiprocessing as module_

        return module_, lambda n: rushlight.Tensor(np.ones(n, np.float32)), np.asarray
    if module == "rushlight, NumPy":
        import rushlight.multiprocessing as module_

        return module_, lambda n: np.ones(n, np.float32), np.asarray
    if module == "torch":
        import torch
        import torch.multiprocessing as module_

        return module_, torch.ones, lambda t: t.numpy()
    return mp, lambda n: np.ones(n, np.float32), np.asarray


def contender(module: str, orders: Any) -> None:
    """The process of a contender: told (size, new), answers with seconds."""
    multiprocessing, make, touch = load(module)
    context = multiprocessing.get_context("spawn")
    requests, replies = context.Queue(), context.Queue()
    child = context.Process(target=echo, args=(module, requests, replies), daemon=True)
    child.start()
    kept: dict[int, Any] = {}
    while (order := orders.recv()) is not None:
        size, new = order
        array = make(size) if new else kept.setdefault(size, make(size))
        start = time.perf_counter()
        requests.put(array)
        received = replies.get()
        assert touch(received)[-1] == 1
        orders.send(time.perf_counter() - start)
        del array, received
    requests.put(None)
    child.join()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1_000_000, 16_000_000])
    arguments = parser.parse_args()
    names = ["rushlight", "rushlight, NumPy", "torch", "pickle"]
    if importlib.util.find_spec("torch") is None:
        names.remove("torch")
    context = mp.get_context("spawn")
    pipes, processes = {}, []
    for name in names:
        pipes[name], other = context.Pipe()
        processes.append(context.Process(target=contender, args=(name, other)))
        processes[-1].start()
    print(f"{platform.machine()}, {mp.cpu_count()} CPUs, Python {platform.python_version()}, "
          f"pickle protocol {pickle.DEFAULT_PROTOCOL}, {time.strftime('%Y-%m-%d')}")  # fmt: skip
    print(f"{'floats':>10} {'':6}" + "".join(f"{name:>18}" for name in names) + f"{'ratio':>8}")
    for size in arguments.sizes:
        for new in (True, False):
            times: dict[str, list[float]] = {name: [] for name in names}
            for round_ in range(arguments.rounds + 2):
                turn = round_ % len(names)
                for name in names[turn:] + names[:turn]:
                    pipes[name].send((size, new))
                    seconds = pipes[name].recv()
                    if round_ >= 2:  # the first two warm up
                        times[name].append(seconds * 1e3)
            middle = {name: statistics.median(times[name]) for name in names}
            ratio = middle["rushlight"] / min(
                value for name, value in middle.items() if not name.startswith("rushlight")
            )
            row = "".join(f"{middle[name]:>18.3f}" for name in names)
            print(f"{size:>10} {'new' if new else 'again':6}{row}{ratio:>8.2f}")
    for name, process in zip(names, processes, strict=True):
        pipes[name].send(None)
        process.join()


if __name__ == "__main__":
    main()
