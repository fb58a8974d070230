"""Programs exported in training mode: statistics that running writes, dropout that drops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rushlight import nativert

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


class Normalised(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.conv(x)))


def archive(model: torch.nn.Module, x: torch.Tensor, path: Path, decomposed: bool) -> Any:
    exported = torch.export.export(model.train(), (x,))
    if decomposed:
        exported = exported.run_decompositions()
    torch.export.save(exported, path)
    return nativert.ModelRunner(str(path))


@pytest.mark.parametrize("decomposed", [False, True])
def test_batch_norm_keeps_its_running_statistics(tmp_path: Path, decomposed: bool) -> None:
    torch.manual_seed(0)
    model = Normalised()
    runner = archive(model, torch.randn(2, 3, 6, 6), tmp_path / "m.pt2", decomposed)
    # The second call sees what the first one left; the network in evaluation sees both.
    for seed in range(2):
        x = torch.randn(2, 3, 6, 6, generator=torch.Generator().manual_seed(seed))
        with torch.no_grad():
            expected = model.train()(x).numpy()
        np.testing.assert_allclose(np.asarray(runner.run(x.numpy())), expected, atol=1e-5)
    for name in ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"):
        expected = model.state_dict()[name].numpy()
        np.testing.assert_allclose(np.asarray(runner.weight(name)), expected, atol=1e-5)


@pytest.mark.parametrize("decomposed", [False, True])
def test_dropout_drops(tmp_path: Path, decomposed: bool) -> None:
    x = torch.ones(64, 64)
    runner = archive(torch.nn.Dropout(0.25), x, tmp_path / "m.pt2", decomposed)
    y = np.asarray(runner.run(x.numpy()))
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(y.mean() - 1) < 0.1
    assert (np.asarray(runner.run(x.numpy())) != y).any()
