"""Whole programs, built by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from rushlight.reference import Interpreter


@dataclass(frozen=True)
class Value:
    name: str


@dataclass
class Node:
    target: str
    args: tuple[Any, ...]
    outputs: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Graph:
    inputs: list[Value]
    nodes: list[Node]
    outputs: list[Any]


@dataclass
class Program:
    graph: Graph
    bound_inputs: dict[str, Any] = field(default_factory=dict)


x, w, y, z, a, b, n = (Value(name) for name in "xwyzabn")


def test_a_linear_layer_with_its_weight() -> None:
    graph = Graph(
        [w, x],
        [
            Node("aten.linear.default", (x, w), [y]),
            Node("aten.add.Tensor", (y, y), [z], {"alpha": 2}),
        ],
        [z],
    )
    program = Program(graph, {"w": np.float32([[1, 2]])})
    (out,) = Interpreter(program).run(np.float32([[3, 4]]))
    assert out.tolist() == [[33]]


def test_lists_tuples_unused_outputs_and_symbols() -> None:
    graph = Graph(
        [x],
        [
            Node("aten.split.Tensor", (x, 2), [[a, b]]),
            Node("aten.max.dim", (a, 0), [y, None]),
            Node("aten.sym_size.int", (x, 0), [n]),
            Node("_operator.mul", (n, 3), [w]),
            Node("aten._assert_scalar.default", (True, "never"), []),
            Node("aten.cat.default", ([b, a],), [z]),
        ],
        [y, z, w, None, [a]],
    )
    y_out, z_out, w_out, none, (a_out,) = Interpreter(Program(graph)).run(np.arange(4))
    assert y_out.item() == 1
    assert z_out.tolist() == [2, 3, 0, 1]
    assert w_out == 12
    assert none is None
    assert a_out.tolist() == [0, 1]


def test_in_place_operators_write_through_views() -> None:
    graph = Graph(
        [x],
        [
            Node("aten.clone.default", (x,), [y]),
            Node("aten.slice.Tensor", (y, 0, 1, 3), [a]),
            Node("aten.mul_.Tensor", (a, 10), [b]),
        ],
        [y, b],
    )
    given = np.float32([1, 2, 3, 4])
    whole, part = Interpreter(Program(graph)).run(given)
    assert whole.tolist() == [1, 20, 30, 4]
    assert part.tolist() == [20, 30]
    assert given.tolist() == [1, 2, 3, 4]


def test_all_missing_operators_in_one_error() -> None:
    nodes = [Node("aten.one.default", (x,), [y]), Node("aten.two.default", (y,), [z])]
    with pytest.raises(NotImplementedError, match=r"aten\.one\.default, aten\.two\.default"):
        Interpreter(Program(Graph([x], nodes, [z])))


def test_wrong_number_of_inputs() -> None:
    interpreter = Interpreter(Program(Graph([x, y], [], [x])))
    with pytest.raises(TypeError, match=r"expected 2 inputs \(x, y\), got 1"):
        interpreter.run(np.zeros(1))
