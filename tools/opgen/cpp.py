"""Writes the C++ side of the op table: declarations, trampolines and registration."""

from __future__ import annotations

from collections.abc import Iterable

from .schema import Argument
from .table import Row, TableError

IGNORED = ("Device", "Layout", "Generator")

_SCALAR_TYPES = {
    "Int": "int64_t",
    "Float": "double",
    "Bool": "bool",
    "Number": "Scalar",
    "Str": "std::string_view",
    "DType": "DType",
    "MemoryFormat": "MemoryFormat",
}
_LIST_TYPES = {"Tensor": "TensorList", "Int": "IntList", "Float": "FloatList", "Bool": "BoolList"}

KIND_NAMES = {
    "pointwise": "Pointwise",
    "view": "View",
    "reduction": "Kernel",
    "kernel": "Kernel",
    "dynamic": "Dynamic",
    "scalar": "Scalar",
    "check": "Check",
    "composite": "Composite",
    "inplace": "InPlace",
}

# dtype rule -> C++ expression; `self` is the first tensor argument.
DTYPE_RULES = {
    "none": "",
    "bool": "DType::Bool",
    "int64": "DType::Int64",
    "int32": "DType::Int32",
    "float32": "DType::Float32",
    "self": "rules::first(args)",
    "promote": "rules::promote(args)",
    "real": "real_type(rules::first(args))",
    "complex": "rules::to_complex(rules::first(args))",
    "real_float": "rules::to_float(real_type(rules::first(args)))",
    "truth": "rules::truth(args)",
    "float": "rules::to_float(rules::first(args))",
    "promote_float": "rules::to_float(rules::promote(args))",
    "sum": "rules::sum_dtype(args, {dtype})",
    "dtype_or_self": "rules::dtype_or(args, {dtype}, rules::first(args))",
    "dtype_or_float": "rules::dtype_or(args, {dtype}, DType::Float32)",
    "dtype_or_number": "rules::dtype_or_number(args, {dtype})",
}

# Shape rules that need no function of their own: C++ statements for `out`.
SHAPE_RULES = {
    "same_sizes": "{out}.set({out}.dtype, rules::first_sizes(args));",
    "scalar": "{out}.set({out}.dtype, {{}});",
}


def parameter_type(argument: Argument, tensor: str) -> str:
    """The C++ type a kernel or shape rule declares for an argument."""
    type_ = argument.type
    if type_.is_list:
        base = _LIST_TYPES[type_.base]
        return f"std::optional<{base}>" if type_.optional else base
    if type_.base == "Tensor":
        return f"const {tensor}*" if type_.optional else f"const {tensor}&"
    base = _SCALAR_TYPES[type_.base]
    return f"std::optional<{base}>" if type_.optional else base


def _unpack(argument: Argument, index: int) -> str:
    type_ = argument.type
    if type_.base == "Tensor" and not type_.is_list:
        kind = "const Tensor*" if type_.optional else "Tensor"
    else:
        kind = parameter_type(argument, "Tensor")
    return f"unpack<{kind}>::from(args[{index}])"


def _typed(row: Row) -> list[tuple[int, Argument]]:
    return [(i, a) for i, a in enumerate(row.schema.arguments) if a.type.base not in IGNORED]


def _returns_list(row: Row) -> bool:
    return bool(row.schema.returns) and row.schema.returns[0].is_list


def _parameters(row: Row, tensor: str) -> list[str]:
    return [f"{parameter_type(a, tensor)} {a.name}" for _, a in _typed(row)]


def shape_declaration(row: Row) -> str:
    outs = (
        ["std::vector<TensorMeta>& outs"]
        if _returns_list(row)
        else [f"TensorMeta& out{i}" for i in range(len(row.schema.returns))]
    )
    return f"void {row.shape}({', '.join(_parameters(row, 'TensorMeta') + outs)});"


def kernel_declaration(row: Row) -> str:
    name = row.kernel.removeprefix("portable::")
    parameters = _parameters(row, "Tensor")
    if row.kind == "scalar":
        return f"Argument {name}({', '.join(parameters)});"
    if row.kind == "check":
        return f"void {name}({', '.join(parameters)});"
    if _returns_list(row):
        parameters.append("std::span<Tensor* const> outs")
    else:
        parameters += [f"Tensor& out{i}" for i in range(len(row.schema.returns))]
    if row.epilogue:
        parameters.append("const Epilogue& epilogue")
    return f"void {name}({', '.join(parameters)});"


def _identifier(row: Row) -> str:
    return row.name.replace(".", "_")


def _dtype_statement(row: Row, rule: str, output: int) -> str:
    if rule not in DTYPE_RULES:
        raise TableError(f"{row.file}: {row.name}: unknown dtype rule '{rule}'")
    expression = DTYPE_RULES[rule]
    if not expression:
        return ""
    if "{dtype}" in expression:
        index = next((i for i, a in enumerate(row.schema.arguments) if a.name == "dtype"), -1)
        expression = expression.format(dtype=index)
    return f"  outs[{output}].dtype = {expression};\n"


