"""Random programs against plain NumPy, without PyTorch."""

from __future__ import annotations

import pytest

import rushlight
from tests.programs import model
from tests.programs.calls import script
from tests.programs.run import Judge, main

JUDGE = Judge(rushlight, model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", range(4))
def test_random_programs(block: int) -> None:
    for seed in range(block * 30, block * 30 + 30):
        program = JUDGE.make(seed)
        difference = JUDGE.difference(program)
        assert difference is None, f"seed {seed}: {difference}\n{script(program)}"


def test_the_command_finds_a_fault_and_shrinks_it(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--against", "model", "--count", "20", "--library", "tests.tensor.faulty"]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "torch.sum" in out
    assert "import tests.tensor.faulty as torch" in out
