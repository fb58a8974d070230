"""What is drawn: boxes of operators, folded by the modules they came from, and edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rushlight.export import OutputKind

if TYPE_CHECKING:
    from rushlight.export import ExportedProgram, Node, Value

# The path and the class of each module around a node, from the outermost.
Stack = tuple[tuple[str, str], ...]


@dataclass
class Box:
    """A rectangle of the picture."""

    kind: str  # "input", "output", "module" or an operator's kind
    title: str
    details: list[str] = field(default_factory=list)
    tooltip: str = ""


@dataclass
class Diagram:
    """Boxes, and what flows from one to another: by (source, target), the shapes."""

    boxes: list[Box]
    edges: dict[tuple[int, int], list[str]]


KINDS = {
    "matrix": ("linear", "mm", "bmm", "addmm", "matmul", "baddbmm", "einsum", "conv", "lstm"),
    "attention": ("scaled_dot_product", "_scaled_dot", "multi_head"),
    "normalisation": ("norm", "softmax"),
    "pooling": ("pool", "mean", "sum", "amax", "amin", "argmax", "reduce", "upsample"),
    "movement": (
        "view", "reshape", "permute", "transpose", "expand", "slice", "select", "cat", "split",
        "chunk", "unbind", "squeeze", "flatten", "stack", "copy", "clone", "index", "gather",
        "scatter", "embedding", "pad", "t.", "_to_", "to.", "contiguous", "unfold", "roll",
    ),
    "number": ("sym_", "_operator", "item", "_assert", "torch."),
}  # fmt: skip


def kind_of(target: str) -> str:
    """What sort of operator this is, for its colour."""
    name = target.removeprefix("aten.")
    for kind, starts in KINDS.items():
        if any(name.startswith(s) or f"_{s}" in name for s in starts):
            return kind
    return "pointwise"


def parse_stack(text: str) -> Stack:
    """PyTorch's ``nn_module_stack``: ``key,path,class`` for each module, between semicolons."""
    found = []
    for part in text.split(";"):
        fields = part.split(",", 2)
        if len(fields) == 3:
            found.append((fields[1], fields[2].rpartition(".")[2]))
    return tuple(found)


class _Folding:
    """Which group each node belongs to: itself, or a module down to some depth."""

    def __init__(self, nodes: Sequence[Node], stacks: Mapping[str, Stack], depth: int) -> None:
        self.keys: list[str] = []
        self.members: dict[str, list[Node]] = {}
        self.classes: dict[str, str] = {}
        last, visit = "", 0
        for i, node in enumerate(nodes):
            stack = stacks.get(node.name, ())[: depth + 1]
            key = f"node {i}"
            if stack and stack[-1][0]:
                path, kind = stack[-1]
                # A module that is left and entered again gets another box, so boxes have an order.
                visit += path != last
                key = f"{path}#{visit}"
                self.classes[key] = kind
                last = path
            else:
                last = ""
            self.keys.append(key)
            self.members.setdefault(key, []).append(node)

    def merge_repeats(self) -> None:
        """Modules of one class and the same operators, one behind the other, become one."""
        order = list(self.members)
        renamed: dict[str, str] = {}
        previous = ""
        self.repeats: dict[str, list[str]] = {}
        for key in order:
            same = (
                previous in self.classes
                and key in self.classes
                and self.classes[key] == self.classes[previous]
                and self._signature(key) == self._signature(previous)
                and len(self.members[key]) > 1
            )
            head = renamed.get(previous, previous) if same else key
            renamed[key] = head
            self.repeats.setdefault(head, []).append(key.partition("#")[0])
            previous = key
        members: dict[str, list[Node]] = {}
        for key in order:
            members.setdefault(renamed[key], []).extend(self.members[key])
        self.keys = [renamed[key] for key in self.keys]
        self.members = members

    def _signature(self, key: str) -> list[str]:
        return [node.target for node in self.members[key]]


