"""Export the large zoo, run it, and compare with PyTorch: ``python -m tests.zoo.coverage``.

    python -m tests.zoo.coverage RESULTS [--only NAME ...] [--group GROUP ...] [--again]
    python -m tests.zoo.coverage RESULTS --page docs/coverage.md

Each model is built with random weights (MiniLM with its real ones), exported by
`torch.export.export`, with a dynamic batch where the model allows one, saved as exported and after
`run_decompositions()`, opened by rushlight and run; the outputs are compared with PyTorch's, at
another batch size than the exported one where that is possible. Then rushlight saves the program,
and PyTorch opens and runs that. Results go into the file RESULTS, a line of JSON for each model,
at once: a run that was stopped goes on where it was. ``--page`` writes the table.

Needs ``torch==2.13.0``, and transformers, timm and torchvision for their groups.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

import rushlight
from rushlight import _C, export
from tests.zoo.large.case import Case
from tests.zoo.program import Call

GROUPS = {
    "torchvision": "vision",
    "timm": "timm_models",
    "transformers: text and audio": "language",
    "transformers: images": "seeing",
    "other domains": "domains",
}
FORMS = ("exported", "decomposed")
EXPORTED_BATCH, OTHER_BATCH = 2, 3
LIMIT, HALF_LIMIT = 1e-5, 2e-2


def cases() -> dict[str, tuple[str, Callable[[], Case]]]:
    """Every model: its group and what builds it."""
    found: dict[str, tuple[str, Callable[[], Case]]] = {}
    for group, module in GROUPS.items():
        for name, build in importlib.import_module(f"tests.zoo.large.{module}").CASES.items():
            found[name] = (group, build)
    return found


def relative_error(got: Any, want: torch.Tensor) -> float:
    """The norm of the difference over that of what is wanted; infinite where shapes differ."""
    ours = isinstance(got, rushlight.Tensor)
    got = torch.from_dlpack(got) if ours else torch.as_tensor(got)
    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    a, b = got.detach().double().numpy(), want.detach().double().numpy()
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    a, b = np.where(same, 0.0, a), np.where(same & ~np.isfinite(b), 0.0, b)
    norm = float(np.linalg.norm(b))
    error = float(np.linalg.norm(np.where(same, 0.0, a - b)))
    return error / norm if norm else error


def export_case(case: Case, call: Call) -> tuple[torch.export.ExportedProgram, bool]:
    """The exported program, and whether its batch is dynamic."""

    def dynamic(value: Any) -> Any:
        return {0: torch.export.Dim.AUTO} if isinstance(value, torch.Tensor) else None

    with torch.no_grad():
        if case.batched:
            shapes = pytree.tree_map(dynamic, (call.args, call.kwargs))
            by_name = [*shapes[0]] if not call.kwargs else shapes[1]
            try:
                program = torch.export.export(
                    case.module,
                    call.args,
                    call.kwargs,
                    dynamic_shapes=tuple(by_name) if not call.kwargs else _wrapped(case, by_name),
                    strict=False,
                )
                return program, bool(program.range_constraints)
            except Exception:  # the model wants its batch fixed
                pass
        return torch.export.export(case.module, call.args, call.kwargs, strict=False), False


def _wrapped(case: Case, shapes: dict[str, Any]) -> dict[str, Any]:
    """By the parameters of `forward`; those of ``**kwargs`` lie under its name."""
    import inspect

    parameters = inspect.signature(case.module.forward).parameters
    out: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            out[name] = ()
        elif parameter.kind is parameter.VAR_KEYWORD:
            out[name] = {k: v for k, v in shapes.items() if k not in parameters}
        elif name in shapes:
            out[name] = shapes[name]
    return out


def run_ours(path: Path, call: Call) -> list[Any]:
    """The flat outputs."""
    program = export.load(path)
    flat = program.calling_convention.flatten(call.args, call.kwargs)
    return _C.ModelRunner(program._program, 0).run(flat)


def check_form(
    shown: torch.export.ExportedProgram, path: Path, call: Call, want: list[Any]
) -> dict[str, Any]:
    """Operators, what is missing, the error, and whether PyTorch runs what rushlight saves."""
    torch.export.save(shown, path)
    opened = _C.load_program(str(path), allow_missing=True)
    targets = Counter(node[0] for node in opened.graph["nodes"])
    missing = sorted({node[0] for node in opened.graph["nodes"] if not node[4]})
    result: dict[str, Any] = {"operators": len(targets), "nodes": sum(targets.values())}
    if missing:
        return {**result, "missing": missing}
    got = run_ours(path, call)
    if len(got) != len(want):
        raise AssertionError(f"{len(got)} outputs, PyTorch has {len(want)}")
    result["error"] = max(
        (relative_error(a, b) for a, b in zip(got, want, strict=True) if torch.is_tensor(b)),
        default=0.0,
    )
    again = path.with_name("again.pt2")
    export.save(export.load(path), again)
    module = torch.export.load(again).module()
    theirs = pytree.tree_leaves(module(*call.args, **call.kwargs))
    result["saved"] = max(
        (relative_error(a, b) for a, b in zip(theirs, want, strict=True) if torch.is_tensor(b)),
        default=0.0,
    )
    return result


def run_case(name: str, group: str, build: Callable[[], Case]) -> dict[str, Any]:
    """One line of the results."""
    line: dict[str, Any] = {"model": name, "group": group}
    start = time.perf_counter()
    torch.manual_seed(zlib.crc32(name.encode()))
    try:
        case = build()
        case.module.eval().requires_grad_(False)
        call = case.calls(EXPORTED_BATCH)
        program, dynamic = export_case(case, call)
        line |= {"dynamic": dynamic, "half": case.half}
        if dynamic:
            call = case.calls(OTHER_BATCH)
    except Exception as error:
        return {**line, "not exported": f"{type(error).__name__}: {str(error)[:300]}"}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for form in FORMS:
            try:
                shown = program if form == "exported" else program.run_decompositions()
                # A fresh module each time: calls may change buffers.
                copies = pytree.tree_map(
                    lambda v: v.clone() if torch.is_tensor(v) else v, (call.args, call.kwargs)
                )
                want = pytree.tree_leaves(program.module()(*copies[0], **copies[1]))
                line[form] = check_form(shown, Path(folder) / f"{form}.pt2", call, want)
            except Exception as error:
                line[form] = {"failed": f"{type(error).__name__}: {str(error)[:400]}"}
    line["seconds"] = round(time.perf_counter() - start, 1)
    return line


def good(line: dict[str, Any]) -> bool:
    """Do both forms run within the limit, and does PyTorch run what rushlight saves?"""
    limit = HALF_LIMIT if line.get("half") else LIMIT
    return all(
        line.get(form, {}).get("error", 1.0) <= limit and line[form].get("saved", 1.0) <= limit
        for form in FORMS
    )


def _cell(result: dict[str, Any]) -> str:
    if "error" in result:
        return f"{result['error']:.1e}"
    return "missing " + ", ".join(result["missing"]) if "missing" in result else "fails"


def page(lines: Sequence[dict[str, Any]]) -> str:
    """The table in Markdown."""
    ran = [line for line in lines if "not exported" not in line]
    out = [
        "# Models that run",
        "",
        "<!-- Generated by `python -m tests.zoo.coverage RESULTS --page docs/coverage.md`: "
        "do not edit. -->",
        "",
        f"{sum(map(good, ran))} of {len(ran)} models run in both forms, as `torch.export.export` "
        "leaves them and after",
        f"`run_decompositions()`, within a relative error of {LIMIT:.0e} of PyTorch "
        f"{torch.__version__} on a CPU (bfloat16:",
        f"{HALF_LIMIT:.0e}), and PyTorch runs what `rushlight.export.save` makes of them. Models "
        "are small, with random weights. A",
        "*dynamic* model was exported with a symbolic batch and run at another batch size. The "
        "numbers are those of",
        "the exported and of the decomposed form.",
    ]
    for group in GROUPS:
        rows = [line for line in ran if line["group"] == group]
        if not rows:
            continue
        out += ["", f"## {group[0].upper()}{group[1:]}", ""]
        out += ["| Model | Batch | Operators | Nodes | Relative error |", "|---|---|---|---|---|"]
        for line in sorted(rows, key=lambda row: str(row["model"])):
            a, b = (line.get(form, {}) for form in FORMS)
            out.append(
                f"| {line['model']} | {'dynamic' if line['dynamic'] else 'static'} "
                f"| {a.get('operators', '')} / {b.get('operators', '')} "
                f"| {a.get('nodes', '')} / {b.get('nodes', '')} | {_cell(a)} / {_cell(b)} |"
            )
    refused = [line for line in lines if "not exported" in line]
    if refused:
        out += ["", "## Not exported by PyTorch", ""]
        out += [
            f"- {line['model']}: {line['not exported'].splitlines()[0][:120]}" for line in refused
        ]
    return "\n".join(out) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 1 if a model does not run as it should."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.coverage", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("results", type=Path, metavar="RESULTS")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--group", nargs="+", choices=GROUPS.values(), metavar="GROUP")
    parser.add_argument("--again", action="store_true", help="run models that have a result")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the table and stop")
    options = parser.parse_args(argv)
    done: dict[str, dict[str, Any]] = {}
    if options.results.exists():
        text = options.results.read_text(encoding="utf-8")
        done = {line["model"]: line for line in map(json.loads, text.splitlines())}
    if options.page:
        options.page.write_text(page(list(done.values())), encoding="utf-8")
        return 0
    warnings.simplefilter("ignore")
    failed = 0
    for name, (group, build) in cases().items():
        chosen = name in options.only if options.only else True
        chosen &= GROUPS[group] in options.group if options.group else True
        if not chosen or (name in done and good(done[name]) and not options.again):
            continue
        line = run_case(name, group, build)
        with options.results.open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")
        failed += not good(line)
        shown = [_cell(line.get(form, {})) for form in FORMS]
        print(f"{name:34} {line.get('seconds', 0):6} s  {'  '.join(shown)}", flush=True)
        for problem in (line.get("not exported"), *(line.get(f, {}).get("failed") for f in FORMS)):
            if problem:
                print(f"    {problem[:300]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
