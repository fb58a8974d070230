"""Random programs under two libraries, quickly.

    python -m tests.programs.run --count 100000 --seed 0
    python -m tests.programs.run --count 1000 --against model     # without PyTorch

Program ``n`` of a run is that of ``--seed SEED+n --count 1``. Failing programs are shrunk and
printed as scripts, one for each kind of failure; the exit status says whether there were any.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .calls import Program, script
from .compare import Comparison, Difference
from .generate import generate
from .observe import ArrayNoise, Observation, PyTorchNoise, observe
from .shrink import shrink


class Judge:
    """Compares a library with another, which also guides the making of programs."""

    def __init__(self, library: Any, against: Any) -> None:
        self.library, self.against = library, against
        self.is_torch = getattr(against, "__name__", "") == "torch"

    def make(self, seed: int) -> Program:
        return generate(random.Random(seed), self.against, errors=0.3 if self.is_torch else 0)

    def difference(self, program: Program) -> Difference | None:
        """What differs, or None; an exception of another kind than a user's counts too."""
        theirs = observe(program, self.against)
        try:
            ours = observe(program, self.library)
        except Exception as error:  # not among the errors that a call may raise
            return Difference("program", f"{type(error).__name__}: {error}")
        return Comparison(program, ours, theirs, self._again(program), self.is_torch).difference()

    def fails_like(self, kind: str) -> Callable[[Program], bool]:
        """Whether a program has a difference of this kind."""
        return lambda program: getattr(self.difference(program), "kind", None) == kind

    def _again(self, program: Program) -> Callable[[int], Observation]:
        noise = PyTorchNoise if self.is_torch else ArrayNoise
        return lambda seed: observe(program, self.against, noise(seed))


def library(name: str) -> Any:
    if name == "model":
        return importlib.import_module("tests.programs.model")
    module = importlib.import_module(name)
    assert isinstance(module, ModuleType)
    return module


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--library", default="rushlight", help="the module that is judged")
    parser.add_argument("--against", default="torch", help="torch, or model: plain NumPy")
    parser.add_argument("--kinds", type=int, default=10, help="stop after so many kinds of failure")
    parser.add_argument("--show", action="store_true", help="print every program")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    judge = Judge(library(options.library), library(options.against))
    failures: Counter[str] = Counter()
    calls = 0
    started = time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        program = judge.make(seed)
        calls += len(program)
        if options.show:
            print(script(program, options.library))
        difference = judge.difference(program)
        if not difference:
            _progress(seed - options.seed + 1, options.count, failures, started)
            continue
        kind = difference.kind
        failures[kind] += 1
        if failures[kind] == 1:
            program = shrink(program, judge.fails_like(kind))
            difference = judge.difference(program)
            print(
                f"\n# seed {seed}: {difference}\n{script(program, options.library)}\n", flush=True
            )
            if len(failures) >= options.kinds:
                break
    seconds = time.monotonic() - started
    print(f"\n{options.count} programs, {calls} calls, {seconds:.0f} s; "
          f"{sum(failures.values())} failed in {len(failures)} ways")  # fmt: skip
    for kind, count in failures.most_common():
        print(f"{count:6} {kind}")
    return 1 if failures else 0


def _progress(done: int, count: int, failures: Counter[str], started: float) -> None:
    if sys.stderr.isatty() and done % 100 == 0:
        speed = done / (time.monotonic() - started)
        text = f"{done}/{count} programs, {speed:.0f} a second, {sum(failures.values())} failed"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
