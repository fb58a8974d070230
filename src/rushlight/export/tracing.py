"""From a function on lazy tensors to a program."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rushlight import _C
from rushlight.export.exported_program import ExportedProgram
from rushlight.lazy.compiled import CompiledFunction, NotReplayableError, capture
from rushlight.lazy.guards import Guards
from rushlight.utils.pytree import (
    keystr,
    tree_flatten,
    tree_leaves_with_path,
    tree_map,
    tree_structure,
    treespec_dumps,
)

Leaf = tuple[str, int, Any]


def export(
    mod: Callable[..., Any] | ExportedProgram,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: Sequence[str] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """Records ``mod(*args, **kwargs)`` and gives what was recorded as a program.

    Nothing is computed, and nothing that the function writes is written. Tensors among the
    arguments become inputs, named after the function's parameters; numbers, strings and None are
    fixed. Tensors from outside become part of the program: floating-point attributes of the
    object whose method `mod` is as parameters, those that the function writes as buffers, others as
    constants. Inputs are taken as contiguous.

    Args:
        mod: a function, a method, an object with ``__call__``, or a program, which is returned.
        args, kwargs: example arguments, nested as they like.
        dynamic_shapes: only None, or None for every argument: sizes are those of the examples.
        strict, preserve_module_call_signature, prefer_deferred_runtime_asserts_over_guards:
            as in PyTorch; they change nothing.

    Raises:
        NotReplayableError: the function does what a program cannot do again, such as reading a
            value; names the line.
        TypeError: the arguments do not fit the function; one is of a type that files can't hold.
        NotImplementedError: sizes that are to stay open.

    Example:
        >>> import rushlight as torch, rushlight.export
        >>> program = torch.export.export(lambda x: x * 2 + 1, (torch.ones(3),))
        >>> program.module()(torch.ones(3)).tolist()
        [3.0, 3.0, 3.0]
    """
    if isinstance(mod, ExportedProgram):
        return mod
    if not isinstance(args, tuple):
        raise TypeError(f"export(): args: expected a tuple, got {type(args).__name__}")
    if any(leaf is not None for leaf in tree_flatten(dynamic_shapes)[0]):
        raise NotImplementedError(
            "export(): dynamic_shapes: a recorded program holds the sizes of its examples; "
            "export it once for each size"
        )
    fn = mod._fn if isinstance(mod, CompiledFunction) else mod
    named = dict(kwargs or {})
    names = _parameter_names(fn, args, named)
    guards = Guards([fn])
    earlier, _, _ = capture(fn, *_copies(args, named), run=False)
    program, leaves, treespec = capture(fn, *_copies(args, named), run=False)
    if difference := program.confirm(earlier):
        raise NotReplayableError(f"export(): {difference}")
    inputs = list(_inputs(names, (*args, *named.values())))
    taken = {name for name, _, _ in inputs}
    return ExportedProgram(
        program.export_program(
            inputs,
            list(_flat("output", leaves)),
            _captured(program, guards, taken),
            treespec_dumps(tree_structure((args, named))),
            treespec_dumps(treespec),
            names[: len(args)],
        )
    )


def _copies(args: Any, kwargs: Any) -> Any:
    """Contiguous tensors that nobody else has: what is recorded is about these."""

    def copy(leaf: Any) -> Any:
        if not isinstance(leaf, _C.Tensor):
            return leaf
        return leaf.clone().contiguous() if not leaf.is_contiguous() else leaf.clone()

    return tree_map(copy, args), tree_map(copy, kwargs)


def _parameter_names(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[str]:
    """A name for each argument, positional ones first."""
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except ValueError:  # a function without a signature
        return [*(f"arg_{i}" for i in range(len(args))), *kwargs]
    names: list[str] = []
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name not in bound.arguments or parameter.name in kwargs:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}_{i}" for i in range(len(args) - len(names))]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            names.append(parameter.name)
    return [*names[: len(args)], *kwargs]


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_") or "_"


def _unique(name: str, taken: set[str]) -> str:
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def _inputs(names: Sequence[str], values: Sequence[Any]) -> Iterator[Leaf]:
    taken: set[str] = set()
    tensors = 0
    for name, value in zip(names, values, strict=True):
        for path, leaf in tree_leaves_with_path(value):
            text = _unique(_identifier(name + keystr(path)), taken)
            if isinstance(leaf, _C.Tensor):
                yield text, tensors, None
                tensors += 1
            else:
                yield text, -1, leaf


def _flat(name: str, leaves: Sequence[Any]) -> Iterator[Leaf]:
    tensors = 0
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, _C.Tensor):
            yield f"{name}_{i}", tensors, None
            tensors += 1
        else:
            yield f"{name}_{i}", -1, leaf


def _captured(
    program: _C.LazyProgram, guards: Guards, taken: set[str]
) -> list[tuple[str, str, str]]:
    """Target, name and kind of each tensor from outside."""
    out = []
    targets: set[str] = set()
    written, outside = set(program.written), set(program.outside)
    for i, tensor in enumerate(program.captured):
        path = guards.tensors.get(_C.lazy_storage(tensor), "") if i in outside else ""
        own = path.startswith("self.")
        target = ".".join(_identifier(p) for p in path.split(".") if p not in ("", "self"))
        target = _unique(target or f"lifted_tensor_{i}", targets)
        if i in written:
            kind, prefix = "BUFFER", "b"
        elif own and tensor.is_floating_point():
            kind, prefix = "PARAMETER", "p"
        else:
            kind, prefix = "CONSTANT_TENSOR", "c"
        out.append((target, _unique(f"{prefix}_{_identifier(target)}", taken), kind))
    return out
