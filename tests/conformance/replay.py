"""One ATen call of PyTorch's, made again on rushlight, and the difference if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

import rushlight
from tests.conformance.differences import FIRST_OUTPUTS, defined_part

DTYPES = {
    torch.bool: rushlight.bool,
    torch.uint8: rushlight.uint8,
    torch.int8: rushlight.int8,
    torch.int16: rushlight.int16,
    torch.int32: rushlight.int32,
    torch.int64: rushlight.int64,
    torch.float16: rushlight.float16,
    torch.bfloat16: rushlight.bfloat16,
    torch.float32: rushlight.float32,
    torch.float64: rushlight.float64,
    torch.complex64: rushlight.complex64,
    torch.complex128: rushlight.complex128,
}
# Relative to an element, or to the largest one where terms cancel: sums run in another order.
TOLERANCE = {
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float32: 1e-5,
    torch.float64: 1e-10,
    torch.complex64: 1e-5,
    torch.complex128: 1e-10,
}
ABSOLUTE = 1e-5  # PyTorch's own tests allow as much


class UnsupportedError(Exception):
    """A call with a dtype, layout or value that rushlight does not have at all."""


@dataclass(frozen=True)
class Difference:
    """What differs: ``kind`` is a word to count by, ``detail`` a line to read."""

    kind: str
    detail: str


def to_ours(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise UnsupportedError(str(value))
        return DTYPES[value]
    if isinstance(value, torch.memory_format):
        return str(value).removeprefix("torch.")
    if isinstance(value, (torch.device, torch.layout, torch.Generator)):
        return None
    if isinstance(value, (list, tuple)):
        return [to_ours(v) for v in value]
    return value


def _tensor(value: torch.Tensor) -> Any:
    if value.layout != torch.strided or value.dtype not in DTYPES or value.is_quantized:
        raise UnsupportedError(f"{value.dtype} {value.layout}")
    return rushlight.from_dlpack(value.detach().resolve_conj().resolve_neg())


def _numbers(value: torch.Tensor) -> np.ndarray[Any, Any]:
    if value.dtype in (torch.float16, torch.bfloat16):
        value = value.float()
    return np.asarray(value.detach().resolve_conj().resolve_neg().numpy())


def describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dense = value.is_contiguous()
        strides = "" if dense else f" strides {list(value.stride())}"
        shown = f" {value.tolist()}" if value.numel() <= 6 else ""
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}{strides}{shown}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(describe(v) for v in value) + "]"
    return repr(value)


def replay(
    operator: Any, name: str, args: Any, kwargs: Any, outcome: Any, values: bool
) -> Difference | None:
    """``None`` if rushlight does what PyTorch did, else the :class:`Difference`."""
    found = _replay(name, args, kwargs, outcome, values)
    if found is None or found.kind != "values" or operator._schema.is_mutable:
        return found
    # Lazy conjugates go wrong in PyTorch's dispatch modes: what counts is PyTorch without them.
    with _disable_current_modes(), torch._C._DisablePythonDispatcher():
        return _replay(name, args, kwargs, operator(*args, **kwargs), values)


def _replay(name: str, args: Any, kwargs: Any, outcome: Any, values: bool) -> Difference | None:
    ours = getattr(getattr(rushlight.ops.aten, name.split(".")[1]), name.split(".")[2])
    mine = ([to_ours(a) for a in args], {k: to_ours(v) for k, v in kwargs.items()})
    if name.startswith("aten.as_strided") and args[0].storage_offset():
        raise UnsupportedError("positions before the tensor, which DLPack does not carry")
    try:
        got = ours(*mine[0], **mine[1])
    except Exception as error:
        if isinstance(outcome, Exception):
            return None
        if isinstance(outcome, torch.Tensor) and outcome.dtype not in DTYPES:
            raise UnsupportedError(str(outcome.dtype)) from None
        kind = "not implemented" if isinstance(error, NotImplementedError) else "refused"
        return Difference(kind, f"{type(error).__name__}: {error}")
    if isinstance(outcome, Exception):
        return Difference("accepted", f"PyTorch: {type(outcome).__name__}: {str(outcome)[:200]}")
    if name in FIRST_OUTPUTS and isinstance(got, tuple):
        got, outcome = got[: FIRST_OUTPUTS[name]], outcome[: FIRST_OUTPUTS[name]]
    found = compare(got, outcome, values)
    if found is None or found.kind != "values" or not isinstance(got, tuple):
        return found
    as_torch = tuple(torch.from_dlpack(g) for g in got)
    return _compare_parts(defined_part(name, as_torch), defined_part(name, outcome))


def compare(got: Any, expected: Any, values: bool) -> Difference | None:
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return Difference("outputs", f"{type(got).__name__} for {len(expected)} outputs")
        for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            found = compare(mine, theirs, values)
            if found:
                return Difference(found.kind, f"output {i}: {found.detail}")
        return None
    if expected is None:  # a gradient nobody asked for
        return None
    if not isinstance(expected, torch.Tensor):
        same = not values or got == expected or (_is_nan(got) and _is_nan(expected))
        return None if same else Difference("values", f"{got!r} for {expected!r}")
    if expected.dtype not in DTYPES:
        raise UnsupportedError(str(expected.dtype))
    if got.dtype != DTYPES[expected.dtype]:
        return Difference("dtype", f"{got.dtype} for {expected.dtype}")
    if tuple(got.shape) != tuple(expected.shape):
        return Difference("shape", f"{list(got.shape)} for {list(expected.shape)}")
    if not values or expected.numel() == 0:
        return None
    return _compare_values(_numbers(torch.from_dlpack(got)), _numbers(expected), expected.dtype)


def _compare_parts(got: Any, expected: Any) -> Difference | None:
    for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        if theirs is None or not theirs.numel():
            continue
        found = _compare_values(_numbers(mine), _numbers(theirs), theirs.dtype)
        if found:
            return Difference(found.kind, f"output {i}: {found.detail}")
    return None


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, complex)) and bool(np.isnan(value))


def _compare_values(
    mine: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any], dtype: torch.dtype
) -> Difference | None:
    if dtype not in TOLERANCE:
        wrong = mine != theirs
    else:
        with np.errstate(all="ignore"):
            finite = np.isfinite(theirs)
            scale = float(np.abs(theirs[finite]).max(initial=0))
            if dtype == torch.float16:
                scale = min(scale, 65504.0)
            allowed = ABSOLUTE * min(1.0, TOLERANCE[dtype] * 1e5) + TOLERANCE[dtype] * scale
            close = np.abs(mine - theirs) <= allowed
            same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
            wrong = ~np.where(finite, close, same)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    count = int(wrong.sum())
    return Difference(
        "values", f"{count} of {theirs.size} differ, at {list(at)}: {mine[at]!r} for {theirs[at]!r}"
    )
