"""Parses ATen schema strings, such as ``add.Tensor(Tensor self, *, Scalar alpha=1) -> Tensor``.

The grammar is the one of PyTorch's ``native_functions.yaml`` (aten/src/ATen/native/README.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

BASE_TYPES = {
    "Tensor": "Tensor",
    "int": "Int",
    "SymInt": "Int",
    "float": "Float",
    "SymFloat": "Float",
    "bool": "Bool",
    "SymBool": "Bool",
    "Scalar": "Number",
    "str": "Str",
    "ScalarType": "DType",
    "MemoryFormat": "MemoryFormat",
    "Device": "Device",
    "Layout": "Layout",
    "Generator": "Generator",
}


class SchemaError(ValueError):
    """A schema string that cannot be parsed; the message quotes it."""


@dataclass(frozen=True)
class Type:
    base: str  # a value of BASE_TYPES
    is_list: bool = False
    list_size: int = 0
    optional: bool = False
    optional_elements: bool = False
    alias: str = ""  # "a", "a!" or ""


@dataclass(frozen=True)
class Argument:
    name: str
    type: Type
    default: str | None = None
    keyword_only: bool = False

    @property
    def written(self) -> bool:
        return "!" in self.type.alias


@dataclass(frozen=True)
class Schema:
    text: str
    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Type, ...]
    return_names: tuple[str, ...] = field(default=())

    @property
    def full_name(self) -> str:
        """``aten.add.Tensor``; the default overload is spelt out."""
        if self.namespace in ("_operator", "torch", "math"):
            return f"{self.namespace}.{self.name}"
        return f"{self.namespace}.{self.name}.{self.overload or 'default'}"


_TYPE = re.compile(
    r"^(?P<base>\w+)(?:\((?P<alias>[\w!|* >-]+)\))?(?P<opt1>\?)?"
    r"(?P<list>\[(?P<size>\d*)\])?(?:\((?P<alias2>[\w!]+)\))?(?P<opt2>\?)?$"
)


def parse_type(text: str) -> Type:
    match = _TYPE.match(text)
    if not match or match["base"] not in BASE_TYPES:
        raise SchemaError(f"unknown type '{text}'")
    is_list = match["list"] is not None
    optional = bool(match["opt2"]) or (bool(match["opt1"]) and not is_list)
    return Type(
        base=BASE_TYPES[match["base"]],
        is_list=is_list,
        list_size=int(match["size"] or 0) if is_list else 0,
        optional=optional,
        optional_elements=is_list and bool(match["opt1"]),
        alias=match["alias"] or match["alias2"] or "",
    )


def _split(text: str) -> list[str]:
    """Splits at commas outside brackets and quotes."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c in "\"'":
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def parse_schema(text: str) -> Schema:
    match = re.match(r"^(?:([\w]+)::)?(\w+)(?:\.(\w+))?\((.*)\)\s*->\s*(.+)$", text.strip())
    if not match:
        raise SchemaError(f"cannot parse schema '{text}'")
    namespace, name, overload, arguments_text, returns_text = match.groups()
    arguments: list[Argument] = []
    keyword_only = False
    for part in _split(arguments_text):
        if part == "*":
            keyword_only = True
            continue
        found = re.match(r"^(\S+(?:\([^)]*\))?\S*)\s+(\w+)(?:=(.*))?$", part)
        if not found:
            raise SchemaError(f"cannot parse argument '{part}' of '{text}'")
        type_text, argument_name, default = found.groups()
        arguments.append(Argument(argument_name, parse_type(type_text), default, keyword_only))
    returns_text = returns_text.strip()
    returns: list[Type] = []
    names: list[str] = []
    if returns_text.startswith("("):
        returns_text = returns_text[1:-1]
    for part in _split(returns_text):
        type_text, _, return_name = part.partition(" ")
        returns.append(parse_type(type_text))
        names.append(return_name.strip())
    return Schema(
        text.strip(),
        namespace or "aten",
        name,
        overload or "",
        tuple(arguments),
        tuple(returns),
        tuple(names),
    )
