"""Load an exported archive back into PyTorch and compare its outputs with the recorded ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils import _pytree as pytree

from tests.zoo.record import input_names, kind_of

TOLERANCE = {"float32": 1e-4, "float64": 1e-6, "bfloat16": 2e-2}


def relative_error(got: npt.NDArray[Any], want: npt.NDArray[Any]) -> float:
    """Return the norm of the difference over the norm of what is wanted."""
    norm = float(np.linalg.norm(want.astype(np.float64)))
    difference = float(np.linalg.norm(got.astype(np.float64) - want.astype(np.float64)))
    return difference / norm if norm else difference


def compare(key: str, got: object, want: npt.NDArray[Any], dtype: str) -> None:
    """Raise `AssertionError` where an output differs in shape, dtype or value."""
    tensor, found = torch.as_tensor(got), kind_of(got)
    array = (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).detach().numpy()
    if found != dtype or array.shape != want.shape:
        raise AssertionError(f"{key}: {found}{array.shape}, recorded {dtype}{want.shape}")
    if dtype in TOLERANCE:
        error = relative_error(array, want)
        if not error <= TOLERANCE[dtype]:
            raise AssertionError(f"{key}: relative error {error:.2e}")
    elif not np.array_equal(array, want):
        raise AssertionError(f"{key}: {dtype} values differ")


def check_archive(folder: Path, name: str, form: str) -> None:
    """Run every recorded call through ``NAME.FORM.pt2``."""
    info = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    exported = torch.export.load(folder / f"{name}.{form}.pt2")
    module = exported.module()
    with np.load(folder / f"{name}.npz") as arrays:
        for k in range(info["calls"]):
            leaves: list[Any] = []
            for user_input in input_names(exported):
                key = f"in{k}.{user_input}"
                if key not in arrays:
                    leaves.append(info["literals"][k][user_input])
                    continue
                dtype: torch.dtype = getattr(torch, info["dtypes"][key])
                leaves.append(torch.from_numpy(arrays[key]).to(dtype))
            args, kwargs = pytree.tree_unflatten(leaves, exported.call_spec.in_spec)
            for i, output in enumerate(pytree.tree_leaves(module(*args, **kwargs))):
                key = f"out{k}.{i}"
                if (output is None) != (key not in arrays):
                    raise AssertionError(f"{key}: {output}, recorded {key in arrays}")
                if output is not None:
                    compare(f"{name}.{form}: {key}", output, arrays[key], info["dtypes"][key])
