"""From files of arrays to the flat inputs of a program, and back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rushlight import _C
from rushlight.export import (
    ConstantArgument,
    ExportedProgram,
    InputKind,
    OutputKind,
)

from .errors import CommandError, UsageError

Array: TypeAlias = npt.NDArray[Any]


class ProgramInput(NamedTuple):
    """One flat user input: its names, and what it must be."""

    name: str  # in the graph
    path: str  # among forward's arguments, such as batch['x']
    expected: str  # float32[s0, 3]
    dtype: _C.dtype | None  # of a tensor
    shape: tuple[int | str, ...]
    hint: tuple[int, ...]
    type: str  # Tensor, int, float, bool, or constant
    literal: Any  # what a constant must be

    @property
    def is_tensor(self) -> bool:
        return self.type == "Tensor"


def program_inputs(program: ExportedProgram) -> list[ProgramInput]:
    """The flat user inputs in order."""
    values = {v.name: v for v in program.graph.inputs}
    specs = [s for s in program.graph_signature.input_specs if s.kind is InputKind.USER_INPUT]
    found = []
    for spec, path in zip(specs, program.calling_convention.paths, strict=True):
        name = spec.arg.name
        if isinstance(spec.arg, ConstantArgument):
            found.append(
                ProgramInput(name, path, spec.expected, None, (), (), "constant", spec.arg.value)
            )
            continue
        v = values[name]
        found.append(
            ProgramInput(name, path, spec.expected, v.dtype, v.shape, v.hint, v.type, None)
        )
    return found


def output_names(program: ExportedProgram) -> list[str | None]:
    """``output_0``, ``output_1``, … for the flat outputs; None for one that is None."""
    specs = [s for s in program.graph_signature.output_specs if s.kind is OutputKind.USER_OUTPUT]
    return [
        None if isinstance(s.arg, ConstantArgument) and s.arg.value is None else f"output_{k}"
        for k, s in enumerate(specs)
    ]


def read_arrays(path: str) -> dict[str, Array]:
    """The arrays of a ``.npz`` file by name; a ``.npy`` file's array has the name ``""``."""
    try:
        loaded = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise CommandError(f"{path}: not a .npz or .npy file of plain arrays ({error})") from None
    if isinstance(loaded, np.ndarray):
        return {"": loaded}
    with loaded:
        return {name: loaded[name] for name in loaded.files}


def choose_inputs(
    inputs: Sequence[ProgramInput], arrays: Mapping[str, Array], path: str
) -> list[Any]:
    """One value for each flat input, found by the graph's name or by the argument's.

    Constants need not be in the file.
    """
    if "" in arrays:
        wanted = [i for i in inputs if i.type != "constant"]
        if len(wanted) != 1:
            names = ", ".join(i.name for i in wanted)
            raise UsageError(
                f"{path}: a .npy file holds one array, but the program takes {len(wanted)} "
                f"({names}); use a .npz file with these names"
            )
        arrays = {wanted[0].name: arrays[""]}
    values = []
    missing = []
    for spec in inputs:
        array = arrays.get(spec.name, arrays.get(spec.path))
        if array is not None:
            values.append(_value(spec, array))
        elif spec.type == "constant":
            values.append(spec.literal)
        else:
            missing.append(f"'{spec.name}' ({spec.expected})")
    if missing:
        raise CommandError(
            f"{path}: no array for input {', '.join(missing)}; it has "
            + (", ".join(f"'{name}'" for name in arrays) or "nothing")
        )
    return values


def _value(spec: ProgramInput, array: Array) -> Any:
    if not spec.is_tensor:
        if array.ndim:
            raise CommandError(f"input '{spec.name}': expected {spec.expected}, got {array.shape}")
        return array.item()
    if spec.dtype is _C.bfloat16 and array.dtype == np.float32:
        return _C.call_op("aten._to_copy.default", array, dtype=_C.bfloat16)
    return array


def to_array(output: Any) -> Array:
    """An output as an array that a file can hold: bfloat16, unknown to NumPy, as float32."""
    if isinstance(output, _C.Tensor):
        if output.dtype is _C.bfloat16:
            output = _C.call_op("aten._to_copy.default", output, dtype=_C.float32)
        array: Array = output.numpy()
        return array
    return np.asarray(output)


def describe(name: str, value: Any) -> dict[str, Any]:
    """Name, dtype and shape for a report; None for what is no array."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return {"name": name, "dtype": None, "shape": None}
    return {"name": name, "dtype": dtype.name, "shape": list(value.shape)}


def check_output_name(path: str) -> None:
    """Refuses names of other formats, before any work is done."""
    if Path(path).suffix not in (".npz", ".npy"):
        raise UsageError(f"--output: expected a name ending in .npz or .npy, got {path}")


def write_arrays(path: str, arrays: Mapping[str, Array]) -> None:
    """Writes ``.npz``, or ``.npy`` if there is one array; the file is whole or absent."""
    target = Path(path)
    if target.suffix == ".npy" and len(arrays) != 1:
        raise UsageError(f"--output: a .npy file holds one array, the program gives {len(arrays)}")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            if target.suffix == ".npy":
                np.save(file, next(iter(arrays.values())))
            else:
                named: dict[str, Any] = dict(arrays)
                np.savez(file, **named)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
