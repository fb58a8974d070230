"""Calls an operator here and in PyTorch with the same arguments and compares what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

import rushlight

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


def to_ours(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return rushlight.from_dlpack(value) if value.numel() else _empty(value)
    if isinstance(value, torch.dtype):
        return DTYPES[value]
    if isinstance(value, (list, tuple)):
        return [to_ours(v) for v in value]
    return value


def _empty(value: torch.Tensor) -> Any:
    return rushlight.ops.aten.empty.memory_format(list(value.shape), dtype=DTYPES[value.dtype])


def resolve(namespace: Any, name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(namespace.ops.aten, packet), overload or "default")


def flat(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return list(result)
    return [result]


def to_float64(t: torch.Tensor) -> np.ndarray[Any, Any]:
    if t.dtype.is_complex:
        return t.to(torch.complex128).numpy()
    return t.to(torch.float64).numpy() if t.dtype.is_floating_point else t.numpy()


def ours_as_torch(t: Any) -> torch.Tensor:
    if 0 in t.shape:
        back = {v: k for k, v in DTYPES.items()}
        return torch.empty(tuple(t.shape), dtype=back[t.dtype])
    return torch.from_dlpack(t)


def check(
    name: str,
    *args: Any,
    rtol: float = 0.0,
    values: bool = True,
    outputs: Sequence[int] | None = None,
    **kwargs: Any,
) -> None:
    """Compares sizes, dtypes and (unless ``values`` is false) every element."""
    # Before PyTorch runs: x.t_() changes what x is.
    given = {k: to_ours(v) for k, v in kwargs.items()}
    ours = [to_ours(a) for a in args]
    expected = flat(resolve(torch, name)(*args, **kwargs))
    got = flat(resolve(rushlight, name)(*ours, **given))
    assert len(got) == len(expected), name
    for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        where = f"{name}{args}{kwargs} output {i}"
        if not isinstance(theirs, torch.Tensor):
            assert mine == theirs and type(mine) is type(theirs), where
            continue
        assert tuple(mine.shape) == tuple(theirs.shape), where
        assert mine.dtype == DTYPES[theirs.dtype], (where, mine.dtype, theirs.dtype)
        if not values or (outputs is not None and i not in outputs):
            continue
        np.testing.assert_allclose(
            to_float64(ours_as_torch(mine)), to_float64(theirs), rtol=rtol, atol=rtol, err_msg=where
        )


def check_error(name: str, *args: Any, match: str = "", **kwargs: Any) -> None:
    """Both refuse the call, with the same exception type."""
    try:
        resolve(torch, name)(*args, **kwargs)
    except Exception as error:
        expected = error
    else:
        raise AssertionError(f"torch accepts {name}{args}{kwargs}")
    try:
        resolve(rushlight, name)(
            *[to_ours(a) for a in args], **{k: to_ours(v) for k, v in kwargs.items()}
        )
    except Exception as error:
        assert type(error) is type(expected), (name, args, repr(error), repr(expected))
        assert match in str(error), (match, str(error))
    else:
        raise AssertionError(f"rushlight accepts {name}{args}{kwargs}; torch says {expected!r}")
