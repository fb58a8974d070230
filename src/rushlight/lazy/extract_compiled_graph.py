"""A function with its recorded program, for callers that know when it may be used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from rushlight import _C
from rushlight.lazy import metrics
from rushlight.lazy.compiled import NotReplayableError, capture

debug = False


def get_fallback_ops() -> list[str]:
    """``"aten::name=count"`` for each operator that ran at the call since the last reset."""
    return [
        f"{name}={metrics.counter_value(name)}"
        for name in metrics.counter_names()
        if name.startswith("aten::")
    ]


def extract_compiled_graph(
    model: Callable[..., Any], example_inputs: Sequence[_C.Tensor]
) -> Callable[..., list[_C.Tensor]]:
    """Records ``model(*example_inputs)`` and returns a function that runs what was recorded.

    The function takes tensors of the same dtypes and sizes, writes those that the model writes, and
    gives a list of the model's results. Nothing is checked but the tensors: the caller knows that
    the model would do the same again. :func:`rushlight.lazy.compile` checks that itself.

    Raises:
        RuntimeError: the model does what cannot be recorded.
    """
    inputs = [x.clone() for x in example_inputs]
    try:
        program, results, _ = capture(model, inputs, {})
    except NotReplayableError as error:
        raise RuntimeError(
            f"Fail to extract the compiled graph because of fallback: {error}"
        ) from error
    if not all(isinstance(r, _C.Tensor) for r in results):
        raise RuntimeError(
            "extract_compiled_graph(): the model returns something else than tensors"
        )

    def optimized(*args: _C.Tensor) -> list[_C.Tensor]:
        out = program.run(args)
        if out is None:
            raise RuntimeError(
                "the tensors differ in number, dtype, sizes, strides or overlap from the examples"
            )
        return out

    return optimized


class _Callable(ModuleType):
    """The module is called like the function, whose name `rushlight.lazy` has once."""

    def __call__(
        self, model: Callable[..., Any], example_inputs: Sequence[_C.Tensor]
    ) -> Callable[..., list[_C.Tensor]]:
        return extract_compiled_graph(model, example_inputs)


sys.modules[__name__].__class__ = _Callable
