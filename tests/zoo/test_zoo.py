"""The zoo's exporter writes archives that PyTorch runs to the recorded outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

TRANSFORMERS = ("encoders", "decoders")  # their modules import transformers, which not all have


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")  # torch.export's own deprecations are not ours to fix
@pytest.mark.parametrize("name", ["linear", "lenet", "counter", "scalar_inputs"])
def test_export_and_check(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from tests.zoo.export import main

    assert main([str(tmp_path), "--small", "--check", "--only", name]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{suffix}" for suffix in ("exported.pt2", "decomposed.pt2", "npz", "json")
    }
    assert capfd.readouterr().err == ""  # no progress where nobody looks


@pytest.mark.oracle
def test_the_same_name_gives_the_same_weights() -> None:
    import torch

    from tests.zoo.export import build

    first, second = build("lenet", True).module, build("lenet", True).module
    for a, b in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.oracle
def test_every_model_has_a_builder() -> None:
    from tests.zoo.registry import MODELS, builder

    ours = [name for name, where in MODELS.items() if where.split(":")[0] not in TRANSFORMERS]
    assert len(ours) >= 25
    assert all(callable(builder(name)) for name in ours)
