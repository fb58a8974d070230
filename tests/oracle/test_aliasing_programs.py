"""Programs in which tensors share memory, exported by PyTorch and compared with it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch

import rushlight
from rushlight.nativert import ModelRunner

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PyTorch's own, of run_decompositions
]


class StridedAfterWrite(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b = x * 1
        v = b[:, :2]
        v.add_(1)
        return torch.as_strided(v, (2, 2), (4, 1))


class StridedThroughTwoViews(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b = x * 1
        v = b[1:]
        v.mul_(2)
        w = v.view(-1)
        return torch.as_strided(w, (2, 3), (4, 1)) + w[0]


class CopyOfTheSameDtype(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * 1
        d = y.to(torch.float32, copy=True)
        y.add_(1)
        return d, y


class ViewsInPlace(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * 1
        first = y[0]
        same = y.t_()
        y.unsqueeze_(0)
        y.add_(1)
        same.squeeze_(0)
        first.mul_(3)
        y[1:, :2] = 7
        return y, same, first


class FloorDivideInPlace(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 3
        y //= x + 2
        return y


PROGRAMS = [
    StridedAfterWrite,
    StridedThroughTwoViews,
    CopyOfTheSameDtype,
    ViewsInPlace,
    FloorDivideInPlace,
]


def exported(module: torch.nn.Module, x: torch.Tensor, decomposed: bool) -> io.BytesIO:
    program = torch.export.export(module, (x,))
    if decomposed:
        program = program.run_decompositions()
    file = io.BytesIO()
    torch.export.save(program, file)
    return file


def runner(module: torch.nn.Module, x: torch.Tensor, decomposed: bool, folder: Path) -> ModelRunner:
    path = folder / "program.pt2"
    path.write_bytes(exported(module, x, decomposed).getvalue())
    return ModelRunner(path)


@pytest.mark.parametrize("decomposed", [False, True], ids=["exported", "decomposed"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_pytorch(program: type[torch.nn.Module], decomposed: bool, tmp_path: Path) -> None:
    x = torch.arange(16, dtype=torch.float32).reshape(4, 4)
    wanted = program()(x)
    got = runner(program(), x, decomposed, tmp_path).run(x.numpy())
    for a, b in zip(
        wanted if isinstance(wanted, tuple) else (wanted,),
        got if isinstance(got, tuple) else (got,),
        strict=True,
    ):
        np.testing.assert_array_equal(np.asarray(b), a.numpy())


class Remembers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("buf", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.buf + 1
        self.buf.copy_(x)
        return out


@pytest.mark.parametrize("decomposed", [False, True], ids=["exported", "decomposed"])
def test_a_buffer_does_not_keep_the_callers_memory(decomposed: bool, tmp_path: Path) -> None:
    program = runner(Remembers(), torch.zeros(3), decomposed, tmp_path)
    x = np.ones(3, np.float32)
    program.run(x)
    x[:] = 77
    assert np.asarray(program.run(x)).tolist() == [2, 2, 2]
    assert np.asarray(program.run(x)).tolist() == [78, 78, 78]


def test_a_weight_that_was_handed_out_is_not_the_programs(tmp_path: Path) -> None:
    program = runner(Remembers(), torch.zeros(3), True, tmp_path)
    program.run(np.ones(3, np.float32))
    program.weight("buf").numpy()[:] = 50
    assert np.asarray(program.run(np.zeros(3, np.float32))).tolist() == [2, 2, 2]


def test_memory_that_must_not_be_written_is_not() -> None:
    text = b"abcdef"
    array = np.arange(4)
    array.flags.writeable = False
    for source in (text, memoryview(text), array, memoryview(array)):
        with pytest.raises(RuntimeError, match="read-only"):
            rushlight.ops.aten.add_.Scalar(rushlight.Tensor(source), 1)
    assert text == b"abcdef"


def test_a_copy_that_is_asked_for_is_made() -> None:
    x = rushlight.Tensor(np.zeros(2, np.float32))
    to = rushlight.ops.aten.to.dtype
    assert to(x, rushlight.float32).data_ptr() == x.data_ptr()
    assert to(x, rushlight.float32, False, True).data_ptr() != x.data_ptr()
