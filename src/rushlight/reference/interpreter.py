"""Runs a whole program on NumPy arrays, one node after the other."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from . import control_flow
from .arrays import Array, from_numpy
from .registry import call, lookup

# The engine's pure form of writing through a view: the node's region is a graph that computes the
# view of its first input.
SCATTER_VIEW = "rushlight.scatter_view"


class Value(Protocol):
    """A value of the graph; only its name matters here."""

    @property
    def name(self) -> str: ...


class Node(Protocol):
    """One operator: `args` and `kwargs` hold values, numbers, strings, None, and lists of them."""

    @property
    def target(self) -> str: ...
    @property
    def args(self) -> Sequence[Any]: ...
    @property
    def kwargs(self) -> Mapping[str, Any]: ...
    @property
    def outputs(self) -> Sequence[Any]: ...


class Graph(Protocol):
    @property
    def inputs(self) -> Sequence[Any]: ...
    @property
    def nodes(self) -> Sequence[Any]: ...
    @property
    def outputs(self) -> Sequence[Any]: ...


class Program(Protocol):
    """A graph and, by the name of the graph's input, the arrays that the program brings along
    (parameters, buffers, lifted tensors). ``rushlight.export.ExportedProgram`` is one."""

    @property
    def graph(self) -> Graph: ...
    @property
    def bound_inputs(self) -> Mapping[str, Array]: ...


class Interpreter:
    """Computes the outputs of a program from its inputs.

    Raises:
        NotImplementedError: operators that the reference lacks, all of them in one message.
    """

    def __init__(self, program: Program) -> None:
        self._graph = program.graph
        self._bound = dict(program.bound_inputs)
        missing = sorted({target for target in _targets(self._graph) if not _known(target)})
        if missing:
            raise NotImplementedError(
                f"the reference interpreter has no operator {', '.join(missing)}"
            )

    def run(self, *inputs: Any) -> list[Any]:
        """The graph's outputs, in their order.

        `inputs` are arrays or numbers for those inputs of the graph that the program does not
        bring along, in their order.
        """
        names = [value.name for value in self._graph.inputs]
        free = [name for name in names if name not in self._bound]
        if len(inputs) != len(free):
            raise TypeError(f"expected {len(free)} inputs ({', '.join(free)}), got {len(inputs)}")
        values: dict[str, Any] = {name: from_numpy(array) for name, array in self._bound.items()}
        values.update(zip(free, map(_input, inputs), strict=True))
        _run_nodes(self._graph, values)
        return [_filled(output, values) for output in self._graph.outputs]


def _targets(graph: Graph) -> Iterator[str]:
    """The operators that a graph calls, those of regions included."""
    for node in graph.nodes:
        for region in getattr(node, "regions", ()):  # a plain graph's nodes have none
            yield from _targets(region)
        if node.target != SCATTER_VIEW:
            yield node.target


def _run_nodes(graph: Graph, values: dict[str, Any]) -> None:
    """Computes all values of a graph from those of its inputs."""
    for node in graph.nodes:
        args = _filled(node.args, values)
        if node.target == SCATTER_VIEW:
            result: Any = _scatter_view(node.regions[0], *args)
        elif node.target in control_flow.OPERATORS:
            regions = [functools.partial(_run_region, region) for region in node.regions]
            result = tuple(control_flow.OPERATORS[node.target](regions, *args))
        else:
            kwargs = {name: _filled(arg, values) for name, arg in node.kwargs.items()}
            result = call(node.target, *args, **kwargs)
        _store(node.outputs, result, values)


def _run_region(region: Graph, *inputs: Any) -> list[Any]:
    """The outputs of a graph that another one owns."""
    values = dict(zip((v.name for v in region.inputs), map(_input, inputs), strict=True))
    _run_nodes(region, values)
    return [_filled(output, values) for output in region.outputs]


def _scatter_view(region: Graph, base: Array, source: Array, *others: Any) -> Array:
    """`base` with `source` written through the view of it that the region computes."""
    result: Array = base.copy()
    inner = dict(zip((v.name for v in region.inputs), (result, *others), strict=True))
    _run_nodes(region, inner)
    view = inner[region.outputs[0].name]
    assert np.may_share_memory(view, result) or not view.size
    view[...] = source
    return result


def _known(target: str) -> bool:
    if target in control_flow.OPERATORS:
        return True
    try:
        lookup(target)
    except NotImplementedError:
        return False
    return True


def _input(value: Any) -> Any:
    return from_numpy(value) if isinstance(value, (np.ndarray, np.generic)) else value


def _filled(argument: Any, values: Mapping[str, Any]) -> Any:
    """The argument with every value of the graph replaced by its array."""
    if isinstance(argument, (list, tuple)):
        return [_filled(part, values) for part in argument]
    name = getattr(argument, "name", None)
    if type(argument).__name__ == "dtype":  # rushlight.float32: operators here take its name
        return name
    return values[name] if isinstance(name, str) else argument


def _store(outputs: Sequence[Any], result: Any, values: dict[str, Any]) -> None:
    """Names what an operator returned: nothing, one result, a tuple, or one list of tensors."""
    if len(outputs) == 1 and not isinstance(result, tuple):
        results: Sequence[Any] = [result]
    else:
        results = [] if result is None else result
    for output, part in zip(outputs, results, strict=True):
        if isinstance(output, (list, tuple)):
            _store(output, tuple(part), values)
        elif output is not None:
            values[output.name] = part
