"""The graph of a program: values and the operators between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rushlight._C import dtype


class Value:
    """What a graph computes with: a tensor, or a number known only when the program runs.

    ``shape`` has an int for each fixed size and the text of an expression, such as ``'s0'`` or
    ``'2*s0'``, for each symbolic one; ``hint`` has the sizes of the example that was exported.
    """

    __slots__ = ("dtype", "hint", "name", "shape", "type")

    def __init__(
        self,
        name: str,
        type: str,
        dtype: dtype | None,
        shape: tuple[int | str, ...],
        hint: tuple[int, ...],
    ) -> None:
        self.name = name
        self.type = type
        self.dtype = dtype
        self.shape = shape
        self.hint = hint

    def describe(self) -> str:
        """Its type, such as ``float32[s0, 3]`` or ``int``."""
        if self.type != "Tensor":
            return self.type
        if self.dtype is None:
            return "Tensor"
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"%{self.name}"


class Node:
    """One call of an operator.

    ``args`` and ``kwargs`` hold values, numbers, strings, dtypes, None, and lists of these;
    ``outputs`` has one entry for each result (a list for an operator that returns a list, None for
    a result that nobody uses). ``regions`` are the graphs that the node owns: the branches and
    bodies of control flow (``higher_order.cond``, ``higher_order.scan``, …), or the views that a
    ``rushlight.scatter_view`` writes through, the pure form of an in-place operator on a view.
    """

    __slots__ = ("args", "kwargs", "name", "outputs", "regions", "supported", "target")

    def __init__(
        self,
        target: str,
        name: str,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        outputs: Sequence[Any],
        *,
        supported: bool = True,
        regions: Sequence[Graph] = (),
    ) -> None:
        self.target = target
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.outputs = outputs
        self.supported = supported
        self.regions = tuple(regions)

    def all_input_values(self) -> list[Value]:
        """Every value among the arguments, in order."""
        return [*_values(self.args), *_values(list(self.kwargs.values()))]

    def __repr__(self) -> str:
        return self.name

    def format(self) -> str:
        """One line: the results, the operator, its arguments."""
        results = ", ".join(_result(o) for o in self.outputs)
        given = [*map(_text, self.args), *(f"{k}={_text(v)}" for k, v in self.kwargs.items())]
        return f"{results}{' = ' if results else ''}{self.target}({', '.join(given)})"


class Graph:
    """A straight list of nodes from ``inputs`` to ``outputs``; every value is computed once."""

    def __init__(
        self,
        values: Sequence[Value],
        inputs: Sequence[Value],
        nodes: Sequence[Node],
        outputs: Sequence[Value],
    ) -> None:
        self.values = list(values)
        self.inputs = list(inputs)
        self.nodes = list(nodes)
        self.outputs = list(outputs)

    def find_nodes(self, *, target: str) -> list[Node]:
        """The nodes that call this operator, such as ``aten.add.Tensor``."""
        return [n for n in self.all_nodes() if n.target == target]

    def all_nodes(self) -> Iterator[Node]:
        """The nodes, and those of their branches and bodies, in the order in which they stand."""
        for node in self.nodes:
            yield node
            if node.target != "rushlight.scatter_view":
                for region in node.regions:
                    yield from region.all_nodes()

    def operators(self) -> dict[str, int]:
        """How often each operator is called, most frequent first."""
        counts = Counter(n.target for n in self.all_nodes())
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def missing_operators(self) -> dict[str, list[str]]:
        """Operators that the engine lacks, with the names of the nodes that call them."""
        missing: dict[str, list[str]] = {}
        for node in self.all_nodes():
            if not node.supported:
                missing.setdefault(node.target, []).append(node.name)
        return missing

    def __str__(self) -> str:
        inputs = ", ".join(_result(v) for v in self.inputs)
        lines = [f"graph({inputs}):"]
        for node in self.nodes:
            lines.append(f"    {node.format()}")
            for region in node.regions:
                lines += [f"        {line}" for line in str(region).splitlines()]
        outputs = ", ".join(map(repr, self.outputs))
        return "\n".join([*lines, f"    return ({outputs})"])

    def __repr__(self) -> str:
        return f"<Graph of {len(self.nodes)} nodes>"


def _values(argument: Any) -> Iterator[Value]:
    if isinstance(argument, Value):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from _values(part)


def _text(argument: Any) -> str:
    if isinstance(argument, list):
        return f"[{', '.join(map(_text, argument))}]"
    return repr(argument)


def _result(output: Any) -> str:
    if output is None:
        return "_"
    if isinstance(output, list):
        return f"[{', '.join(map(_result, output))}]"
    return f"{output!r}: {output.describe()}"


def read_graph(data: Mapping[str, Any]) -> Graph:
    """The graph from the engine's plain data."""
    values = [Value(*fields) for fields in data["values"]]

    def value(index: int) -> Value | None:
        return None if index < 0 else values[index]

    def present(index: int) -> Value:
        return values[index]

    nodes = [_read_node(fields, value) for fields in data["nodes"]]
    return Graph(
        values, [present(i) for i in data["inputs"]], nodes, [present(i) for i in data["outputs"]]
    )


def _read_node(fields: Any, value: Callable[[int], Value | None]) -> Node:
    target, name, operands, outputs, supported, regions, returns_list = fields

    def argument(operand: Any) -> Any:
        if isinstance(operand, tuple):
            return value(operand[1])
        return [argument(o) for o in operand] if isinstance(operand, list) else operand

    args = tuple(argument(o) for _, o, keyword in operands if not keyword)
    kwargs = {n: argument(o) for n, o, keyword in operands if keyword}
    results: list[Any] = [value(i) for i in outputs]
    return Node(
        target,
        name,
        args,
        kwargs,
        [results] if returns_list else results,
        supported=supported,
        regions=[read_graph(region) for region in regions],
    )
