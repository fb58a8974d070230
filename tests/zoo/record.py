"""Inputs and expected outputs of a program, computed by PyTorch eager, as an ``.npz``.

Keys of ``NAME.npz``:

* ``in<k>.<name>``: the input that the exported graph calls ``<name>``, in call ``k``
* ``out<k>.<i>``: leaf ``i`` of call ``k``'s result, flattened in PyTorch's order; a leaf that is
  ``None`` has no entry but counts
* ``mut<k>.<name>``: what an input holds after the call, where the call changed it
* ``state.<buffer>``: what a buffer holds after the last call, where a call changed it

The calls run in order on one instance, so a program with state must be called the same way.
bfloat16 is stored as float32 (exactly). ``NAME.json`` beside it gives the dtype of every entry
under ``dtypes`` (``int``, ``float`` or ``bool`` where PyTorch returned a Python number, which the
``.npz`` holds as a 0-d array), and under ``literals`` each call's inputs that are no tensors, such
as an integer, a flag or ``None``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt
import torch
from torch.utils import _pytree as pytree

from tests.zoo.program import Call, Program


def kind_of(value: object) -> str:
    """Return a tensor's dtype as ``float32``, and ``int`` and the like for a Python number."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return type(value).__name__


@dataclass
class Record:
    """Arrays by key, their PyTorch dtypes, and each call's literal inputs."""

    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    literals: list[dict[str, Any]] = field(default_factory=list)

    def add(self, key: str, value: object) -> None:
        """Store a tensor, or a Python number as a 0-d array."""
        self.dtypes[key] = kind_of(value)
        tensor = torch.as_tensor(value).detach()
        if tensor.dtype is torch.bfloat16:
            tensor = tensor.float()
        self.arrays[key] = tensor.contiguous().numpy().copy()

    def info(self) -> dict[str, Any]:
        """Return what ``NAME.json`` holds."""
        return {"calls": len(self.literals), "dtypes": self.dtypes, "literals": self.literals}


def input_names(exported: torch.export.ExportedProgram) -> list[str]:
    """Return the names of the user inputs in the flattened order of the calling convention."""
    kind = torch.export.graph_signature.InputKind.USER_INPUT
    return [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind is kind]


def clone_call(call: Call) -> Call:
    """Copy every tensor of a call, so that a module may write to it."""
    args, kwargs = pytree.tree_map_only(torch.Tensor, torch.clone, (call.args, call.kwargs))
    return Call(args, kwargs)


def flat_inputs(exported: torch.export.ExportedProgram, call: Call) -> list[Any]:
    """Flatten a call in the order in which the exported program takes its inputs."""
    order = exported.call_spec.in_spec.child(1).context  # keyword names as exported
    kwargs = {name: call.kwargs[name] for name in order}
    leaves, spec = pytree.tree_flatten((call.args, kwargs))
    if spec != exported.call_spec.in_spec:
        raise ValueError(f"inputs are nested as {spec}, exported as {exported.call_spec.in_spec}")
    return leaves


@contextlib.contextmanager
def kept_buffers(module: torch.nn.Module) -> Iterator[dict[str, torch.Tensor]]:
    """Yield copies of the module's buffers and put them back at the end."""
    before = {name: buffer.clone() for name, buffer in module.named_buffers()}
    try:
        yield before
    finally:
        with torch.no_grad():
            for name, buffer in module.named_buffers():
                buffer.copy_(before[name])


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Tell whether two tensors hold the same bits of information, NaN being equal to NaN."""
    return torch.allclose(a, b, rtol=0, atol=0, equal_nan=True)


def sample(program: Program, k: int) -> Call:
    """Return the program's ``k``-th call; the same ``k`` gives the same numbers in any process."""
    torch.manual_seed(1000 + k)
    return program.sample(k)


def record(program: Program, exported: torch.export.ExportedProgram) -> Record:
    """Call the module in eager mode and record what went in and what came out."""
    result = Record()
    names = input_names(exported)
    module = program.module
    with torch.no_grad(), kept_buffers(module) as before:
        for k in range(program.calls):
            call = sample(program, k + 1)
            used = clone_call(call)
            outputs = pytree.tree_leaves(module(*used.args, **used.kwargs))
            literals: dict[str, Any] = {}
            given, left = flat_inputs(exported, call), flat_inputs(exported, used)
            for name, value, after in zip(names, given, left, strict=True):
                if not isinstance(value, torch.Tensor):
                    literals[name] = value
                    continue
                result.add(f"in{k}.{name}", value)
                if not same(value, after):
                    result.add(f"mut{k}.{name}", after)
            result.literals.append(literals)
            for i, output in enumerate(outputs):
                if output is not None:
                    result.add(f"out{k}.{i}", output)
        for name, buffer in module.named_buffers():
            if not same(buffer, before[name]):
                result.add(f"state.{name}", buffer)
    return result
