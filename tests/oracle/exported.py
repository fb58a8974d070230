"""Exports a module with PyTorch, runs it here, compares."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from rushlight import export, reference
from tests.oracle.fx_program import from_torch

FORMS = ("exported", "decomposed")


def archives(
    module: torch.nn.Module, args: tuple[Any, ...], dynamic_shapes: Any = None
) -> Iterator[tuple[str, bytes]]:
    """The program as exported and decomposed, as files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(module.eval(), args, dynamic_shapes=dynamic_shapes)
        for form in FORMS:
            if form == "decomposed":
                program = program.run_decompositions()
            file = io.BytesIO()
            torch.export.save(program, file)
            yield form, file.getvalue()


def copied(args: tuple[Any, ...]) -> list[Any]:
    """The arguments with tensors of their own, for programs that write into their inputs."""
    return [a.clone() if isinstance(a, torch.Tensor) else a for a in args]


def check(got: Any, wanted: Any, form: str, tolerance: float) -> None:
    """Equal nesting, dtypes and sizes, and values up to rounding."""
    results, expected = pytree.tree_leaves(got), pytree.tree_leaves(wanted)
    assert len(results) == len(expected), form
    for result, value in zip(results, expected, strict=True):
        if not isinstance(value, torch.Tensor):
            assert result == value, form
            continue
        tensor = torch.from_dlpack(result)
        assert tensor.dtype == value.dtype, form
        torch.testing.assert_close(
            tensor, value.detach(), rtol=tolerance, atol=tolerance, equal_nan=True, msg=form
        )


def check_program(
    module: torch.nn.Module,
    *calls: tuple[Any, ...],
    dynamic_shapes: Any = None,
    tolerance: float = 1e-5,
    interpret: bool = True,
) -> None:
    """Both forms give what the module gives, in the engine and in the reference interpreter."""
    wanted = []
    with torch.no_grad():
        for call in calls:
            wanted.append(module(*copied(call)))
    for form, data in archives(module, calls[0], dynamic_shapes):
        program = export.load(io.BytesIO(data))
        loaded = program.module()
        for _ in range(2):
            for call, expected in zip(calls, wanted, strict=True):
                check(loaded(*copied(call)), expected, form, tolerance)
        if not interpret:
            continue
        for call, expected in zip(calls, wanted, strict=True):
            results = reference.Interpreter(program).run(*map(from_torch, copied(call)))
            outputs = pytree.tree_leaves(expected)
            for result, value in zip(results[-len(outputs) :], outputs, strict=True):
                np.testing.assert_allclose(
                    np.asarray(result).astype("f8"),
                    value.detach().double().numpy(),
                    rtol=max(tolerance, 1e-4),
                    atol=max(tolerance, 1e-4),
                )
