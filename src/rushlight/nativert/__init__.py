"""Running exported programs: ``rushlight.nativert.ModelRunner("model.pt2").run(x)``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, Any

from rushlight import _C
from rushlight.export.calling import CallingConvention
from rushlight.export.exported_program import ExportedProgram, open_program

from .arrays import converter


class ModelRunner:
    """Runs a program on the CPU.

    Args:
        model: path of a ``.pt2`` file, an open file, or what ``rushlight.export.load`` gave.
        num_threads: threads that one call may use; None takes ``rushlight.get_num_threads()``.
        allowed_types: as for ``rushlight.export.load``.

    One runner may be called from many threads at once: weights are shared, each call has memory
    of its own. Buffers that the program writes keep their value from call to call.

    Raises:
        ValueError: `num_threads` is below 1.
        RuntimeError, NotImplementedError, OSError: as for ``rushlight.export.load``.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | IO[bytes] | ExportedProgram,
        num_threads: int | None = None,
        *,
        allowed_types: Iterable[type | str] = (),
    ) -> None:
        if num_threads is not None and num_threads < 1:
            raise ValueError(f"num_threads: expected 1 or more, got {num_threads}")
        if isinstance(model, ExportedProgram):
            self._program = model._program
            self._convention = model.calling_convention
        else:
            self._program = open_program(model)
            self._convention = CallingConvention(self._program, allowed_types)
        self._runner = _C.ModelRunner(self._program, num_threads or 0)
        self._flatten = self._convention.flatten
        self._unflatten = self._convention.unflatten
        self._run = self._runner.run

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on the arguments of the original ``forward``.

        Tensors may be NumPy arrays, :class:`rushlight.Tensor`, or anything with ``__dlpack__``;
        results are nested as ``forward`` returned them, and are arrays of the library that the
        first array among the arguments comes from (a bfloat16 result stays a
        :class:`rushlight.Tensor` where NumPy would be that library).

        Raises:
            TypeError: arguments missing, unknown, or of another dtype or kind than at export.
            ValueError: sizes that the program does not take, or another nesting.
        """
        flat = self._flatten(args, kwargs)
        outputs = self._run(flat)
        convert = converter(flat)
        if convert is not None:
            outputs = [convert(o) if isinstance(o, _C.Tensor) else o for o in outputs]
        return self._unflatten(outputs)

    __call__ = run

    def run_flat(self, inputs: Sequence[Any]) -> list[Any]:
        """Runs on the flat inputs in the graph's order; gives the flat outputs, as tensors."""
        return self._run(inputs)

    def memory_plan(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """What is planned for these flat inputs: steps by kind, fused operators, arena bytes."""
        return self._runner.plan_report(inputs)

    def weight(self, name: str) -> _C.Tensor:
        """A parameter, buffer or constant, as it is now."""
        return self._runner.weight(name)

    @property
    def input_names(self) -> list[str]:
        """The graph's names of the flat inputs."""
        return self._convention.flat_names

    @property
    def argument_names(self) -> list[str]:
        """The parameters of ``forward`` that the program takes."""
        return self._convention.argument_names


__all__ = ["ModelRunner"]
