"""A program that ``torch.export.save`` wrote, opened."""

from __future__ import annotations

import io
import math
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rushlight import _C

from .calling import CallingConvention
from .graph import Graph, read_graph
from .graph_signature import ExportGraphSignature, InputKind, read_signature

if TYPE_CHECKING:
    from rushlight.reference.arrays import Array


class ValueRange(NamedTuple):
    """Inclusive bounds of a symbolic number; each may be infinite."""

    lower: float
    upper: float


class ExportedProgram:
    """The graph of a program, what its inputs and outputs stand for, and its weights.

    Weights are mapped from the file: a page is read when something looks at it.
    """

    def __init__(self, program: _C.Program, allowed_types: Iterable[type | str] = ()) -> None:
        self._program = program
        self._graph = read_graph(program.graph)
        self._signature = read_signature(
            program.input_specs, program.output_specs, self._graph.values
        )
        self.calling_convention = CallingConvention(program, allowed_types)

    @property
    def graph(self) -> Graph:
        """The operators, without in-place ones: these became values while loading."""
        return self._graph

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """What each input and output of the graph stands for."""
        return self._signature

    @property
    def state_dict(self) -> dict[str, _C.Tensor]:
        """Parameters and persistent buffers by qualified name."""
        weights = self._program.weights
        return {
            s.target: weights[s.target]
            for s in self._signature.input_specs
            if s.target
            and (
                s.kind is InputKind.PARAMETER
                or (s.kind is InputKind.BUFFER and s.persistent is not False)
            )
        }

    @property
    def constants(self) -> dict[str, _C.Tensor]:
        """Lifted tensors and non-persistent buffers by qualified name."""
        weights = self._program.weights
        kept = self.state_dict
        return {
            s.target: weights[s.target]
            for s in self._signature.input_specs
            if s.target and s.target not in kept
        }

    @property
    def range_constraints(self) -> dict[str, ValueRange]:
        """Bounds of the symbolic sizes, by symbol or expression."""
        return {
            text: ValueRange(
                -math.inf if low <= -(2**63) else low, math.inf if high >= 2**63 - 1 else high
            )
            for text, (low, high) in self._program.ranges.items()
        }

    @property
    def bound_inputs(self) -> dict[str, Array]:
        """NumPy arrays of everything the program brings along, by the graph's name for it."""
        from rushlight.reference.arrays import cast

        weights = self._program.weights
        arrays = {}
        for spec in self._signature.input_specs:
            if spec.target is None:
                continue
            tensor = weights[spec.target]
            if tensor.dtype is _C.bfloat16:
                wide = _C.call_op("aten._to_copy.default", tensor, dtype=_C.float32)
                arrays[spec.arg.name] = cast(wide.numpy(), "bfloat16")
            else:
                arrays[spec.arg.name] = tensor.numpy()
        return arrays

    @property
    def example_inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The arguments and keyword arguments of the call that was exported, if the file has them.

        Only tensors and plain containers are unpickled; :func:`rushlight.load` says what is.
        """
        from rushlight.serialization import load as load_pickled

        contents = self._program.sample_inputs
        return load_pickled(io.BytesIO(contents)) if contents else None

    def named_parameters(self) -> Iterator[tuple[str, _C.Tensor]]:
        """Names and tensors of the parameters."""
        weights = self._program.weights
        return ((name, weights[name]) for name in self._signature.parameters)

    def parameters(self) -> Iterator[_C.Tensor]:
        """The parameters."""
        return (tensor for _, tensor in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, _C.Tensor]]:
        """Names and tensors of the buffers."""
        weights = self._program.weights
        return ((name, weights[name]) for name in self._signature.buffers)

    def buffers(self) -> Iterator[_C.Tensor]:
        """The buffers."""
        return (tensor for _, tensor in self.named_buffers())

    def module(self) -> ExportedModule:
        """The program as a function of its original arguments, with buffers of its own."""
        return ExportedModule(self._program, self.calling_convention)

    def __repr__(self) -> str:
        constraints = ", ".join(
            f"{k} in [{r.lower}, {r.upper}]" for k, r in self.range_constraints.items()
        )
        return f"ExportedProgram:\n{self._graph}\n{self._signature!r}\nrange_constraints: " + (
            constraints or "none"
        )


class ExportedModule:
    """Calls a program with the arguments, and returns the nesting, that ``forward`` had.

    Buffers that the program writes keep their value from call to call. May be called from many
    threads at once.
    """

    def __init__(self, program: _C.Program, convention: CallingConvention) -> None:
        self._runner = _C.ModelRunner(program, 0)
        self._convention = convention
        self._state = [s[2] for s in program.input_specs if s[0] in ("PARAMETER", "BUFFER")]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program; tensors of any library go in, :class:`rushlight.Tensor` come out."""
        outputs = self._runner.run(self._convention.flatten(args, kwargs))
        return self._convention.unflatten(outputs)

    __call__ = forward

    def state_dict(self) -> dict[str, _C.Tensor]:
        """Parameters and buffers as they are now."""
        return {name: self._runner.weight(name) for name in self._state}


