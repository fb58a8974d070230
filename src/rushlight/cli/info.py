"""``rushlight info``: what is in a program."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import libraries

if TYPE_CHECKING:
    from rushlight import Tensor
    from rushlight.export import ExportedProgram


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "info",
        help="show a program's inputs, outputs, parameters, operators and memory plan",
        description="Shows what a program takes and gives, its parameters, its operators (and "
        "which of them are missing here), and the memory that a call needs.",
    )
    parser.add_argument("model", metavar="MODEL", help="a .pt2 file")
    libraries.add_option(parser)
    parser.add_argument("--model", dest="name", metavar="NAME", help="which of several models")
    parser.add_argument(
        "--shape",
        metavar="NAME=SIZES",
        action="append",
        default=[],
        help="sizes of an input to plan for, such as x=8,3,224,224 (default: as exported)",
    )
    parser.add_argument("--graph", action="store_true", help="print the graph too")
    parser.add_argument(
        "--svg", metavar="FILE", type=Path, help="draw the graph, large ones folded by modules"
    )
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Prints the report."""
    from rushlight.export.exported_program import ExportedProgram, open_program

    from .report import print_json
    from .synthetic import parse_shapes

    libraries.load(args.library)
    shapes = parse_shapes(args.shape)
    opened = open_program(args.model, allow_missing=True, model=args.name)
    program = ExportedProgram(opened)
    report: dict[str, Any] = {
        "model": args.model,
        "file_bytes": Path(args.model).stat().st_size,
        "torch_version": opened.torch_version,
        "schema_version": list(opened.schema_version),
        **_signature(program),
        **_weights(program),
        "nodes": len(program.graph.nodes),
        "operators": program.graph.operators(),
        "missing_operators": program.graph.missing_operators(),
    }
    report["memory_plan"] = _memory_plan(program, shapes)
    if args.graph:
        report["graph"] = str(program.graph)
    if args.svg:
        from .drawing import draw
        from .svg_file import write_whole

        write_whole(args.svg, draw(program, title=Path(args.model).name))
    if args.json:
        print_json(report)
    else:
        _print(report)
    return 0


def _signature(program: ExportedProgram) -> dict[str, Any]:
    from rushlight.export import ConstantArgument, OutputKind

    from .inputs import program_inputs

    values = {v.name: v for v in program.graph.values}
    outputs = [s for s in program.graph_signature.output_specs if s.kind is OutputKind.USER_OUTPUT]
    paths = program.calling_convention.result_paths
    return {
        "inputs": [
            {"name": i.name, "path": i.path, "type": i.expected} for i in program_inputs(program)
        ],
        "outputs": [
            {
                "name": f"output_{k}",
                "value": s.arg.name,
                "path": path,
                "type": repr(s.arg.value)
                if isinstance(s.arg, ConstantArgument)
                else values[s.arg.name].describe(),
            }
            for k, (s, path) in enumerate(zip(outputs, paths, strict=True))
        ],
        "ranges": {
            name: [r.lower, r.upper if r.upper != float("inf") else None]
            for name, r in program.range_constraints.items()
        },
        "buffers_written": sorted(program.graph_signature.buffers_to_mutate.values()),
        "inputs_written": sorted(program.graph_signature.user_inputs_to_mutate.values()),
    }


def _weights(program: ExportedProgram) -> dict[str, Any]:
    return {
        "parameters": _total(program.parameters()),
        "buffers": _total(program.buffers()),
        "constants": _total(
            t for name, t in program.constants.items()
            if name in program.graph_signature.lifted_tensor_constants
        ),
    }  # fmt: skip


def _total(tensors: Iterable[Tensor]) -> dict[str, int]:
    sizes = [(t.numel(), t.numel() * t.element_size()) for t in tensors]
    return {
        "tensors": len(sizes),
        "elements": sum(n for n, _ in sizes),
        "bytes": sum(b for _, b in sizes),
    }


def _memory_plan(program: ExportedProgram, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """What one call needs, for the given sizes; or why that is not known."""
    from rushlight.nativert import ModelRunner

    from .inputs import program_inputs
    from .synthetic import random_inputs

    if program.graph.missing_operators():
        return {"unavailable": "operators are missing"}
    specs = program_inputs(program)
    values = random_inputs(specs, shapes)
    try:
        plan = ModelRunner(program).memory_plan(values)
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
        return {"unavailable": str(error)}
    sizes = {
        spec.name: list(v.shape) for spec, v in zip(specs, values, strict=True) if spec.is_tensor
    }
    return {"for": sizes, **plan}


def _print(report: dict[str, Any]) -> None:
    from . import report as text

    schema = ".".join(map(str, report["schema_version"]))
    fields = [
        ("file", f"{text.size(report['file_bytes'])}, written by torch "
         f"{report['torch_version'] or '?'}, schema {schema}"),
        ("inputs", text.columns([(i["name"], i["type"], _as(i)) for i in report["inputs"]])),
        ("outputs", text.columns([(o["name"], o["type"], _as(o)) for o in report["outputs"]])),
    ]  # fmt: skip
    if report["ranges"]:
        ranges = [
            f"{low} <= {name}" + (f" <= {high}" if high is not None else "")
            for name, (low, high) in report["ranges"].items()
        ]
        fields.append(("sizes", "\n".join(ranges)))
    for kind in ("parameters", "buffers", "constants"):
        total = report[kind]
        if total["tensors"]:
            fields.append(
                (kind, f"{total['elements']:,} in {text.count(total['tensors'], 'tensor')}, "
                 f"{text.size(total['bytes'])}")
            )  # fmt: skip
    for kind in ("buffers_written", "inputs_written"):
        if report[kind]:
            fields.append((kind.replace("_", " "), ", ".join(report[kind])))
    operators = [(f"{n:,}", name) for name, n in report["operators"].items()]
    fields.append(("operators", text.columns(operators, right=[0])))
    missing = [
        f"{name}: {', '.join(nodes[:5])}{', …' if len(nodes) > 5 else ''}"
        for name, nodes in report["missing_operators"].items()
    ]
    fields.append(("missing", "\n".join(missing) or "none"))
    fields.append(("memory plan", _plan(report["memory_plan"])))
    text.print_fields(report["model"], fields)
    if "graph" in report:
        print(report["graph"])


def _as(value: dict[str, str]) -> str:
    return "" if value["path"] in ("", value["name"]) else f"as {value['path']}"


def _plan(plan: dict[str, Any]) -> str:
    from . import report as text

    if "unavailable" in plan:
        return f"not available: {plan['unavailable']}"
    sizes = ", ".join(f"{n}[{', '.join(map(str, s))}]" for n, s in plan["for"].items())
    steps = ", ".join(f"{n:,} {kind}" for kind, n in plan["steps"].items() if n)
    return (
        f"{text.size(plan['arena_bytes'])} for intermediate values, for {sizes or 'no tensors'}\n"
        f"steps: {steps or 'none'}\n"
        f"fused: {plan['pointwise_operators']:,} pointwise operators, "
        f"{plan['operators_fused_into_kernels']:,} more into other kernels"
    )
