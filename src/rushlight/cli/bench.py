"""``rushlight bench``: how fast a program runs, by number of threads."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from . import libraries

if TYPE_CHECKING:
    from rushlight.export import ExportedProgram


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "bench",
        help="measure a program's latency",
        description="Measures the latency of a program on random inputs, or on those of a file, "
        "for several numbers of threads.",
    )
    parser.add_argument("model", metavar="MODEL", help="a .pt2 file")
    libraries.add_option(parser)
    parser.add_argument("--inputs", metavar="FILE", help="take the inputs from this .npz or .npy")
    parser.add_argument(
        "--shape",
        metavar="NAME=SIZES",
        action="append",
        default=[],
        help="sizes of an input, such as x=1,3,224,224 (default: as exported)",
    )
    parser.add_argument(
        "--threads", metavar="N,N,…", help="numbers of threads (default: 1, 2, 4, … all)"
    )
    parser.add_argument(
        "--warmup", type=int, metavar="N", default=3, help="calls before (default: %(default)s)"
    )
    parser.add_argument(
        "--repeat", type=int, metavar="N", help="timed calls (default: what fits --seconds)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        default=2.0,
        help="time for each number of threads, without --repeat (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Measures and prints."""
    from rushlight import export

    from . import inputs, synthetic, threads
    from .errors import UsageError
    from .report import Progress, print_json

    if args.warmup < 0 or (args.repeat is not None and args.repeat < 1) or args.seconds <= 0:
        raise UsageError("--warmup takes 0 or more, --repeat 1 or more, --seconds more than 0")
    if args.inputs and args.shape:
        raise UsageError("--inputs and --shape exclude each other")
    numbers = threads.parse_list(args.threads)
    shapes = synthetic.parse_shapes(args.shape)
    libraries.load(args.library)
    program = export.load(args.model)
    specs = inputs.program_inputs(program)
    if args.inputs:
        values = inputs.choose_inputs(specs, inputs.read_arrays(args.inputs), args.inputs)
    else:
        values = synthetic.random_inputs(specs, shapes)
    threads.use(max(numbers))
    progress = Progress("threads", len(numbers))
    rows: list[dict[str, Any]] = []
    for number in numbers:
        rows.append({"threads": number, **_measure(program, values, number, args)})
        progress.step()
    progress.close()
    for row in rows:
        row["speedup"] = rows[0]["latency_ms"]["median"] / row["latency_ms"]["median"]
    report = {
        "model": args.model,
        "inputs": [inputs.describe(s.name, v) for s, v in zip(specs, values, strict=True)],
        "results": rows,
    }
    if args.json:
        print_json(report)
    else:
        _print(report)
    return 0


def _measure(
    program: ExportedProgram, values: list[Any], threads: int, args: argparse.Namespace
) -> dict[str, Any]:
    from rushlight.nativert import ModelRunner

    from .timing import summary

    runner = ModelRunner(program, threads)
    start = time.perf_counter()
    runner.run_flat(values)
    first = time.perf_counter() - start
    for _ in range(args.warmup):
        runner.run_flat(values)
    seconds: list[float] = []
    end = time.perf_counter() + args.seconds
    while len(seconds) < args.repeat if args.repeat else time.perf_counter() < end or not seconds:
        start = time.perf_counter()
        runner.run_flat(values)
        seconds.append(time.perf_counter() - start)
    return {"first_call_ms": first * 1e3, "latency_ms": summary(seconds)}


def _print(report: dict[str, Any]) -> None:
    from . import report as text

    rows: list[tuple[str, ...]] = [
        ("threads", "first call", "median", "p90", "min", "calls", "speedup")
    ]
    for row in report["results"]:
        ms = row["latency_ms"]
        times = [row["first_call_ms"], ms["median"], ms["p90"], ms["min"]]
        shown = [text.duration(t / 1e3) for t in times]
        rows.append((str(row["threads"]), *shown, f"{ms['calls']:,}", f"{row['speedup']:.2f}x"))
    given = ", ".join(text.typed(i) for i in report["inputs"])
    print(f"{report['model']} on {given or 'no inputs'}")
    print(text.columns(rows, right=range(len(rows[0]))))
