"""Random programs over a few tensors, in rushlight and in PyTorch: views, in-place operations,
broadcasting, mixed dtypes. Both must give the same values, dtypes and errors."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

import rushlight as rl

pytestmark = pytest.mark.oracle

DTYPES = ("float32", "float64", "int64", "int32", "bool")
UNARY = ("abs", "neg", "relu", "sign", "square", "tanh", "sigmoid", "exp", "isnan", "logical_not")
BINARY = ("add", "sub", "mul", "maximum", "minimum", "eq", "lt", "ge", "logical_and", "div")
REDUCE = ("sum", "mean", "amax", "amin", "any", "all", "prod", "argmax")
IN_PLACE = ("add_", "mul_", "sub_", "copy_", "clamp_", "zero_", "fill_", "neg_")
VIEWS = ("transpose", "unsqueeze", "select", "narrow", "flatten", "expand", "step", "flip_none")
STEPS = 20


def view(x: Any, kind: str, rng: random.Random) -> Any:
    if kind == "transpose" and x.ndim > 1:
        return x.transpose(0, rng.randrange(x.ndim))
    if kind == "unsqueeze" and x.ndim < 4:
        return x.unsqueeze(rng.randint(0, x.ndim))
    if kind == "select" and x.ndim and x.shape[0]:
        return x[rng.randrange(x.shape[0])]
    if kind == "narrow" and x.ndim and x.shape[-1] > 1:
        return x.narrow(-1, 1, x.shape[-1] - 1)
    if kind == "flatten":
        return x.flatten()
    if kind == "expand" and x.ndim and x.shape[0] == 1:
        return x.expand(2, *x.shape[1:])
    if kind == "step" and x.ndim:
        return x[..., ::2]
    return x


def step(tensors: list[Any], lib: Any, rng: random.Random) -> Any:
    """One operation; the same random numbers give the same one in both libraries."""
    kind = rng.choice(("unary", "binary", "number", "reduce", "view", "view", "inplace", "write"))
    x, y = rng.choice(tensors), rng.choice(tensors)
    if kind == "unary":
        return getattr(lib, rng.choice(UNARY))(x)
    if kind == "binary":
        return getattr(lib, rng.choice(BINARY))(x, y)
    if kind == "number":
        number = rng.choice((2, 0.5, True, -3))
        name = rng.choice(("add", "mul", "div", "gt", "ne"))
        return getattr(lib, name)(x, number)
    if kind == "reduce":
        name = rng.choice(REDUCE)
        if x.ndim and rng.random() < 0.7:
            return getattr(x, name)(rng.randrange(x.ndim), keepdim=rng.random() < 0.5)
        return getattr(x, name)()
    if kind == "view":
        return view(x, rng.choice(VIEWS), rng)
    if kind == "write":
        if x.ndim and x.shape[0] > 1:  # PyTorch refuses x[0] = x where both are one element
            x[rng.randrange(x.shape[0])] = rng.choice((1, y))
        return x
    name = rng.choice(IN_PLACE)
    if name == "clamp_":
        return x.clamp_(-1, 2)
    if name in ("zero_", "neg_"):
        return getattr(x, name)()
    return getattr(x, name)(3 if name == "fill_" else y)


def outcome(tensors: list[Any], lib: Any, seed: int) -> Any:
    try:
        return step(tensors, lib, random.Random(seed))
    except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError) as error:
        return type(error)


def same(a: Any, b: Any) -> None:
    """`a` ours, `b` PyTorch's."""
    assert str(a.dtype).rpartition(".")[2] == str(b.dtype).rpartition(".")[2]
    assert tuple(a.shape) == tuple(b.shape)
    tolerance = 1e-12 if b.dtype == torch.float64 else 2e-6
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=tolerance, atol=tolerance, equal_nan=True)


def start(seed: int) -> tuple[list[Any], list[Any]]:
    rng = np.random.default_rng(seed)
    ours, theirs = [], []
    for _ in range(3):
        shape = tuple(rng.integers(1, 4, size=rng.integers(0, 4)))
        array = np.asarray(rng.normal(size=shape) * 3).astype(DTYPES[rng.integers(len(DTYPES))])
        ours.append(rl.tensor(array))
        theirs.append(torch.tensor(array))
    return ours, theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", range(20))
def test_random_programs(block: int) -> None:
    for program in range(25):
        seed = block * 1000 + program
        ours, theirs = start(seed)
        for i in range(STEPS):
            a, b = outcome(ours, rl, seed * 100 + i), outcome(theirs, torch, seed * 100 + i)
            where = f"program {seed}, step {i}"
            if isinstance(b, type):
                assert a is b, f"{where}: {a} instead of {b}"
                continue
            assert not isinstance(a, type), f"{where}: {a}"
            same(a, b)
            if a.numel() < 300 and len(ours) < 12:
                ours.append(a)
                theirs.append(b)
        for a, b in zip(ours, theirs, strict=True):  # views changed by later steps included
            same(a, b)
