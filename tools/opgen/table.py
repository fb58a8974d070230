"""Reads and checks the rows of the op table."""

from __future__ import annotations

import dataclasses
import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .schema import Schema, SchemaError, parse_schema

KINDS = (
    "pointwise",
    "view",
    "reduction",
    "kernel",
    "dynamic",
    "scalar",
    "check",
    "composite",
    "inplace",
)

# Every key a row may have, with what it means. ARCHITECTURE.md explains how to add a row.
KEYS = {
    "op": "the ATen schema",
    "kind": f"one of {', '.join(KINDS)}",
    "shape": "name of the shape rule (csrc/ir/shape/)",
    "dtype": "dtype rule of the outputs, or a list with one per output",
    "kernel": "name of the C++ kernel (csrc/kernels/)",
    "operands": "pointwise: which arguments are operands (default: the tensors)",
    "inplace": "true when the in-place twin NAME_ exists too, or the twin's name and overload",
    "functional": "inplace: the operator that computes what is written; it returns what this one "
    "returns anew, then the written arguments",
    "training": "the operator that a call means when its argument train or training is true",
    "epilogue": "true when the kernel applies a fused pointwise tail",
    "random": "true when the result depends on the random state",
    "decompose": "composite: the same in terms of other operators",
    "gradient": "derivative of each differentiable argument",
    "onnx": "how the operator is written to ONNX",
    "xla": "how the operator is lowered to XLA",
    "methods": "names of the Tensor methods made from it",
    "doc": "one sentence for the operator page",
}


class TableError(ValueError):
    """A row that breaks a rule of the table; the message names file and row."""


@dataclass(frozen=True)
class Row:
    file: str
    schema: Schema
    kind: str
    shape: str
    dtype: tuple[str, ...]
    kernel: str
    operands: tuple[str, ...]
    inplace: str  # name and overload of the in-place twin, or ""
    epilogue: bool
    random: bool
    decompose: str
    doc: str
    functional: str = ""  # of an in-place row, given or derived
    training: str = ""

    @property
    def name(self) -> str:
        return self.schema.full_name


def _check_keys(where: str, raw: dict[str, Any]) -> None:
    for key in raw:
        if key not in KEYS:
            close = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise TableError(f"{where}: unknown key '{key}'{hint}")


def _row(file: str, raw: dict[str, Any]) -> Row:
    where = f"{file}: {raw.get('op', raw)}"
    _check_keys(where, raw)
    try:
        schema = parse_schema(raw["op"])
    except SchemaError as error:
        raise TableError(f"{where}: {error}") from None
    kind = raw.get("kind", "kernel")
    if kind not in KINDS:
        close = difflib.get_close_matches(str(kind), KINDS, 1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise TableError(f"{where}: unknown kind '{kind}'{hint}")
    tensors = tuple(
        a.name for a in schema.arguments if a.type.base == "Tensor" and not a.type.is_list
    )
    dtype = raw.get("dtype", "self" if tensors else "none")
    row = Row(
        file=file,
        schema=schema,
        kind=kind,
        shape=raw.get("shape", ""),
        dtype=tuple(dtype) if isinstance(dtype, list) else (dtype,) * max(len(schema.returns), 1),
        kernel=raw.get("kernel", ""),
        operands=tuple(raw.get("operands", tensors)),
        inplace=_twin_name(schema, raw.get("inplace", False)),
        epilogue=bool(raw.get("epilogue", False)),
        random=bool(raw.get("random", False)),
        decompose=raw.get("decompose", ""),
        doc=raw.get("doc", ""),
        functional=_full(raw.get("functional", "")),
        training=_full(raw.get("training", "")),
    )
    for operand in row.operands:
        if operand not in {a.name for a in schema.arguments}:
            raise TableError(f"{where}: operand '{operand}' is not an argument")
    needs_kernel = kind not in ("view", "composite", "inplace")
    if kind == "inplace" and not row.functional:
        raise TableError(f"{where}: an in-place operator needs 'functional'")
    if needs_kernel and not row.kernel:
        raise TableError(f"{where}: a {kind} operator needs a kernel")
    if kind == "composite" and not row.decompose:
        raise TableError(f"{where}: a composite operator needs 'decompose'")
    if kind in ("view", "reduction", "kernel") and not row.shape:
        raise TableError(f"{where}: a {kind} operator needs a shape rule")
    return row


def _full(name: str) -> str:
    """``aten.NAME.OVERLOAD`` of a name in a row; the overload ``default`` may be left out."""
    return f"aten.{name}" + ("" if "." in name else ".default") if name else ""


def _twin_name(schema: Schema, inplace: bool | str) -> str:
    if isinstance(inplace, str):
        return inplace
    return f"{schema.name}_.{schema.overload}".rstrip(".") if inplace else ""


def _inplace_twin(row: Row) -> Row:
    """The derived row of ``NAME_``: the same arguments, the first one written."""
    schema = row.schema
    first = schema.arguments[0]
    written = dataclasses.replace(first, type=dataclasses.replace(first.type, alias="a!"))
    text = schema.text
    head = f"{schema.name}.{schema.overload}(" if schema.overload else f"{schema.name}("
    name, _, overload = row.inplace.partition(".")
    body = text[text.index(head) + len(head) :]
    body = re.sub(r"^Tensor(\(a\))?", "Tensor(a!)", body)
    body = body[: body.rindex("->")] + "-> Tensor(a!)"
    return dataclasses.replace(
        row,
        schema=dataclasses.replace(
            schema,
            text=f"{row.inplace}({body}",
            name=name,
            overload=overload,
            arguments=(written, *schema.arguments[1:]),
            returns=(dataclasses.replace(schema.returns[0], alias="a!"),),
        ),
        kind="inplace",
        functional=row.name,
        training="",
    )


def load_table(folder: Path) -> list[Row]:
    """All rows of ``folder/*.yaml``, sorted by name, derived in-place rows included."""
    rows: dict[str, Row] = {}
    for path in sorted(folder.glob("*.yaml")):
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")) or []:
            row = _row(path.name, raw)
            for entry in (row, _inplace_twin(row)) if row.inplace else (row,):
                if entry.name in rows:
                    raise TableError(f"{path.name}: {entry.name} stands twice in the table")
                rows[entry.name] = entry
    return [rows[name] for name in sorted(rows)]
