"""Programs of PyTorch that call operators their author defined with torch.library."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rushlight import Tensor as RushlightTensor
from rushlight import library, nativert
from rushlight.library import _definitions

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PyTorch's own, of run_decompositions
]


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    for name in [n for n in list(_definitions._definitions) if n.startswith("oracle_ops.")]:
        _definitions.remove(name)


def exported(model: object, args: tuple, path: Path, *, decomposed: bool) -> np.ndarray:
    import torch

    program = torch.export.export(model, args)  # type: ignore[arg-type]
    if decomposed:
        program = program.run_decompositions()
    torch.export.save(program, path)
    return model(*[a.clone() for a in args]).numpy()  # type: ignore[operator]


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("fake", [False, True])
def test_a_functional_operator(tmp_path: Path, decomposed: bool, fake: bool) -> None:
    import torch

    @torch.library.custom_op("oracle_ops::mix", mutates_args=())
    def mix(x: torch.Tensor, weights: list[float], scale: float = 2.0) -> torch.Tensor:
        return x * scale + sum(weights)

    mix.register_fake(lambda x, weights, scale=2.0: torch.empty_like(x))

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.oracle_ops.mix(self.linear(x), [0.5, 1.0]).relu().sum(-1)

    x = torch.randn(3, 4)
    with torch.no_grad():
        expected = exported(Model(), (x,), tmp_path / "p.pt2", decomposed=decomposed)

    def ours(x: RushlightTensor, weights: list[float], scale: float = 2.0) -> RushlightTensor:
        return x * scale + sum(weights)

    ours_op = library.custom_op("oracle_ops::mix", ours, mutates_args=())
    if fake:
        ours_op.register_fake(lambda x, weights, scale=2.0: x.new_empty(x.shape))
    got = nativert.ModelRunner(tmp_path / "p.pt2").run(x.numpy())
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("decomposed", [False, True])
def test_an_operator_that_writes(tmp_path: Path, decomposed: bool) -> None:
    import torch

    @torch.library.custom_op("oracle_ops::accumulate", mutates_args={"into"})
    def accumulate(x: torch.Tensor, into: torch.Tensor) -> torch.Tensor:
        into += x
        return x.sum()

    accumulate.register_fake(lambda x, into: x.new_empty(()))

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            into = x * 10
            total = torch.ops.oracle_ops.accumulate(x[0], into[1])
            return into + total

    x = torch.randn(3, 4)
    expected = exported(Model(), (x,), tmp_path / "p.pt2", decomposed=decomposed)

    @library.custom_op("oracle_ops::accumulate", mutates_args={"into"})
    def ours(x: RushlightTensor, into: RushlightTensor) -> RushlightTensor:
        into += x
        return x.sum()

    got = nativert.ModelRunner(tmp_path / "p.pt2").run(x.numpy())
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-5, atol=1e-5)


def test_schemas_are_those_that_pytorch_infers() -> None:
    import torch

    def ours(
        x: RushlightTensor, y: RushlightTensor | None, zs: list[RushlightTensor],
        n: int = 3, f: float = 0.5, s: str = "a", *, flag: bool = False,
    ) -> tuple[RushlightTensor, RushlightTensor]: ...  # fmt: skip

    def theirs(x, y, zs, n=3, f=0.5, s="a", *, flag=False): ...  # type: ignore[no-untyped-def]

    theirs.__annotations__ = {
        "x": torch.Tensor, "y": torch.Tensor | None, "zs": list[torch.Tensor], "n": int,
        "f": float, "s": str, "flag": bool, "return": tuple[torch.Tensor, torch.Tensor],
    }  # fmt: skip
    for written in ((), ("x",)):
        assert library.infer_schema(ours, mutates_args=written) == torch.library.infer_schema(
            theirs, mutates_args=written
        )