def shape_trampoline(row: Row) -> str:
    calls = [_unpack(a, i) for i, a in _typed(row)]
    statements = ""
    if row.shape in SHAPE_RULES:
        for i, rule in enumerate(row.dtype[: len(row.schema.returns)]):
            statements += _dtype_statement(row, rule, i)
            statements += f"  {SHAPE_RULES[row.shape].format(out=f'outs[{i}]')}\n"
        return (
            f"void shape_{_identifier(row)}([[maybe_unused]] std::span<const Argument> args,\n"
            f"    std::vector<TensorMeta>& outs) {{\n{statements}}}\n"
        )
    if _returns_list(row):
        rule = DTYPE_RULES.get(row.dtype[0], "")
        statements = f"  outs.assign(1, {{}});\n  outs[0].dtype = {rule};\n" if rule else ""
        calls.append("outs")
    else:
        for i, rule in enumerate(row.dtype[: len(row.schema.returns)]):
            statements += _dtype_statement(row, rule, i)
        calls += [f"outs[{i}]" for i in range(len(row.schema.returns))]
    used = "args" in statements or any("args" in c for c in calls)
    head = "std::span<const Argument> args" if used else "std::span<const Argument>"
    return (
        f"void shape_{_identifier(row)}({head}, std::vector<TensorMeta>& outs) {{\n"
        f"{statements}  shape::{row.shape}({', '.join(calls)});\n}}\n"
    )


def kernel_trampoline(row: Row) -> str:
    calls = [_unpack(a, i) for i, a in _typed(row)]
    if row.kind == "scalar":
        return (
            f"Argument scalar_{_identifier(row)}(std::span<const Argument> args) {{\n"
            f"  return {row.kernel}({', '.join(calls)});\n}}\n"
        )
    if row.kind != "check":
        if _returns_list(row):
            calls.append("outs")
        else:
            calls += [f"*outs[{i}]" for i in range(len(row.schema.returns))]
    if row.epilogue:
        calls.append("epilogue")
    args = "args" if any("args[" in c for c in calls) else "/*args*/"
    outs = "outs" if any("outs" in c for c in calls) else "/*outs*/"
    epilogue = "epilogue" if row.epilogue else "/*epilogue*/"
    return (
        f"void kernel_{_identifier(row)}(std::span<const Argument> {args},\n"
        f"    std::span<Tensor* const> {outs}, const Epilogue& {epilogue}) {{\n"
        f"  {row.kernel}({', '.join(calls)});\n}}\n"
    )


def registration(row: Row) -> str:
    """One row as a braced ``OpRow``; the engine parses the schema text itself."""
    schema = row.schema
    text = schema.text.replace("\\", "\\\\").replace('"', '\\"')
    names = [a.name for a in schema.arguments]
    operands = [names.index(o) for o in row.operands] if row.kind == "pointwise" else []
    aliased = any(r.alias and "!" not in r.alias for r in schema.returns)
    flags = {
        "aliases": row.kind == "view" or aliased,
        "may_alias": row.kind != "view" and aliased,
        "random": row.random,
        "epilogue": row.epilogue,
    }
    has_shape = row.shape and row.kind in ("view", "reduction", "kernel")
    compute, result = _pointwise_rule(row) if row.kind == "pointwise" else ("Promote", "Same")
    decompose = row.decompose.replace('"', '\\"')
    fields = [
        f'"{row.name}"',
        f'"{text}"',
        f"OpKind::{KIND_NAMES[row.kind]}",
        f"shape_{_identifier(row)}" if has_shape else "nullptr",
        str(sum(1 << i for i in operands)),
        f"ComputeRule::{compute}",
        f"ResultRule::{result}",
        " | ".join(f"OpRow::{f}" for f, on in flags.items() if on) or "0",
        f'"{row.functional}"',
        f'"{decompose}"',
        f'"{row.training}"',
    ]
    return "{" + ", ".join(fields) + "}"


def _pointwise_rule(row: Row) -> tuple[str, str]:
    rules = {
        "promote": ("Promote", "Same"),
        "promote_float": ("PromoteFloat", "Same"),
        "promote_div": ("PromoteDiv", "Same"),
        "self": ("First", "Same"),
        "bool": ("Promote", "Bool"),
        "real": ("Promote", "Real"),
        "real_float": ("PromoteFloat", "Real"),
        "complex": ("Promote", "Complex"),
    }
    if row.dtype[0] not in rules:
        raise TableError(
            f"{row.file}: {row.name}: a pointwise operator cannot have dtype '{row.dtype[0]}'"
        )
    return rules[row.dtype[0]]


def unique(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(lines))