def build(program: ExportedProgram, stacks: Mapping[str, Stack], limit: int) -> Diagram:
    """The diagram with at most about `limit` boxes, as deep into the modules as that allows."""
    nodes = list(program.graph.nodes)
    if len(nodes) <= limit:
        return _diagram(program, _Folding([], {}, 0), nodes, folded=False)
    deepest = max((len(s) for s in stacks.values()), default=0)
    best: _Folding | None = None
    for depth in range(1, max(deepest, 1) + 1):
        folding = _Folding(nodes, stacks, depth)
        folding.merge_repeats()
        if best is not None and len(folding.members) > limit:
            break
        best = folding
    assert best is not None
    return _diagram(program, best, nodes, folded=len(best.members) < len(nodes))


def _diagram(
    program: ExportedProgram, folding: _Folding, nodes: Sequence[Node], *, folded: bool
) -> Diagram:
    boxes: list[Box] = []
    made_by: dict[str, int] = {}
    held: dict[str, str] = {}
    for spec in program.graph_signature.input_specs:
        value = next((v for v in program.graph.inputs if v.name == spec.arg.name), None)
        if value is None:
            continue
        if spec.target is not None:
            held[value.name] = f"{spec.target} {value.describe()}"
            continue
        made_by[value.name] = len(boxes)
        boxes.append(Box("input", value.name, [value.describe()]))
    keys = folding.keys if folded else [f"node {i}" for i in range(len(nodes))]
    place: dict[str, int] = {}
    edges: dict[tuple[int, int], list[str]] = {}
    for node, key in zip(nodes, keys, strict=True):
        if key not in place:
            place[key] = len(boxes)
            members = folding.members[key] if folded else [node]
            boxes.append(_box(key, members, folding if folded else None, held))
        at = place[key]
        for value in node.all_input_values():
            _connect(edges, made_by, value, at)
        for value in _outputs(node):
            made_by[value.name] = at
    _add_outputs(program, boxes, edges, made_by)
    return Diagram(boxes, edges)


def _connect(
    edges: dict[tuple[int, int], list[str]], made_by: Mapping[str, int], value: Value, at: int
) -> None:
    source = made_by.get(value.name)
    if source is None or source == at:
        return
    shapes = edges.setdefault((source, at), [])
    if value.describe() not in shapes:
        shapes.append(value.describe())


def _outputs(node: Node) -> list[Value]:
    found: list[Value] = []
    for output in node.outputs:
        found += output if isinstance(output, list) else [output]
    return [value for value in found if value is not None]


def _box(key: str, members: list[Node], folding: _Folding | None, held: Mapping[str, str]) -> Box:
    weights = [held[v.name] for n in members for v in n.all_input_values() if v.name in held]
    weights = list(dict.fromkeys(weights))
    if folding is None or key not in folding.classes:
        node = members[0]
        short = [w.rpartition(".")[2] if len(w) > 34 else w for w in weights]
        return Box(
            kind_of(node.target), node.target.removeprefix("aten.").removesuffix(".default"),
            short[:2], "\n".join([f"{node.name}: {node.target}", *weights]),
        )  # fmt: skip
    names = folding.repeats[key]
    title = names[0] if len(names) == 1 else f"{names[0]} … {names[-1].rpartition('.')[2]}"
    times = f" x {len(names)}" if len(names) > 1 else ""
    counts = Counter(n.target.removeprefix("aten.").removesuffix(".default") for n in members)
    common = ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.most_common(3))
    return Box(
        "module",
        f"{title}: {folding.classes[key]}{times}",
        [common[:44] + ("…" if len(common) > 44 or len(counts) > 3 else "")],
        "\n".join([f"{n} {name}" for name, n in counts.most_common()] + weights[:20]),
    )


def _add_outputs(
    program: ExportedProgram,
    boxes: list[Box],
    edges: dict[tuple[int, int], list[str]],
    made_by: Mapping[str, int],
) -> None:
    values = {v.name: v for v in program.graph.values}
    for spec in program.graph_signature.output_specs:
        value = values.get(spec.arg.name)
        if value is None:
            continue
        user = spec.kind is OutputKind.USER_OUTPUT
        title = value.name if user else f"new {spec.target}"
        boxes.append(Box("output", title, [value.describe()]))
        _connect(edges, made_by, value, len(boxes) - 1)
