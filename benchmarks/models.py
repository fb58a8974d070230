"""Latency of whole models beside PyTorch eager, torch.compile, ONNX Runtime and OpenVINO.

    python benchmarks/models.py [--only resnet18 ...] [--threads 1 2] [--rounds 20] [--json]

Needs torch 2.13 and transformers; of the other peers whatever is installed takes part
(torch.compile with --compile; ONNX Runtime needs onnxscript for the conversion). Every model is
built with seeded weights, exported to a temporary `.pt2`, and all runtimes run in this process on
the same inputs, taking turns; the numbers are medians in milliseconds, ratios are ours divided by
theirs round by round, so below 1 rushlight is faster.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.zoo.program import Call, Program
from tests.zoo.registry import builder

from rushlight.nativert import ModelRunner

MODELS = (
    "mlp",
    "lenet",
    "resnet18",
    "resnet50",
    "mobilenet_v2",
    "vgg11",
    "unet",
    "lstm_tagger",
    "gru_tagger",
    "bert_base",
    "distilbert",
    "gpt2",
    "llama",
    "vit",
    "minilm",
    "tcn",
    "dcgan",
    "vae",
)


def export(program: Program, call: Call, folder: Path) -> Path:
    exported = torch.export.export(
        program.module, call.args, call.kwargs, dynamic_shapes=program.dynamic_shapes, strict=False
    )
    path = folder / "model.pt2"
    torch.export.save(exported, path)
    return path


def tensors(call: Call) -> list[torch.Tensor]:
    leaves = torch.utils._pytree.tree_leaves((call.args, call.kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def onnx_runtime(program: Program, call: Call, folder: Path, threads: int) -> Callable[[], Any]:
    import onnxruntime

    path = folder / "model.onnx"
    torch.onnx.export(
        program.module, call.args, str(path), kwargs=call.kwargs, dynamo=True, verbose=False
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    feed = dict(zip(names, (t.numpy() for t in tensors(call)), strict=True))
    return lambda: session.run(None, feed)


def openvino(program: Program, call: Call, threads: int) -> Callable[[], Any]:
    import openvino as ov

    model = ov.convert_model(torch.export.export(program.module, call.args, call.kwargs))
    core = ov.Core()
    compiled = core.compile_model(
        model,
        "CPU",
        {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"},
    )
    inputs = [t.numpy() for t in tensors(call)]
    return lambda: compiled(inputs)


def candidates(
    program: Program, call: Call, folder: Path, threads: int, compile_too: bool
) -> dict[str, Callable[[], Any]]:
    """Every runtime that is installed and takes the model; ours first."""
    runner = ModelRunner(export(program, call, folder), num_threads=threads)
    numpy_args, numpy_kwargs = torch.utils._pytree.tree_map(
        lambda x: x.numpy() if isinstance(x, torch.Tensor) else x, (call.args, call.kwargs)
    )
    found: dict[str, Callable[[], Any]] = {
        "rushlight": lambda: runner.run(*numpy_args, **numpy_kwargs),
        "torch eager": lambda: program.module(*call.args, **call.kwargs),
    }
    if compile_too:
        compiled = torch.compile(program.module)
        found["torch.compile"] = lambda: compiled(*call.args, **call.kwargs)
    optional: dict[str, Callable[[], Callable[[], Any]]] = {}
    if importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnxscript"):
        optional["ONNX Runtime"] = lambda: onnx_runtime(program, call, folder, threads)
    if importlib.util.find_spec("openvino"):
        optional["OpenVINO"] = lambda: openvino(program, call, threads)
    for name, make in optional.items():
        try:
            found[name] = make()
        except Exception as error:  # a peer that cannot take the model is left out of its row
            print(f"{name} does not take this model: {str(error)[:80]}", file=sys.stderr)
    return found


def measure(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in runs}
    for i in range(rounds + 2):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if i >= 2:  # the first two rounds plan, pack and warm up
                times[name].append((time.perf_counter() - start) * 1e3)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(MODELS), metavar="MODEL")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--small", action="store_true", help="the reduced models")
    parser.add_argument("--compile", action="store_true", help="torch.compile too (slow to start)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for threads in options.threads:
        torch.set_num_threads(threads)
        for name in options.only:
            torch.manual_seed(0)
            program = builder(name)(options.small)
            program.module.eval()
            call = program.sample(0)
            with tempfile.TemporaryDirectory() as folder, torch.no_grad():
                runs = candidates(program, call, Path(folder), threads, options.compile)
                times = measure(runs, options.rounds)
            row: dict[str, Any] = {"model": name, "threads": threads}
            for runtime, values in times.items():
                row[runtime] = statistics.median(values)
                pairs = zip(times["rushlight"], values, strict=True)
                row[f"ratio {runtime}"] = statistics.median(a / b for a, b in pairs)
            rows.append(row)
            if not options.json:
                cells = [
                    f"{runtime} {row[runtime]:.2f} ms"
                    + ("" if runtime == "rushlight" else f" ({row[f'ratio {runtime}']:.2f}x)")
                    for runtime in times
                ]
                print(f"{name:14} {threads} thread{'s' * (threads > 1)}: " + ", ".join(cells))
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        print(f"{date.today()}, {platform.machine()}, torch {torch.__version__}")


if __name__ == "__main__":
    main()
