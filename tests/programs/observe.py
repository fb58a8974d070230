"""Runs a program under a library and writes down all that can be seen from outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .calls import OPERATORS, Call, Program

ERRORS = (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError, ZeroDivisionError)
IN_PLACE = frozenset(
    name for name, (symbol, _) in OPERATORS.items() if symbol.endswith("=") and name.startswith("i")
)
_BUILTIN = {error.__name__: error for error in ERRORS}


@dataclass(frozen=True)
class Facts:
    """What is known of a tensor without looking at its values."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def of(cls, tensor: Any) -> Facts:
        return cls(dtype_name(tensor), tuple(tensor.shape), tuple(tensor.stride()))


@dataclass
class Observation:
    """What a program showed: at each call the facts of its results or the type of its error, the
    values that it read, and at the end those of every tensor and which of them share memory."""

    results: list[Any] = field(default_factory=list)
    reads: dict[tuple[int, int], tuple[str, NDArray[Any]]] = field(default_factory=dict)
    left: dict[int, Facts] = field(default_factory=dict)
    aliases: list[tuple[tuple[int, int], ...]] = field(default_factory=list)
    tensors: dict[int, Any] = field(default_factory=dict)


class Noise(Protocol):
    """Changes the values of a tensor by a few roundings: of a copy, or of the tensor itself."""

    def __call__(self, tensor: Any, in_place: bool = False) -> Any: ...


def observe(program: Program, library: Any, noise: Noise | None = None) -> Observation:
    """Runs ``program`` to its end; ``noise`` changes what calls that round get and give.

    A call whose variables are missing, because an earlier one raised, is left out.
    """
    seen = Observation()
    values: dict[int, Any] = {}
    for position, call in enumerate(program):
        if any(n not in values for n in call.variables()):
            seen.results.append(None)
            continue
        if call.function == "del":
            del values[call.args[0].number]
            seen.results.append(None)
            continue
        if call.function == "read":
            number = call.args[0].number
            seen.reads[position, number] = value_of(values[number])
            seen.results.append(None)
            continue
        try:
            result = call.run(library, values if noise is None else noisy(call, values, noise))
        except ERRORS as error:
            seen.results.append(builtin_type(error))
            continue
        if noise is not None and rounds(call.function):
            for part in parts_of(result):
                noise(part, in_place=True)
        seen.results.append([Facts.of(part) for part in parts_of(result)])
        if call.targets:
            values.update(zip(call.targets, parts_of(result), strict=False))
    for number, tensor in values.items():
        seen.reads[len(program), number] = value_of(tensor)
        seen.left[number] = Facts.of(tensor)
    seen.aliases = aliases(values)
    seen.tensors = values
    return seen


# What rounds: elsewhere results are exact, or the same two roundings in every library.
_EXACT_NAMES = """
    abs neg sub mul sign square relu floor ceil round trunc clamp isnan isinf isfinite maximum
    minimum fmax fmin eq ne lt le gt ge logical_not logical_and logical_or logical_xor
    bitwise_and bitwise_or bitwise_xor bitwise_not where amax amin max min any all argmax argmin
    count_nonzero sort argsort flip roll cat stack gather take index_select masked_select
    nonzero tril triu transpose permute reshape view view_as unsqueeze squeeze flatten expand
    expand_as narrow select unfold diagonal movedim split chunk unbind t contiguous clone detach
    to type_as tensor zeros ones full arange eye zeros_like ones_like full_like fill_ zero_
    copy_ masked_fill signbit copysign positive numel float double long int bool half bfloat16
    repeat tile take_along_dim hstack vstack index_fill_ index_copy_ masked_fill_ scatter_
    swapaxes ravel T mT real imag diff outer cummax cummin heaviside nan_to_num unflatten
    view_as_real rot90 fliplr atleast_2d broadcast_to getitem setitem median mode topk kthvalue
    bincount searchsorted repeat_interleave diag squeeze_ unsqueeze_ t_ transpose_ index_put_
    resolve_conj conj one_hot pad detach_
"""
_EXACT = frozenset(_EXACT_NAMES.split())


