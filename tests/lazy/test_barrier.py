"""Loops that never read: bounded memory, few programs."""

from __future__ import annotations

import resource

import pytest

import rushlight as torch
from rushlight import lazy


def compiled() -> int:
    counts = [lazy.metrics.counter_value(n) or 0 for n in ("Compilations", "Replans")]
    return sum(counts)


@pytest.mark.filterwarnings("ignore:rushlight compiled")
@pytest.mark.parametrize("k", range(1, 51))
def test_a_loop_of_k_calls_compiles_few_programs(k: int) -> None:
    x = torch.ones(4)
    with lazy.config.max_trace_calls(200):
        for _ in range(6000 // k):
            for j in range(k):
                x = x * 1.0 if j % 2 else x + 0.0
    assert x.tolist() == [1.0] * 4
    assert (lazy.metrics.counter_value("AutomaticBarriers") or 0) >= 29
    assert compiled() <= 8


@pytest.mark.filterwarnings("ignore:rushlight compiled")
@pytest.mark.parametrize("k", [3, 7, 11])
def test_barriers_by_bytes_compile_few_programs(k: int) -> None:
    x = torch.ones(1000)
    with lazy.config.max_trace_bytes(160_000):
        for _ in range(3000 // k):
            for j in range(k):
                x = x * 1.0 if j % 2 else x + 0.0
    assert x.sum().item() == 1000
    assert (lazy.metrics.counter_value("AutomaticBarriers") or 0) >= 60
    assert compiled() <= k + 8


def test_a_long_chain() -> None:
    x = torch.zeros(3)
    for _ in range(20_000):
        x = x + 1
    assert x.tolist() == [20_000.0] * 3


@pytest.mark.filterwarnings("ignore:rushlight compiled")
def test_a_long_chain_of_views_and_writes() -> None:
    x = torch.zeros(4)
    for i in range(5000):
        x[i % 4] += 1
    assert x.tolist() == [1250.0] * 4


def test_memory_is_flat_over_100000_steps() -> None:
    def steps(n: int) -> None:
        x = torch.ones(8)
        for _ in range(n):
            x = (x * 1.5 - 0.5).clamp(0.0, 2.0)
        assert x.tolist() == [1.0] * 8

    steps(3_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    steps(100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB
