"""From a function to a program that runs, and is saved."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.export import ExportedProgram, InputKind, OutputKind, export
from rushlight.lazy import NotReplayableError

TABLE = torch.tensor([10.0, 20.0, 30.0])


def test_a_function_of_tensors_and_numbers() -> None:
    def fn(x: torch.Tensor, batch: dict[str, Any], scale: float = 1.0) -> dict[str, torch.Tensor]:
        y = x @ batch["w"] * scale + TABLE
        return {"y": y, "first": y[0], "same": x}

    x, w = torch.ones(2, 3), torch.ones(3, 3)
    program = export(fn, (x, {"w": w}, 0.5))
    specs = program.graph_signature.input_specs
    assert [(s.kind, s.arg.name) for s in specs] == [
        (InputKind.CONSTANT_TENSOR, "c_TABLE"),
        (InputKind.USER_INPUT, "x"),
        (InputKind.USER_INPUT, "batch_w"),
        (InputKind.USER_INPUT, "scale"),
    ]
    assert list(program.constants) == ["TABLE"]
    names = [n.name for n in program.graph.nodes]
    assert "matmul" in names and "as_strided" in names
    out = program.module()(x * 2, {"w": w}, 0.5)
    expected = fn(x * 2, {"w": w}, 0.5)
    assert out.keys() == expected.keys()
    for key, value in expected.items():
        assert torch.equal(out[key], value)


class Counter:
    def __init__(self) -> None:
        self.weight = torch.tensor([1.0, 2.0])
        self.count = torch.zeros(1)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        x.mul_(2)
        return x * self.weight + self.count


def test_state_becomes_parameters_and_buffers_and_is_not_touched() -> None:
    counter = Counter()
    x = torch.ones(2)
    program = export(counter, (x,))
    assert counter.count.item() == 0 and x.tolist() == [1.0, 1.0]
    signature = program.graph_signature
    assert signature.parameters == ("weight",) and signature.buffers == ("count",)
    assert [s.kind for s in signature.output_specs] == [
        OutputKind.BUFFER_MUTATION,
        OutputKind.USER_INPUT_MUTATION,
        OutputKind.USER_OUTPUT,
    ]
    module = program.module()
    for step in range(1, 4):
        given, expected = torch.ones(2), torch.ones(2)
        assert torch.equal(module(given), counter(expected))
        assert given.tolist() == expected.tolist() == [2.0, 2.0]
        assert module.state_dict()["count"].item() == step


def test_writes_through_views() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[1:] = y[:1] * 3
        y.t()[0] += 1
        return y

    program = export(fn, (torch.ones(3, 2),))
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert torch.equal(program.module()(x), fn(x))


def test_what_cannot_be_exported() -> None:
    x = torch.ones(2)
    with pytest.raises(NotReplayableError, match=r"test_export\.py:\d+: "):
        export(lambda a: a + 1 if a.sum() > 0 else a, (x,))
    with pytest.raises(NotImplementedError, match="dynamic_shapes"):
        export(lambda a: a + 1, (x,), dynamic_shapes={"a": {0: "n"}})
    with pytest.raises(TypeError, match="missing a required argument"):
        export(lambda a, b: a + b, (x,))
    with pytest.raises(TypeError, match="expected a tuple, got list"):
        export(lambda a: a, [x])  # type: ignore[arg-type]
    kept: list[torch.Tensor] = []

    def keeps(a: torch.Tensor) -> torch.Tensor:
        kept.append(a * 2)
        return a + 1

    with pytest.raises(NotReplayableError, match="is kept, but not returned"):
        export(keeps, (x,))
    with pytest.raises(RuntimeError, match="made while a function was exported"):
        kept[0].tolist()


def test_a_program_is_its_own_export() -> None:
    program = export(lambda x: x.sin(), (torch.ones(2),), dynamic_shapes={"x": None})
    assert isinstance(program, ExportedProgram)
    assert export(program, (torch.ones(2),)) is program