def rounds(function: str) -> bool:
    name = function.rpartition(".")[2]
    return name not in _EXACT and name.rstrip("_") not in _EXACT


def noisy(call: Call, values: dict[int, Any], noise: Noise) -> dict[int, Any]:
    """The variables for a call that rounds: copies with noise, but for those it writes to."""
    name = call.function
    in_place = name.endswith("_") or name in IN_PLACE or "out" in call.kwargs
    if not rounds(name) or in_place:
        return values
    return {**values, **{n: noise(values[n]) for n in call.variables()}}


class PyTorchNoise:
    """Changes floating-point tensors by a few roundings, in PyTorch."""

    def __init__(self, seed: int) -> None:
        import torch

        self._torch = torch
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, tensor: Any, in_place: bool = False) -> Any:
        torch = self._torch
        if not (tensor.is_floating_point() or tensor.is_complex()):
            return tensor
        step = 4 * torch.finfo(tensor.dtype).eps
        real = torch.float64 if tensor.dtype == torch.float64 else torch.float32
        noise = torch.rand(tensor.shape, generator=self._generator, dtype=real) * 2 - 1
        # Sums and differences inside an operation round at the size of its largest number.
        finite = tensor.abs()[tensor.isfinite()]
        size = finite.max() / 4 if finite.numel() else 0
        value = (tensor + step * noise * (tensor + size)).to(tensor.dtype)
        if not in_place:
            return value
        try:
            return tensor.copy_(value)
        except RuntimeError:  # an expanded tensor: elements share memory
            return tensor


class ArrayNoise:
    """The same for tensors of `tests.programs.model`."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, tensor: Any, in_place: bool = False) -> Any:
        array = tensor.array
        if array.dtype.kind not in "fc":
            return tensor
        eps = {"float64": 2.2e-16, "complex128": 2.2e-16, "float16": 1e-3, "bfloat16": 8e-3}
        step = 4 * eps.get(tensor.dtype.name, 1.2e-7)
        with np.errstate(all="ignore"):
            size = np.abs(array[np.isfinite(array)]).max(initial=0) / 4
            value = array + step * self._rng.uniform(-1, 1, array.shape) * (array + size)
            if in_place and array.flags.writeable:
                array[...] = value.astype(array.dtype)
                return tensor
            return tensor.like(value.astype(array.dtype))


def parts_of(result: Any) -> list[Any]:
    if result is None:
        return []
    return list(result) if isinstance(result, (list, tuple)) else [result]


def builtin_type(error: Exception) -> type:
    return next(_BUILTIN[k.__name__] for k in type(error).__mro__ if k.__name__ in _BUILTIN)


def dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def value_of(tensor: Any) -> tuple[str, NDArray[Any]]:
    """The dtype and the values, copied; bfloat16 as float32."""
    dtype = dtype_name(tensor)
    if type(tensor).__module__ == "torch":
        tensor = tensor.clone()  # PyTorch never resizes memory that NumPy has seen
    return dtype, np.array((tensor.float() if dtype == "bfloat16" else tensor).numpy())


def aliases(values: dict[int, Any]) -> list[tuple[tuple[int, int], ...]]:
    """The groups of tensors that share memory, each as (variable, elements from the group's first
    address); a tensor alone and empty ones are left out."""
    groups: dict[int, list[tuple[int, int]]] = {}
    for number, tensor in values.items():
        if tensor.numel():
            storage = tensor.untyped_storage().data_ptr()
            groups.setdefault(storage, []).append((number, tensor.storage_offset()))
    return sorted(_shifted(group) for group in groups.values() if len(group) > 1)


def _shifted(group: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    members = sorted(group)
    first = members[0][1]
    return tuple((number, offset - first) for number, offset in members)
