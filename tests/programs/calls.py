"""A program: a list of calls over numbered variables, which can be run and printed as Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "add": ("+", operator.add), "sub": ("-", operator.sub), "mul": ("*", operator.mul),
    "truediv": ("/", operator.truediv), "floordiv": ("//", operator.floordiv),
    "mod": ("%", operator.mod), "pow": ("**", operator.pow), "matmul": ("@", operator.matmul),
    "and": ("&", operator.and_), "or": ("|", operator.or_), "xor": ("^", operator.xor),
    "lt": ("<", operator.lt), "le": ("<=", operator.le), "gt": (">", operator.gt),
    "ge": (">=", operator.ge), "eq": ("==", operator.eq), "ne": ("!=", operator.ne),
    "iadd": ("+=", operator.iadd), "isub": ("-=", operator.isub), "imul": ("*=", operator.imul),
    "itruediv": ("/=", operator.itruediv), "iand": ("&=", operator.iand),
    "ior": ("|=", operator.ior), "ixor": ("^=", operator.ixor),
}  # fmt: skip


@dataclass(frozen=True)
class Var:
    """A tensor that an earlier call made."""

    number: int

    def __repr__(self) -> str:
        return f"v{self.number}"


@dataclass(frozen=True)
class DType:
    """A dtype of whichever library runs the program."""

    name: str

    def __repr__(self) -> str:
        return f"torch.{self.name}"


@dataclass(frozen=True)
class Call:
    """``targets = function(*args, **kwargs)``.

    ``function`` is ``torch.NAME`` (a function of the library), ``.NAME`` (a method of the first
    argument), ``getitem`` or ``setitem``, an operator's name (`OPERATORS`), ``read`` (the values
    are looked at now) or ``del``. A call with several results has as many targets. ``raises``: an
    error is what the generator saw.
    """

    function: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[int, ...] = ()
    raises: bool = False

    def variables(self) -> Iterator[int]:
        yield from _variables((self.args, tuple(self.kwargs.values())))

    def run(self, library: Any, values: Mapping[int, Any]) -> Any:
        args = _filled(self.args, library, values)
        kwargs = {name: _filled(value, library, values) for name, value in self.kwargs.items()}
        if self.function == "getitem":
            return args[0][args[1]]
        if self.function == "setitem":
            args[0][args[1]] = args[2]
            return None
        if self.function in OPERATORS:
            return OPERATORS[self.function][1](*args)
        if self.function.startswith("."):
            return getattr(args[0], self.function[1:])(*args[1:], **kwargs)
        return function_of(library, self.function)(*args, **kwargs)

    def source(self) -> str:
        """The call as a line of Python."""
        text = self._expression()
        if self.raises:
            return f"try:\n    {text}\nexcept Exception as error:\n    print(repr(error))"
        if self.function in ("setitem", "del", "read") or not self.targets:
            return text
        return f"{', '.join(f'v{n}' for n in self.targets)} = {text}"

    def _expression(self) -> str:
        args = [_text(a) for a in self.args]
        if self.function == "read":
            return f"print({args[0]})"
        if self.function == "del":
            return f"del {args[0]}"
        if self.function in ("getitem", "setitem"):
            item = f"{args[0]}[{_index_text(self.args[1])}]"
            return item if self.function == "getitem" else f"{item} = {args[2]}"
        if self.function in OPERATORS:
            return f"{args[0]} {OPERATORS[self.function][0]} {args[1]}"
        named = [f"{name}={_text(value)}" for name, value in self.kwargs.items()]
        if self.function.startswith("."):
            return f"{args[0]}{self.function}({', '.join(args[1:] + named)})"
        return f"{self.function}({', '.join(args + named)})"


Program = list[Call]


def function_of(library: Any, name: str) -> Any:
    """``torch.linalg.norm`` of whichever library."""
    found = library
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def script(program: Program, library: str = "rushlight") -> str:
    """A stand-alone script that runs a program and prints what is left."""
    live: list[int] = []
    for call in program:
        live += [n for n in call.targets if n not in live]
        if call.function == "del":
            live.remove(call.args[0].number)
    lines = [f"import {library} as torch" if library != "torch" else "import torch", ""]
    lines += [call.source() for call in program]
    lines += [f"print('v{n}', v{n}.dtype, tuple(v{n}.shape), v{n}.stride(), v{n})" for n in live]
    return "\n".join(lines)


def _variables(value: Any) -> Iterator[int]:
    if isinstance(value, Var):
        yield value.number
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _variables(part)


def _filled(value: Any, library: Any, values: Mapping[int, Any]) -> Any:
    if isinstance(value, Var):
        return values[value.number]
    if isinstance(value, DType):
        return getattr(library, value.name)
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(part, library, values) for part in value)
    return value


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _index_text(index: Any) -> str:
    if isinstance(index, tuple) and index:
        return ", ".join(map(_index_text, index)) + ("," if len(index) == 1 else "")
    if isinstance(index, slice):
        parts = ["" if p is None else str(p) for p in (index.start, index.stop, index.step)]
        return ":".join(parts if parts[2] else parts[:2])
    return "..." if index is Ellipsis else _text(index)
