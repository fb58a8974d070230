"""Export the zoo: ``python -m tests.zoo.export OUT [--only NAME ...] [--form F] [--small]``.

Writes for every model

* ``OUT/NAME.exported.pt2``: the program as `torch.export.export` leaves it (``strict=False``)
* ``OUT/NAME.decomposed.pt2``: the same after ``run_decompositions()``
* ``OUT/NAME.npz`` and ``OUT/NAME.json``: inputs and what PyTorch eager makes of them; the layout
  stands in `tests.zoo.record`

Models come in two sizes. Without ``--small`` they are the published ones: ResNet-18/50, VGG-11,
MobileNetV2 and ViT-base at 224x224, BERT-base at 128 tokens, GPT-2 small at 64 tokens, DistilBERT,
MiniLM with its real weights; all of it takes about 6 GB of disk. With ``--small`` every network is
narrower and shallower and images have 32 to 64 pixels a side, so that exporting and running
everything takes a few minutes and 40 MB; the operators are the same. The feature programs
(``counter`` … ``channels_last``) are tiny in both.

Weights and inputs are seeded, float32 unless a program is about another dtype. ``--check`` also
loads every archive back into PyTorch and compares its outputs with the recorded ones.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from tests.zoo.check import check_archive
from tests.zoo.program import Program
from tests.zoo.record import input_names, record, sample
from tests.zoo.registry import MODELS, builder

FORMS = ("exported", "decomposed")


class Progress:
    """One line on a terminal that says which model is at work; nothing in a pipe."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.shown = sys.stderr.isatty()

    def show(self, text: str) -> None:
        if self.shown:
            print(f"\r\x1b[K[{self.done}/{self.total}] {text}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        self.show("done\n")


def build(name: str, small: bool) -> Program:
    """Build a model with weights that depend on nothing but its name and size."""
    torch.manual_seed(zlib.crc32(name.encode()))
    program = builder(name)(small)
    program.module.eval().requires_grad_(False)
    return program


def export(program: Program) -> torch.export.ExportedProgram:
    """Export a program on its sample 0."""
    call = sample(program, 0)
    with torch.no_grad():
        return torch.export.export(
            program.module,
            call.args,
            call.kwargs,
            dynamic_shapes=program.dynamic_shapes,
            strict=False,
        )


def drop_provenance(exported: torch.export.ExportedProgram) -> None:
    """Remove what says how nodes came about; it names the exporting machine's folders."""
    for module in exported.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                for key in ("stack_trace", "from_node", "torch_fn"):
                    node.meta.pop(key, None)


def write_model(
    name: str,
    out: Path,
    forms: Sequence[str],
    *,
    small: bool,
    progress: Progress,
    provenance: bool = True,
) -> None:
    """Write a model's archives and record; each file appears whole or not at all."""
    progress.show(f"{name}: exporting")
    program = build(name, small)
    exported = export(program)
    with tempfile.TemporaryDirectory(dir=out, prefix=".writing-") as temporary:
        folder = Path(temporary)
        made: list[str] = []
        for form in forms:
            progress.show(f"{name}: saving, {form}")
            shown = exported if form == "exported" else exported.run_decompositions()
            if input_names(shown) != input_names(exported):
                raise ValueError(f"{name}: decomposition renamed the inputs")
            if not provenance:
                drop_provenance(shown)
            made.append(f"{name}.{form}.pt2")
            torch.export.save(shown, folder / made[-1])
        progress.show(f"{name}: recording outputs")
        result = record(program, exported)
        np.savez(folder / f"{name}.npz", **result.arrays)  # type: ignore[arg-type]
        info = json.dumps({"model": name, "small": small, **result.info()}, indent=1)
        (folder / f"{name}.json").write_text(info + "\n", encoding="utf-8")
        for file in (*made, f"{name}.npz", f"{name}.json"):
            (folder / file).replace(out / file)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return the number of models that failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.export", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--only", nargs="+", choices=MODELS, metavar="NAME", default=list(MODELS))
    parser.add_argument("--form", choices=(*FORMS, "both"), default="both")
    parser.add_argument("--small", action="store_true", help="reduced forms, for CI")
    parser.add_argument("--check", action="store_true", help="load and run the archives again")
    options = parser.parse_args(argv)
    forms = FORMS if options.form == "both" else (options.form,)
    options.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")  # torch's and transformers' notes to their own developers
    progress = Progress(len(options.only))
    failed: list[str] = []
    for name in options.only:
        try:
            write_model(name, options.out, forms, small=options.small, progress=progress)
            if options.check:
                progress.show(f"{name}: checking")
                for form in forms:
                    check_archive(options.out, name, form)
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
        progress.done += 1
    progress.close()
    for line in failed:
        print(line, file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
