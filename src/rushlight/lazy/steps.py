"""When recorded operators run."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import _C
from rushlight.lazy.closure import run_step_closures
from rushlight.utils.pytree import tree_flatten, tree_unflatten

_numbers = itertools.count(1)
# By `id`: the tensor, so that another one at its address is not taken for it, and its number.
_ids: dict[int, tuple[weakref.ref[_C.Tensor], int]] = {}


def _check_devices(devices: Sequence[str] | str | None) -> None:
    names = [devices] if isinstance(devices, str) else devices or []
    for name in names:
        if str(name).split(":")[0] not in ("", "cpu", "lazy"):
            raise RuntimeError(f"expected the device 'cpu', got '{name}'")


def mark_step(device: str = "", wait: bool = False) -> None:
    """Runs everything that this thread has recorded, then the closures of the step.

    Args:
        device: ``""`` or ``"cpu"``; there is no other.
        wait: changes nothing; what was recorded has run when this returns.
    """
    _check_devices(device)
    _C.lazy_flush()
    run_step_closures()


def wait_device_ops(devices: Sequence[str] | None = None) -> None:
    """Runs everything that any thread has recorded."""
    _check_devices(devices)
    _C.lazy_flush_all()


def sync_multi(tensors: Sequence[_C.Tensor], devices: Sequence[str]) -> None:
    """Computes `tensors`, and with them whatever else is alive and was recorded with them."""
    _check_devices(devices)
    for tensor in tensors:
        _C.lazy_compute(tensor)


def get_tensor_id(tensor: _C.Tensor) -> int:
    """A number that no other tensor object has or will have."""
    if not isinstance(tensor, _C.Tensor):
        raise TypeError(f"get_tensor_id(): expected a Tensor, got {type(tensor).__name__}")
    key = id(tensor)
    known = _ids.get(key)
    if known is not None and known[0]() is tensor:
        return known[1]

    def forget(reference: weakref.ref[_C.Tensor]) -> None:
        if key in _ids and _ids[key][0] is reference:
            del _ids[key]

    number = next(_numbers)
    _ids[key] = (weakref.ref(tensor, forget), number)
    return number


def to_cpu(tensors: Any, devices: Sequence[str] | None = None) -> Any:
    """The same nesting of tensors, all with their values."""
    leaves, treespec = tree_flatten(tensors)
    sync_multi([x for x in leaves if isinstance(x, _C.Tensor)], devices or ["lazy"])
    return tree_unflatten(leaves, treespec)


def save(tensors: Any, *args: Any, **kwargs: Any) -> None:
    """:func:`rushlight.save` of tensors that are computed together first."""
    rushlight.save(to_cpu(tensors), *args, **kwargs)
