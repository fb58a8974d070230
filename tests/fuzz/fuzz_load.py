"""Loads damaged files: `python -m tests.fuzz.fuzz_load [COUNT] [SEED]`.

COUNT executions (default 20,000) of `rushlight.load`, `inspect` and the readers of safetensors and
GGUF on mutations of the fixtures. Each must give a value or one of the documented errors, within
memory and time, and must not run, open or import anything. A finding is written to build/fuzz and
ends the run.
"""

from __future__ import annotations

import io
import pickle
import random
import resource
import signal
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rushlight
from rushlight.serialization import StoredTensor, load_gguf, safetensors
from rushlight.serialization.inspection import inspect
from rushlight.serialization.tensors import Parameter, SparseTensor

DATA = Path(__file__).parents[1] / "data"
ARTIFACTS = Path(__file__).parents[2] / "build" / "fuzz"
MEMORY = 6 << 30  # bytes of address space
SECONDS = 20  # for one execution
ERRORS = (pickle.UnpicklingError, RuntimeError, ValueError)
FORBIDDEN = ("os.", "subprocess.", "exec", "open", "socket.", "shutil.", "ctypes.", "code.")
WORDS = [
    b"cos\nsystem\n", b"cbuiltins\neval\n", b"ctorch._utils\n_rebuild_tensor_v2\n", b")R", b"\x85R",
    b"}b", b")\x81", b"(t", b"]", b"}", b"\x8f", b"N", b"\x88", b"0", b"2", b"q\x05", b"h\x05",
    b"cnumpy\ndtype\n", b"cnumpy.core.multiarray\n_reconstruct\n", b"cargparse\nNamespace\n",
    b"ccollections\nOrderedDict\n", b"ctorch\nQInt8Storage\n", b"ctorch.storage\nUntypedStorage\n",
    b"ctorch._utils\n_rebuild_sparse_tensor\n", b"ctorch._utils\n_rebuild_parameter\n",
    b"\x8a\x08" + b"\xff" * 7 + b"\x7f", b"J\xff\xff\xff\xff", b"cbuiltins\nbytearray\n",
    b"cbuiltins\nrange\n", b"cdatetime\ndatetime\n", b"cuuid\nUUID\n", b"X\x01\x00\x00\x00a",
]  # fmt: skip

watching = False


def audit(event: str, args: Any) -> None:
    if watching and event.startswith(FORBIDDEN):
        raise AssertionError(f"{event} {args!r:.100}")


class Seeds:
    """The fixtures, and for zip files the parts, so that a change reaches the pickle."""

    def __init__(self) -> None:
        self.whole: list[tuple[str, bytes]] = []
        self.parts: list[dict[str, bytes]] = []
        for path in sorted((DATA / "pt").glob("*.pt")) + sorted((DATA / "gguf").glob("*.gguf")):
            data = path.read_bytes()
            self.whole.append((path.suffix, data))
            if zipfile.is_zipfile(io.BytesIO(data)) and path.stem not in (
                "torchscript",
                "no_checksums",
            ):
                with zipfile.ZipFile(path) as archive:
                    self.parts.append({n: archive.read(n) for n in archive.namelist()})
        stream = io.BytesIO()
        tensors = rushlight.load(DATA / "pt" / "state_dict.pt")
        safetensors.save_file(tensors, stream, {"a": "b"})
        self.whole.append((".safetensors", stream.getvalue()))


def mutate(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(1 + int(rng.expovariate(0.7))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(out):
            out[at] = rng.randrange(256)
        elif kind == 1 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            out[at:at] = rng.choice(WORDS)
        elif kind == 3:
            del out[at : at + 1 + int(rng.expovariate(0.2))]
        elif kind == 4:
            start = rng.randrange(len(out) + 1)
            out[at:at] = out[start : start + 1 + int(rng.expovariate(0.1))]
        else:
            word = rng.choice(WORDS)
            out[at : at + len(word)] = word
    return bytes(out)


def zip_of(parts: dict[str, bytes], rng: random.Random) -> bytes:
    names = list(parts)
    pickled = next(n for n in names if n.endswith("/data.pkl"))
    changed = dict(parts)
    target = pickled if rng.random() < 0.85 else rng.choice(names)
    changed[target] = mutate(parts[target], rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, contents in changed.items():
            archive.writestr(name, contents)
    return stream.getvalue()


def touch(value: Any, left: int = 3000) -> None:
    """Reads what was loaded, so that memory that is not there is noticed."""
    pending, seen = [value], 0
    while pending and seen < left:
        seen += 1
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, (list, tuple)):
            pending.extend(item)
        elif isinstance(item, StoredTensor):
            if not item.is_meta and item.numel() < 1 << 20:
                item.raw().sum() if item.element_size() <= 8 else None
        elif isinstance(item, SparseTensor):
            pending.extend((*item._indices, item.values()))
        elif isinstance(item, (rushlight.Tensor, Parameter)) and item.numel() < 1 << 20:
            item.tolist()


def targets(suffix: str) -> list[Callable[[bytes], Any]]:
    if suffix == ".gguf":
        return [lambda data: load_gguf(io.BytesIO(data))]
    if suffix == ".safetensors":
        return [lambda data: safetensors.load_file(io.BytesIO(data))]
    return [
        lambda data: rushlight.load(io.BytesIO(data)),
        lambda data: rushlight.load(io.BytesIO(data), stand_ins=True),
        lambda data: rushlight.load(io.BytesIO(data), map_location="meta"),
        lambda data: inspect(io.BytesIO(data)),
    ]


def run(count: int, seed: int) -> dict[str, int]:
    global watching  # noqa: PLW0603 (the audit hook cannot be given state)
    rng = random.Random(seed)
    seeds = Seeds()
    outcomes: dict[str, int] = {}
    show = sys.stderr.isatty()
    start = time.monotonic()
    for i in range(count):
        if rng.random() < 0.6:
            suffix, data = ".pt", zip_of(rng.choice(seeds.parts), rng)
        else:
            suffix, whole = rng.choice(seeds.whole)
            data = mutate(whole, rng)
        target = rng.choice(targets(suffix))
        watching = i > 200  # the first ones import what they need
        signal.alarm(SECONDS)
        try:
            touch(target(data))
            outcome = "loaded"
        except ERRORS as error:
            outcome = type(error).__name__
        except BaseException:
            watching = False
            ARTIFACTS.mkdir(parents=True, exist_ok=True)
            (ARTIFACTS / f"load-{seed}-{i}{suffix}").write_bytes(data)
            print(f"execution {i} of seed {seed}: input kept in {ARTIFACTS}", file=sys.stderr)
            raise
        finally:
            watching = False
            signal.alarm(0)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if show and i % 500 == 0:
            rate = (i + 1) / (time.monotonic() - start)
            print(f"\r{i}/{count} ({rate:.0f}/s)", end="", file=sys.stderr)
    return outcomes


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.addaudithook(audit)
    warnings.simplefilter("ignore")
    outcomes = run(count, seed)
    print(f"fuzz_load: {count} executions clean (seed {seed}): {outcomes}")


if __name__ == "__main__":
    main()
