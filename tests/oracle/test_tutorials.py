"""The tutorials' programs give the same under `import torch` and `import rushlight as torch`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import rushlight
from tests.tutorials.programs import PROGRAMS

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same(program: Any) -> None:
    ours, theirs = program(rushlight), program(torch)
    assert str(ours.dtype).rpartition(".")[2] == str(theirs.dtype).rpartition(".")[2]
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6, atol=1e-9)