def load(
    f: str | os.PathLike[str] | IO[bytes],
    *,
    allowed_types: Iterable[type | str] = (),
    extra_files: MutableMapping[str, Any] | None = None,
    expected_opset_version: Mapping[str, int] | None = None,
    model: str | None = None,
) -> ExportedProgram:
    """Opens a ``.pt2`` file, by :func:`save` or ``torch.export.save`` of PyTorch 2.6 or newer.

    Args:
        f: a path, or an object with ``read``.
        allowed_types: containers that the file may bring back as their real class, such as
            ``transformers.modeling_outputs.MaskedLMOutput``: classes, or full names to import. Any
            other container that the file names becomes a :class:`NamedOutputs`. Nothing is
            imported because a file asks for it.
        extra_files: receives the further contents of the archive, by name.
        expected_opset_version: versions of operator sets that the program must have.
        model: which of several programs in the archive (see :func:`model_names`). Default: the
            only one, or the one called ``"model"``.

    Raises:
        RuntimeError, ValueError: the file is damaged or of a newer version; the message names the
            part.
        NotImplementedError: operators without a kernel, all of them in one message; a package of
            compiled code (AOTInductor).
        OSError: the file can't be read.
    """
    with _as_path(f) as path:
        program = _C.load_program(path, model=model or "")
        for name, version in (expected_opset_version or {}).items():
            found = program.opset_version.get(name)
            if found != version:
                raise RuntimeError(
                    f"{path}: operator set '{name}': expected version {version}, "
                    f"the program has {'none' if found is None else found}"
                )
        if extra_files is not None:
            extra_files.update(_extra_files(path))
    return ExportedProgram(program, allowed_types)


def model_names(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The names of the programs in an archive."""
    with _as_path(f) as path:
        return _C.model_names(path)


def open_program(
    f: str | os.PathLike[str] | IO[bytes], *, allow_missing: bool = False, model: str | None = None
) -> _C.Program:
    """The engine's program from a path or an open file."""
    with _as_path(f) as path:
        return _C.load_program(path, allow_missing, model or "")


@contextmanager
def _as_path(f: str | os.PathLike[str] | IO[bytes]) -> Iterator[str]:
    if isinstance(f, (str, os.PathLike)):
        yield os.fspath(f)
        return
    if not hasattr(f, "read"):
        raise TypeError(f"load(): expected a path or a file, got {type(f).__name__}")
    # The engine maps files: give it one, which may vanish once it is mapped.
    with tempfile.NamedTemporaryFile(suffix=".pt2") as copy:
        while chunk := f.read(1 << 20):
            copy.write(chunk)
        copy.flush()
        yield copy.name


def _extra_files(path: str) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        found = {}
        for entry in archive.namelist():
            # data in an archive: FOLDER/extra/NAME; PyTorch 2.6 and 2.7: extra_files/NAME
            _, old, name = entry.partition("extra_files/")
            if not old:
                _, new, name = entry.partition("/extra/")
                if not new:
                    continue
            found[name] = archive.read(entry).decode("utf-8")
        return found
