"""Calls one operator in rushlight and in PyTorch and compares everything that comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

RTOL = {"float32": 1e-5, "float64": 1e-11, "float16": 2e-3, "bfloat16": 1.6e-2,
        "complex64": 1e-5, "complex128": 1e-11}  # fmt: skip


def to_ours(value: Any) -> Any:
    """PyTorch tensors and dtypes as rushlight's, in lists too; everything else unchanged."""
    import torch

    if isinstance(value, torch.Tensor):
        return rushlight.from_dlpack(value.detach().resolve_conj())
    if isinstance(value, torch.dtype):
        return getattr(rushlight, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return [to_ours(v) for v in value]
    return value


def operator(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``"sum.dim_IntList"`` -> (rushlight's function, PyTorch's)."""
    import torch

    base, _, overload = name.partition(".")
    overload = overload or "default"
    ours = getattr(getattr(rushlight.ops.aten, base), overload)
    theirs = getattr(getattr(torch.ops.aten, base), overload)
    return ours, theirs


def to_numpy(value: Any) -> np.ndarray:
    """A tensor of either library as an array; half types as float32, which holds them exactly."""
    import torch

    if not isinstance(value, torch.Tensor):
        value = torch.from_dlpack(value)
    if value.dtype in (torch.float16, torch.bfloat16):
        value = value.float()
    return np.asarray(value.detach().resolve_conj().resolve_neg().cpu().numpy())


def compare(ours: Any, theirs: Any, what: str, rtol: float | None = None) -> None:
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), what
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            compare(a, b, f"{what} output {i}", rtol)
        return
    dtype = str(theirs.dtype).removeprefix("torch.")
    assert str(ours.dtype).rsplit(".", 1)[-1] == dtype, what
    assert tuple(ours.shape) == tuple(theirs.shape), what
    a, b = to_numpy(ours), to_numpy(theirs)
    if dtype not in RTOL:
        np.testing.assert_array_equal(a, b, err_msg=what)
        return
    tolerance = rtol if rtol is not None else RTOL[dtype]
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(b)
        np.testing.assert_array_equal(np.where(finite, 0, a), np.where(finite, 0, b), err_msg=what)
        error = float(np.abs(a - b)[finite].max(initial=0))
        scale = float(np.abs(b)[finite].max(initial=0))
    assert error <= tolerance * max(scale, 0.1), f"{what}: error {error} at scale {scale}"


# Results smaller than a tenth are compared absolutely: they come from cancellation.
def check(name: str, *args: Any, rtol: float | None = None, **kwargs: Any) -> None:
    """Same values, shapes and dtypes; or the same exception type."""
    ours, theirs = operator(name)
    what = f"{name}({', '.join(describe(a) for a in args)}, {kwargs})"
    # In-place effects of one library must not show in the other.
    mine = ([to_ours(clone(a)) for a in args], {k: to_ours(clone(v)) for k, v in kwargs.items()})
    try:
        expected = theirs(*args, **kwargs)
    except Exception as error:
        builtin = next(k for k in type(error).__mro__ if k.__module__ == "builtins")
        with pytest.raises(builtin):
            ours(*mine[0], **mine[1])
        return
    compare(ours(*mine[0], **mine[1]), expected, what, rtol)


def clone(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        out = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype) if not any(
            s == 0 for s in value.stride()) else value  # fmt: skip
        return value if out is value else out.copy_(value)
    if isinstance(value, (list, tuple)):
        return [clone(v) for v in value]
    return value


def describe(value: Any) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        return f"{kind}{list(value.shape)} strides {list(value.stride())}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(describe(v) for v in value) + "]"
    return repr(value)
