"""A program exported by PyTorch as the graph that the reference interpreter reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.export.graph_signature import InputKind

from rushlight.reference import cast


@dataclass(frozen=True)
class Value:
    name: str


@dataclass
class Node:
    target: str
    args: list[Any]
    kwargs: dict[str, Any]
    outputs: list[Any]


@dataclass
class Graph:
    inputs: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)


@dataclass
class Program:
    graph: Graph
    bound_inputs: dict[str, Any]


def from_torch(value: Any) -> Any:
    """A tensor as an array of its own memory, anything else unchanged."""
    if not isinstance(value, torch.Tensor):
        return value
    plain = value.detach()
    if plain.dtype is torch.bfloat16:
        return cast(plain.float().numpy(), "bfloat16")
    return np.array(plain.numpy())


def _argument(value: Any) -> Any:
    if isinstance(value, torch.fx.Node):
        return Value(value.name)
    if isinstance(value, (list, tuple)):
        return [_argument(part) for part in value]
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return str(value).removeprefix("torch.")
    return value


def _target(function: Any) -> str:
    if isinstance(function, torch._ops.OpOverload):
        return str(function)
    return f"{function.__module__}.{function.__name__}"


def _outputs(node: torch.fx.Node) -> list[Any]:
    """Several results are taken apart by `getitem` nodes, which the graph here does not have."""
    value = node.meta.get("val")
    if not isinstance(value, (list, tuple)):
        return [Value(node.name)]
    slots: list[Any] = [None] * len(value)
    for user in node.users:
        slots[user.args[1]] = Value(user.name)  # type: ignore[index]
    return [slots] if isinstance(value, list) else slots


def program_of(exported: torch.export.ExportedProgram) -> Program:
    graph = Graph()
    for node in exported.graph.nodes:
        if node.op == "placeholder":
            graph.inputs.append(Value(node.name))
        elif node.op == "output":
            graph.outputs = _argument(node.args[0])
        elif node.target.__name__ != "getitem":
            kwargs = {name: _argument(value) for name, value in node.kwargs.items()}
            graph.nodes.append(
                Node(_target(node.target), _argument(node.args), kwargs, _outputs(node))
            )
    constants = {}
    for spec in exported.graph_signature.input_specs:
        if spec.kind is not InputKind.USER_INPUT:
            held = exported.state_dict.get(spec.target)
            constants[spec.arg.name] = from_torch(
                exported.constants[spec.target] if held is None else held
            )
    return Program(graph, constants)
