"""Random programs in rushlight and in PyTorch (`python -m tests.programs.run` makes more)."""

from __future__ import annotations

import random

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight
from tests.programs.calls import script
from tests.programs.generate import generate
from tests.programs.run import Judge

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
JUDGE = Judge(rushlight, torch)


@pytest.mark.parametrize("block", range(10))
def test_seeded(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        program = JUDGE.make(seed)
        difference = JUDGE.difference(program)
        assert difference is None, f"seed {seed}: {difference}\n{script(program)}"


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_shrunk_by_hypothesis(rng: random.Random) -> None:
    program = generate(rng, torch, size=rng.randint(5, 60))
    difference = JUDGE.difference(program)
    assert difference is None, f"{difference}\n{script(program)}"
