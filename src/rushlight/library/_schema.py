"""Schemas from the annotations of Python functions."""

from __future__ import annotations

import functools
import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rushlight


def _base_types() -> dict[Any, str]:
    return {
        rushlight.Tensor: "Tensor",
        int: "SymInt",
        float: "float",
        bool: "bool",
        str: "str",
        rushlight.dtype: "ScalarType",
        rushlight.device: "Device",
    }


def _type_text(annotation: Any, base: dict[Any, str]) -> str | None:
    """The schema's word for an annotation, or None."""
    if annotation in base:
        return base[annotation]
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) and set(args) <= {int, float, bool}:
        return "Scalar"
    if origin in (typing.Union, types.UnionType) and type(None) in args:
        inner: Any = functools.reduce(operator.or_, (a for a in args if a is not type(None)))
        text = _type_text(inner, base)
        return None if text is None or text.endswith("?") else f"{text}?"
    if origin in (list, Sequence) and len(args) == 1:
        text = _type_text(args[0], base)
        return None if text is None or text.endswith("]") else f"{text}[]"
    return None


def _return_text(annotation: Any, base: dict[Any, str]) -> str | None:
    if annotation is None or annotation is type(None):
        return "()"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and args and args[-1] is not Ellipsis:
        parts = [_type_text(a, base) for a in args]
        if any(p is None for p in parts):
            return None
        return f"({', '.join(str(p) for p in parts)})"
    return _type_text(annotation, base)


def _default_text(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_default_text(v) for v in value) + "]"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    raise ValueError(f"a default value of type {type(value).__name__} can't stand in a schema")


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
) -> str:
    """The schema that a function's annotations say.

    Args:
        prototype_function: every parameter and the result are annotated with ``Tensor``, ``int``,
            ``float``, ``bool``, ``str``, ``int | float | bool`` (a Scalar), ``dtype``,
            ``device``, or lists, sequences and optionals of those; the result may be a tuple, or
            None.
        mutates_args: names of the tensors that the function writes into.
        op_name: put in front, if given.

    Raises:
        ValueError: an annotation is missing or has no place in a schema.

    >>> from rushlight import Tensor
    >>> def clip(x: Tensor, low: float, high: float | None = None) -> Tensor: ...
    >>> infer_schema(clip, mutates_args=(), op_name="mylib::clip")
    'mylib::clip(Tensor x, float low, float? high=None) -> Tensor'
    """
    if isinstance(mutates_args, str):
        raise ValueError(
            f"mutates_args: expected names of arguments that are written, got {mutates_args!r}"
        )
    written, base = set(mutates_args), _base_types()
    name = getattr(prototype_function, "__qualname__", repr(prototype_function))
    try:
        hints = typing.get_type_hints(prototype_function)
    except NameError as error:
        raise ValueError(f"{name}: an annotation can't be looked up: {error}") from error
    parts, keyword_only = [], False
    for index, p in enumerate(inspect.signature(prototype_function).parameters.values()):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise ValueError(f"{name}: *args and **kwargs have no place in a schema")
        if p.name not in hints:
            raise ValueError(f"{name}: parameter '{p.name}' has no annotation")
        text = _type_text(hints[p.name], base)
        if text is None:
            raise ValueError(
                f"{name}: parameter '{p.name}' is annotated {hints[p.name]}, which has no "
                "place in a schema; expected Tensor, int, float, bool, str, dtype, device, or "
                "lists and optionals of those"
            )
        if p.name in written:
            if not text.startswith("Tensor"):
                raise ValueError(f"{name}: parameter '{p.name}' is written but is no Tensor")
            text = text.replace("Tensor", f"Tensor(a{index}!)", 1)
            written.discard(p.name)
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        default = "" if p.default is p.empty else f"={_default_text(p.default)}"
        parts.append(f"{text} {p.name}{default}")
    if written:
        raise ValueError(f"{name}: mutates_args names no parameter: {', '.join(sorted(written))}")
    if "return" not in hints:
        raise ValueError(f"{name}: the result has no annotation")
    returns = _return_text(hints["return"], base)
    if returns is None:
        raise ValueError(f"{name}: a result annotated {hints['return']} has no place in a schema")
    return f"{op_name or ''}({', '.join(parts)}) -> {returns}"
