"""Finds the reference function of an operator by its name.

Every function of the modules in `families` is an operator: ``aten.add.Tensor`` is ``add_Tensor``,
``aten.relu.default`` is ``relu_default``, ``_operator.mul`` is ``_operator_mul``. There is no other
list. An in-place twin (``aten.add_.Tensor``) is the functional operator and a copy into `self`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from . import families
from .arrays import Array, from_numpy

Function: TypeAlias = Callable[..., Any]

_NAMESPACES = ("_operator", "torch", "math", "builtins", "quantized_decomposed")
# Overload names with an underscore of their own; all others follow the last underscore.
_LONG_OVERLOADS = (
    "Tensor_mode", "Scalar_mode", "Tensor_Scalar", "Tensor_Tensor", "dim_IntList", "dim_int",
    "start_step", "using_ints", "int_Scalar", "int_Tensor", "no_stats", "memory_format",
    "dtype_layout", "self_int", "self_Tensor", "padding_idx", "str_ord", "value_reduce",
    "ScalarOpt_dim", "Scalar_Tensor", "Scalar_Other", "Scalar_Self",
)  # fmt: skip


@functools.cache
def _functions() -> dict[str, Function]:
    """Every operator by its function's name."""
    found: dict[str, Function] = {}
    for module_info in pkgutil.iter_modules(families.__path__):
        module = importlib.import_module(f"{families.__name__}.{module_info.name}")
        for name, function in vars(module).items():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                assert name not in found, f"{name} is defined twice"
                found[name] = function
    return found


def _function_name(operator: str) -> str:
    return operator.removeprefix("aten.").replace(".", "_")


def _operator_name(function: str) -> str:
    """The inverse of `_function_name`."""
    for namespace in _NAMESPACES:
        if function.startswith(f"{namespace}_"):
            name = function.removeprefix(f"{namespace}_")
            return f"{namespace}.{_dotted(name) if '_decomposed' in namespace else name}"
    return f"aten.{_dotted(function)}"


def _dotted(function: str) -> str:
    for overload in _LONG_OVERLOADS:
        if function.endswith(f"_{overload}"):
            return f"{function.removesuffix(f'_{overload}')}.{overload}"
    name, _, overload = function.rpartition("_")
    return f"{name}.{overload}"


def _in_place(function: Function) -> Function:
    """The twin that writes its result into `self` and returns it."""

    @functools.wraps(function)
    def twin(self: Array, *args: Any, **kwargs: Any) -> Array:
        result = function(self, *args, **kwargs)
        array: Array = np.asarray(result) if np.isscalar(result) else result
        if np.may_share_memory(array, self):  # unsqueeze_, detach_: only the view changes
            return array
        if array.shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape "
                f"{list(array.shape)}"
            )
        self[...] = array
        return self

    return twin


def lookup(operator: str) -> Function:
    """The function that computes an operator, given its full name ``aten.add.Tensor``.

    Raises:
        NotImplementedError: the reference has no such operator.
    """
    functions = _functions()
    name = _function_name(operator)
    if name in functions:
        return functions[name]
    parts = operator.split(".")
    if len(parts) == 3 and parts[1].endswith("_") and not parts[1].endswith("__"):
        functional = _function_name(f"{parts[0]}.{parts[1][:-1]}.{parts[2]}")
        if functional in functions:
            return _in_place(functions[functional])
    raise NotImplementedError(f"the reference interpreter has no operator '{operator}'")


def operators() -> list[str]:
    """The full names of all operators, in-place twins left out."""
    return sorted(_operator_name(name) for name in _functions())


def _as_arrays(result: Any) -> Any:
    """NumPy turns 0-d results into scalars; a tensor stays an array."""
    if isinstance(result, (np.generic, np.ndarray)):
        return from_numpy(result)
    if isinstance(result, (tuple, list)):
        return type(result)(_as_arrays(part) for part in result)
    return result


def call(operator: str, *args: Any, **kwargs: Any) -> Any:
    """Runs one operator on NumPy arrays and Python numbers.

    Division by zero, overflow and NaN are values here, as in PyTorch, never warnings.
    """
    function = lookup(operator)
    values = [_as_arrays(arg) for arg in args]
    named = {name: _as_arrays(arg) for name, arg in kwargs.items()}
    with np.errstate(all="ignore"):
        return _as_arrays(function(*values, **named))
