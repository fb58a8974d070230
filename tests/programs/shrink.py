"""Makes a failing program small: drops calls, then arguments, as long as it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .calls import Call, Program


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The smallest program found by dropping runs of calls and simplifying constants.

    ``fails`` says whether a program still shows the fault; ``program`` must.
    """
    size = max(1, len(program) // 2)
    while size:
        program, dropped = _drop(program, fails, size)
        if not dropped:
            size //= 2
    for _ in range(2):
        for i in range(len(program)):
            for simpler in _simpler(program[i]):
                candidate = [*program[:i], simpler, *program[i + 1 :]]
                if fails(candidate):
                    program = candidate
                    break
    return program


def _drop(program: Program, fails: Callable[[Program], bool], size: int) -> tuple[Program, bool]:
    dropped = False
    start = len(program) - size
    while start >= 0:
        candidate = without(program, start, start + size)
        if len(candidate) < len(program) and fails(candidate):
            program, dropped = candidate, True
        start -= size
    return program, dropped


def without(program: Program, start: int, stop: int) -> Program:
    """The program without the calls from ``start`` to ``stop`` and those that need them."""
    known: set[int] = set()
    kept = []
    for i, call in enumerate(program):
        if start <= i < stop or not known.issuperset(call.variables()):
            known -= set(call.targets)
            continue
        kept.append(call)
        known |= set(call.targets)
    return kept


def _simpler(call: Call) -> Iterator[Call]:
    """The call with fewer keywords, or its numbers replaced by ones."""
    for name in call.kwargs:
        yield replace(call, kwargs={k: v for k, v in call.kwargs.items() if k != name})
    if call.function == "torch.tensor":
        yield replace(call, args=(_ones(call.args[0]),))


def _ones(value: object) -> object:
    return [_ones(part) for part in value] if isinstance(value, list) else 1
