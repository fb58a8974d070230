"""Recorded programs by their hash."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from rushlight import _C
from rushlight.lazy.steps import get_tensor_id

_MOST = 64
_programs: OrderedDict[str, _C.LazyProgram] = OrderedDict()
_lock = Lock()


def _snapshot(
    tensors: Sequence[_C.Tensor], compile: bool
) -> tuple[_C.LazyProgram | None, list[_C.Tensor], str]:
    found = _C.lazy_snapshots(tensors, compile)
    if len(found) > 1:
        raise RuntimeError("the tensors were recorded by different threads: compute some first")
    return found[0] if found else (None, [], "")


def get_tensors_ts_device_data_node(
    tensors: Sequence[_C.Tensor],
) -> tuple[list[int], list[_C.Tensor]]:
    """The tensors with values that `tensors` are computed from, and their ids."""
    _, inputs, _ = _snapshot(tensors, False)
    return [get_tensor_id(t) for t in inputs], inputs


def get_graph_hash(tensors: Sequence[_C.Tensor]) -> str:
    """The hash of the program that computes `tensors`, which :func:`run_cached_graph` takes; the
    latest 64 are kept. Sizes and dtypes count, values do not.

    Raises:
        RuntimeError: all of them have their values already.
    """
    program, _, key = _snapshot(tensors, True)
    if program is None:
        raise RuntimeError("get_graph_hash(): the tensors have their values: nothing is recorded")
    with _lock:
        _programs[key] = program
        _programs.move_to_end(key)
        while len(_programs) > _MOST:
            _programs.popitem(last=False)
    return key


def run_cached_graph(hash_str: str, graph_inputs: Sequence[_C.Tensor]) -> list[_C.Tensor]:
    """Runs a program on other inputs: as many, with the dtypes and sizes of the first.

    Raises:
        RuntimeError: no such program, or inputs that do not fit.
    """
    with _lock:
        program = _programs.get(hash_str)
    if program is None:
        raise RuntimeError(f"run_cached_graph(): no program with the hash {hash_str!r}")
    results = program.run(graph_inputs)
    if results is None:
        raise RuntimeError(
            "run_cached_graph(): the inputs differ in number, dtype, sizes, strides or overlap "
            "from those that were recorded"
        )
    return results
