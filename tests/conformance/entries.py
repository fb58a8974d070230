"""Runs one entry of op_db (an operator, all its samples and errors) and tallies every call."""

from __future__ import annotations

import os
import pickle
import select
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from tests.conformance.capture import observed
from tests.conformance.differences import UNDEFINED
from tests.conformance.replay import DTYPES, UnsupportedError, describe, replay
from tests.conformance.tally import Tally

TIME_LIMIT = 600  # seconds for one entry


def entry_name(entry: Any) -> str:
    return entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else "")


def _first_dtype(args: Any, kwargs: Any, outcome: Any) -> str:
    for value in (*args, *kwargs.values(), outcome):
        if isinstance(value, torch.Tensor):
            return str(value.dtype).removeprefix("torch.")
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor):
            return str(value[0].dtype).removeprefix("torch.")
    return "none"


def draws(name: str, args: Any) -> bool:
    """Does this call draw random numbers, though the operator need not?"""
    if name == "aten.scaled_dot_product_attention.default":
        return len(args) > 4 and args[4] > 0
    return any(word in name for word in ("dropout", "rrelu")) and any(a is True for a in args)


class _Observer:
    def __init__(self, tally: Tally, where: str, random: set[str]) -> None:
        self.tally = tally
        self.where = where
        self.random = random
        self.calls = 0
        self.differences = 0

    def __call__(self, operator: Any, args: Any, kwargs: Any, outcome: Any) -> None:
        name = str(operator)
        values = name not in self.random and name not in UNDEFINED and not draws(name, args)
        try:
            found = replay(operator, name, args, kwargs, outcome, values)
        except UnsupportedError:
            return
        self.calls += 1
        row = self.tally.operator(name)
        dtype = _first_dtype(args, kwargs, outcome)
        if found is None:
            row.passed[dtype] += 1
            return
        self.differences += 1
        row.failed[dtype] += 1
        row.kinds[found.kind] += 1
        shown = ", ".join(
            [describe(a) for a in args] + [f"{k}={describe(v)}" for k, v in kwargs.items()]
        )
        row.note(found.kind, f"{name}({shown[:500]}): {found.detail[:300]} [{self.where}]")


def _calls(entry: Any, dtype: torch.dtype, limit: int) -> Iterator[Any]:
    """Functions without arguments, one per sample: plain, strided, in place."""
    for i, sample in enumerate(entry.sample_inputs("cpu", dtype, requires_grad=False)):
        if limit and i >= limit:
            return
        yield lambda s=sample: entry.op(s.input, *s.args, **s.kwargs)
        if i < 6:
            strided = sample.noncontiguous()
            yield lambda s=strided: entry.op(s.input, *s.args, **s.kwargs)
        in_place = entry.get_inplace()
        if in_place and not sample.broadcasts_input and isinstance(sample.input, torch.Tensor):
            copy = sample.input.clone()
            yield lambda s=sample, x=copy, f=in_place: f(x, *s.args, **s.kwargs)


def run_entry(entry: Any, declared: set[str], random: set[str], limit: int,
              dtypes: set[torch.dtype]) -> Tally:  # fmt: skip
    tally = Tally()

    def observe(function: Any, where: str) -> None:
        observer = _Observer(tally, where, random)
        # PyTorch refusing a sample of its own is a call like any other: both have to.
        try:
            with observed(observer, declared.__contains__):
                function()
        except Exception:
            pass
        if observer.calls:
            tally.samples += 1
            tally.samples_equal += observer.differences == 0

    for dtype in sorted(entry.supported_dtypes("cpu") & dtypes, key=str):
        where = f"{entry_name(entry)} {str(dtype).removeprefix('torch.')}"
        try:
            for function in _calls(entry, dtype, limit):
                observe(function, where)
        except Exception as error:  # PyTorch could not make the samples
            tally.broken.append(f"{where}: {type(error).__name__}: {str(error)[:100]}")
    if entry.error_inputs_func is not None:
        try:
            for error_input in entry.error_inputs("cpu"):
                sample = error_input.sample_input
                observe(
                    lambda s=sample: entry.op(s.input, *s.args, **s.kwargs),
                    f"{entry_name(entry)} error",
                )
        except Exception as error:
            tally.broken.append(f"{entry_name(entry)} errors: {str(error)[:100]}")
    return tally


def run_apart(*arguments: Any) -> Tally:
    """:func:`run_entry` in a process of its own: one that crashes or hangs is a result too."""
    name = entry_name(arguments[0])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(run_entry(*arguments), pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], TIME_LIMIT)
        if not ready:
            os.kill(child, signal.SIGKILL)
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not data:
        tally = Tally()
        tally.broken.append(f"{name}: process ended with {status}{'' if ready else ' (time)'}")
        return tally
    return pickle.loads(data)


ALL_DTYPES = set(DTYPES)
