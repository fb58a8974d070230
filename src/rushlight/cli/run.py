"""``rushlight run``: a file of inputs through a program.

Arguments, names of outputs, the JSON report and the table are those of the C++ program
``rushlight-run`` (csrc/cli/); change both.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import libraries

if TYPE_CHECKING:
    from rushlight.nativert import ModelRunner

    from .batches import Batch
    from .inputs import Array, ProgramInput


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "run",
        help="run a program on arrays from a file",
        description="Runs a program on arrays from a file and reports speed and, if the file has "
        "an array 'labels', accuracy.",
    )
    parser.add_argument("model", metavar="MODEL", help="a .pt2 file")
    libraries.add_option(parser)
    parser.add_argument(
        "--inputs",
        metavar="FILE",
        help="the inputs: .npz with an array for each input, named as in the program's graph or "
        "among forward's arguments, or .npy for a program with one input",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write the outputs as output_0, output_1, … (.npz, .npy)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="use at most N threads (default: all cores)"
    )
    parser.add_argument(
        "--repeat",
        type=int,
        metavar="N",
        default=10,
        help="measure N passes over the inputs after the one that gives the outputs (default: "
        "%(default)s; 0 measures nothing)",
    )
    parser.add_argument(
        "--batch",
        type=int,
        metavar="N",
        help="give the program at most N samples at once (default: as many as it takes)",
    )
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Runs the program, writes the outputs, prints the report."""
    from rushlight import export, nativert

    from . import batches, inputs, threads
    from .accuracy import count_right
    from .errors import CommandError, UsageError

    if args.repeat < 0 or (args.batch is not None and args.batch < 1):
        raise UsageError("--repeat takes 0 or more, --batch 1 or more")
    if args.output:
        inputs.check_output_name(args.output)
    threads.use(args.threads)
    libraries.load(args.library)
    program = export.load(args.model)
    specs = inputs.program_inputs(program)
    arrays = inputs.read_arrays(args.inputs) if args.inputs else {}
    is_input = any("labels" in (s.name, s.path) for s in specs)
    labels = None if is_input else arrays.pop("labels", None)
    values = inputs.choose_inputs(specs, arrays, args.inputs or "no --inputs")
    calls = batches.split(specs, values, program.range_constraints, args.batch)
    if calls[-1].padding and program.graph_signature.buffers_to_mutate:
        raise CommandError(
            "the program keeps a state from call to call, so a last call can't be filled up: give "
            f"a multiple of {calls[0].size} samples"
        )
    runner = nativert.ModelRunner(program, args.threads)
    outputs, seconds = _run(runner, calls, args.repeat)
    joined = batches.join(calls, outputs)
    named = _named(inputs.output_names(program), joined)
    right = None if labels is None else count_right(joined[0] if joined else None, labels)
    if args.output:
        inputs.write_arrays(args.output, named)
    report = _report(args, (specs, values), calls, seconds, named)
    if labels is not None and right is not None:
        report["accuracy"] = right / labels.size
        report["right"] = right
    if args.json:
        from .report import print_json

        print_json(report)
    else:
        _print(args, report)
    return 0


def _run(
    runner: ModelRunner, calls: Sequence[Batch], repeat: int
) -> tuple[list[list[Array]], list[list[float]]]:
    """The flat outputs of the first pass, and the seconds of each call of the later ones."""
    from .inputs import to_array
    from .report import Progress

    progress = Progress("call", len(calls) * (1 + repeat))
    outputs: list[list[Array]] = []
    seconds: list[list[float]] = []
    try:
        for timed in range(1 + repeat):
            taken = []
            for call in calls:
                start = time.perf_counter()
                result = runner.run_flat(call.values)
                taken.append(time.perf_counter() - start)
                if not timed:
                    outputs.append([to_array(r) for r in result])
                progress.step()
            if timed:
                seconds.append(taken)
    finally:
        progress.close()
    return outputs, seconds


def _named(names: Sequence[str | None], arrays: Sequence[Array | None]) -> dict[str, Array]:
    from .errors import CommandError

    named = {}
    for name, array in zip(names, arrays, strict=True):
        if name is None:
            continue
        if array is None:
            raise CommandError(
                f"{name} has no dimension of samples, so its values of several calls can't be "
                "joined"
            )
        named[name] = array
    return named


def _report(
    args: argparse.Namespace,
    given: tuple[Sequence[ProgramInput], Sequence[Any]],
    calls: Sequence[Batch],
    seconds: Sequence[Sequence[float]],
    outputs: dict[str, Array],
) -> dict[str, Any]:
    from rushlight import get_num_threads

    from .inputs import describe
    from .timing import median, summary

    samples = sum(c.size - c.padding for c in calls)
    report: dict[str, Any] = {
        "model": args.model,
        "inputs": [
            describe(s.name, v) for s, v in zip(*given, strict=True) if s.type != "constant"
        ],
        "outputs": [describe(name, a) for name, a in outputs.items()],
        "samples": samples,
        "calls_per_pass": len(calls),
        "batch": max(c.size for c in calls),
        "threads": args.threads or get_num_threads(),
    }
    if seconds:
        report["latency_ms"] = summary([s for taken in seconds for s in taken])
        report["throughput_per_s"] = samples / median([sum(taken) for taken in seconds])
    return report


def _print(args: argparse.Namespace, report: dict[str, Any]) -> None:
    from . import report as text

    fields = [("input", text.typed(i)) for i in report["inputs"]]
    fields += [("output", text.typed(o)) for o in report["outputs"]]
    calls = report["calls_per_pass"]
    if calls > 1:
        fields.append(("batches", f"{calls:,} of at most {report['batch']:,} samples"))
    if "accuracy" in report:
        fields.append(
            ("accuracy", f"{report['accuracy']:.2%} ({report['right']:,} of {report['samples']:,})")
        )
    if "latency_ms" in report:
        ms = report["latency_ms"]
        times = ", ".join(
            f"{text.duration(ms[key] / 1e3)} {label}"
            for key, label in (("median", "median"), ("p90", "p90"), ("min", "min"))
        )
        fields += [
            ("latency", f"{times} ({text.count(ms['calls'], 'call')})"),
            ("throughput", f"{report['throughput_per_s']:,.0f} samples/s"),
        ]
    fields.append(("threads", str(report["threads"])))
    if args.output:
        fields.append(("written", args.output))
    text.print_fields(args.model, fields)
