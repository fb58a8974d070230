"""Threads, forks, exits and exceptions in the middle of recording."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rushlight as torch
from rushlight import lazy


def work(shared: torch.Tensor, seed: int) -> list[float]:
    x = shared * seed
    for i in range(30):
        x = (x + shared).sin() * float(i)
        if i % 10 == 9:
            x[seed % 4] = x.sum()
    return x.tolist()  # type: ignore[no-any-return]


def test_eight_threads_on_shared_tensors_give_what_one_gives() -> None:
    shared = torch.tensor([0.1, 0.2, 0.3, 0.4]).exp()
    expected = [work(shared, seed) for seed in range(16)]
    shared = torch.tensor([0.1, 0.2, 0.3, 0.4]).exp()  # recorded here, computed by somebody
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda s: work(shared, s), range(16))) == expected


def test_eight_threads_replay_one_compiled_function() -> None:
    weight = torch.tensor([1.0, 2.0, 3.0])
    compiled = lazy.compile(lambda x: (x * weight).exp().sum() + x)
    x = torch.zeros(3)
    for _ in range(3):
        compiled(x)

    def run(i: int) -> bool:
        out = compiled(torch.ones(3) * i)
        return np.allclose(out.numpy(), np.exp(np.arange(1, 4) * i).sum() + i)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, [i % 5 for i in range(200)]))


def in_child(body: str) -> None:
    """Runs in a process of its own, which must end by itself."""
    code = "import os, threading, warnings\nimport rushlight as torch\nfrom rushlight import lazy\n"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code + body],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_fork_takes_what_was_recorded_along() -> None:
    in_child(
        """
x = torch.ones(3) * 2
pid = os.fork()
assert x.tolist() == [2.0] * 3
if pid == 0:
    assert (x + 1).tolist() == [3.0] * 3
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
"""
    )


def test_a_fork_while_other_threads_run_traces() -> None:
    in_child(
        """
stop = False
def busy():
    n = 0
    while not stop:
        n += 1
        y = torch.ones(20000 + n % 7) * 2
        (y.sin() + y).sum().item()
threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads: t.start()
z = torch.ones(30000) * 3
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        assert (z + 1).sum().item() == 120000
        assert len(lazy.explain()) >= 0
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop = True
for t in threads: t.join()
"""
    )


def test_the_process_ends_with_work_pending() -> None:
    in_child(
        """
x = torch.ones(1000) * 2
keep = [x.exp() for _ in range(100)]
lazy.add_step_closure(print, (x,))
def other():
    global y
    y = torch.ones(5) + 1
t = threading.Thread(target=other)
t.start()
t.join()
"""
    )


def test_an_error_at_the_call_leaves_the_rest() -> None:
    x = torch.ones(3) * 2
    with pytest.raises(RuntimeError):
        x + torch.ones(4)
    y = x + 1
    with pytest.raises(RuntimeError):
        y.add_(torch.ones(2, 3))
    assert y.tolist() == [3.0] * 3 and x.tolist() == [2.0] * 3


def test_an_interrupt_leaves_the_rest() -> None:
    x = torch.zeros(4)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            steps = 0
            with pytest.raises(KeyboardInterrupt):
                while True:
                    y = x + 1
                    x, steps = y, steps + 1
            value = x[0].item()
            assert x.tolist() == [value] * 4
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_steps_leak_nothing() -> None:
    compiled = lazy.compile(lambda x: x * 2 + 1)

    def steps(n: int) -> None:
        for i in range(n):
            x = torch.ones(4) * float(i)
            (x + 1).sum().item()
            compiled(x)
            lazy.add_step_closure(lambda: None)
            lazy.mark_step()
            lazy.get_tensor_id(x)

    steps(200)
    tracemalloc.start()
    try:
        steps(200)
        before = tracemalloc.get_traced_memory()[0]
        steps(3000)
        assert tracemalloc.get_traced_memory()[0] - before < 16384
    finally:
        tracemalloc.stop()
    assert threading.active_count() < 20 and os.getpid()
