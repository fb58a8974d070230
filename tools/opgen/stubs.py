"""Type stubs of the Python functions and methods that the op table provides."""

from __future__ import annotations

import ast
import keyword
from collections import defaultdict
from pathlib import Path

from .faces import faces
from .schema import Argument, Schema
from .table import Row, load_table

_BASE = {
    "Tensor": "Tensor",
    "Int": "builtins.int",
    "Float": "builtins.float",
    "Bool": "builtins.bool",
    "Number": "Number",
    "Str": "str",
    "DType": "_dtype",
    "MemoryFormat": "_memory_format",
    "Device": "str | _device",
    "Layout": "_layout",
    "Generator": "_Generator",
}
_NUMBERS_AS_TENSORS = frozenset(
    ["add", "sub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide"]
)


def _annotation(argument: Argument) -> str:
    kind = argument.type
    text = _BASE[kind.base]
    if kind.is_list:
        item = f"{text} | None" if kind.optional_elements else text
        text = f"Sequence[{item}]"
        if kind.base == "Int" and kind.list_size:
            text = f"builtins.int | {text}"
    return f"{text} | None" if kind.optional else text


def _default(argument: Argument) -> str:
    text = argument.default
    if text is None:
        return ""
    known = {"None": "None", "True": "True", "False": "False"}
    if text in known:
        return f" = {known[text]}"
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return " = ..."
    return " = ..." if isinstance(value, list) else f" = {value!r}"


def _returns(schema: Schema, in_place: bool) -> str:
    if not schema.returns:
        return "None"
    if len(schema.returns) == 1:
        kind = schema.returns[0]
        if kind.is_list:
            return "tuple[Tensor, ...]"
        return {"Int": "builtins.int", "Bool": "builtins.bool", "Number": "Number"}.get(
            kind.base, "Tensor"
        )
    if all(schema.return_names):
        return f"return_types.{schema.name}"
    return "tuple[" + ", ".join("Tensor" for _ in schema.returns) + "]"


def _variants(name: str, row: Row, method: bool) -> list[str]:
    """Parameter lists and return types of one overload."""
    schema = row.schema
    parameters: list[str] = []
    star = False
    arguments = schema.arguments[1:] if method else schema.arguments
    for argument in arguments:
        if argument.keyword_only and not star:
            parameters.append("*")
            star = True
        label = "input" if argument.name == "self" else argument.name
        if keyword.iskeyword(label):  # uniform_(from=…): by position only
            label = f"{label}_"
        annotation = _annotation(argument)
        if name.rstrip("_") in _NUMBERS_AS_TENSORS and annotation == "Tensor" and not method:
            annotation = "Tensor | Number"
        parameters.append(f"{label}: {annotation}{_default(argument)}")
    extra = []
    if any(a.type.base == "Device" for a in arguments):
        extra.append("requires_grad: builtins.bool = False")
    if not method and row.kind not in ("inplace", "view", "scalar", "check"):
        many = len(schema.returns) > 1 or (schema.returns and schema.returns[0].is_list)
        extra.append(f"out: {'Sequence[Tensor]' if many else 'Tensor'} | None = None")
    if extra and not star:
        extra.insert(0, "*")
    returns = _returns(schema, row.kind == "inplace")
    head = ["self"] if method else []
    out = [f"({', '.join([*head, *parameters, *extra])}) -> {returns}"]
    positional = [a for a in arguments if not a.keyword_only]
    if len(positional) == 1 and positional[0].type.is_list and positional[0].type.base == "Int":
        rest = [p for p in [*parameters[1:], *extra] if p != "*"]
        label = parameters[0].partition(":")[0]
        out.append(f"({', '.join([*head, f'*{label}: builtins.int', *rest])}) -> {returns}")
    return out


def _parameters(variant: str) -> dict[str, tuple[frozenset[str], bool]]:
    """Name -> (the types of the union, whether it has a default)."""
    function = ast.parse(f"def f{variant}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    a = function.args
    found: dict[str, tuple[frozenset[str], bool]] = {}
    defaults = [None] * (len(a.args) - len(a.defaults)) + list(a.defaults)
    if a.vararg:
        found["*" + a.vararg.arg] = (frozenset(), True)
    for argument, default in [
        *zip(a.args, defaults, strict=True),
        *zip(a.kwonlyargs, a.kw_defaults, strict=True),
    ]:
        text = ast.unparse(argument.annotation) if argument.annotation else ""
        found[argument.arg] = (frozenset(text.split(" | ")), default is not None)
    return found


def _covers(first: str, second: str) -> bool:
    """Whether the first overload takes every call that the second one takes."""
    if first.partition(" -> ")[2] != second.partition(" -> ")[2]:
        return False
    a, b = _parameters(first), _parameters(second)
    if any(name not in b for name, (_, optional) in a.items() if not optional):
        return False
    if any(name.startswith("*") for name in {*a, *b}):
        return False
    shared = [name for name in a if name in b]
    return shared == list(b) and all(
        b[name][0] <= a[name][0] and (a[name][1] or not b[name][1]) for name in b
    )


def _definitions(name: str, rows: list[Row], method: bool, indent: str) -> str:
    ordered = sorted(
        rows,
        key=lambda r: (
            -sum(a.type.base == "Tensor" and not a.type.is_list for a in r.schema.arguments)
        ),
    )
    variants = list(dict.fromkeys(v for row in ordered for v in _variants(name, row, method)))
    variants = [v for i, v in enumerate(variants) if not any(_covers(w, v) for w in variants[:i])]
    if len(variants) == 1:
        return f"{indent}def {name}{variants[0]}: ...\n"
    return "".join(f"{indent}@overload\n{indent}def {name}{v}: ...\n" for v in variants)


def _by_name(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.schema.namespace == "aten":
            found[f"aten.{row.schema.name}"].append(row)
    return found


def definitions(ops: Path, place: str, skip: frozenset[str] = frozenset()) -> str:
    """The functions of a module (or, for "Tensor", the methods)."""
    rows = load_table(ops)
    by_name = _by_name(rows)
    method = place == "Tensor"
    text = ""
    for face in faces(rows):
        if face.place != place or face.name in skip:
            continue
        overloads = [
            r
            for r in by_name[face.op]
            if not method
            or (
                r.schema.arguments
                and r.schema.arguments[0].name == "self"
                and r.schema.arguments[0].type.base == "Tensor"
            )
        ]
        text += _definitions(face.name, overloads, method, "    " if method else "")
    return text


def named_tuples(ops: Path) -> str:
    """The classes of ``rushlight.return_types``."""
    fields: dict[str, tuple[str, ...]] = {}
    for row in load_table(ops):
        schema = row.schema
        if len(schema.returns) > 1 and all(schema.return_names) and schema.namespace == "aten":
            fields.setdefault(schema.name, schema.return_names)
    return "\n".join(
        f"class {name}(NamedTuple):\n" + "".join(f"    {f}: Tensor\n" for f in of)
        for name, of in sorted(fields.items())
        if not name.startswith("_")
    )
