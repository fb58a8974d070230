"""Dataclasses, and classes made like them, as containers of their fields."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from rushlight.utils.pytree.names import make_entry, remember
from rushlight.utils.pytree.registration import add_or_warn

__all__ = ["register_dataclass"]


def _field_names(
    cls: type[Any], field_names: list[str] | None, drop_field_names: list[str]
) -> list[str]:
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(
                "field_names must be specified with a list of all fields used to initialize "
                f"{cls}, as it is not a dataclass."
            )
        return list(field_names)
    declared = [f.name for f in dataclasses.fields(cls) if f.init]
    declared = [name for name in declared if name not in drop_field_names]
    if field_names is None:
        return declared
    missing = set(declared) - set(field_names)
    unexpected = set(field_names) - set(declared)
    if missing or unexpected:
        message = "field_names does not include all dataclass fields.\n"
        if missing:
            message += (
                f"Missing fields in `field_names`: {missing}. If you want to include these fields "
                "in the pytree, please add them to `field_names`, otherwise please add them to "
                "`drop_field_names`.\n"
            )
        if unexpected:
            message += (
                f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, "
                "or add them to `drop_field_names`.\n"
            )
        raise ValueError(message)
    return list(field_names)


def _positional_init(cls: type[Any], names: list[str]) -> Any:
    """The ``__init__`` of `cls` if it takes exactly these fields first, by position."""
    try:
        parameters = list(inspect.signature(cls).parameters.values())[: len(names)]
    except (TypeError, ValueError):
        return None
    by_position = all(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
    return cls.__init__ if by_position and [p.name for p in parameters] == names else None


def register_dataclass(
    cls: type[Any],
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
    namespace: str = "",
) -> None:
    """Makes a dataclass a container of its fields.

    Fields that hold None are not children: they are part of the structure. Works for any class
    whose instances are made by ``cls(field=...)`` when `field_names` lists the fields.

    Args:
        cls: the class.
        field_names: the fields that are children; all ``init`` fields of a dataclass by default.
        drop_field_names: fields left out; they get their defaults when a tree is rebuilt.
        serialized_type_name: name of the type in ``treespec_dumps``.
        namespace: register only for calls with the same ``namespace=``.
    """
    names = _field_names(cls, field_names, drop_field_names or [])
    if len(set(names)) != len(names):
        raise ValueError(f"field_names of {cls}: a name occurs twice in {names}")
    add_or_warn(cls, _positional_init(cls, names), None, None, tuple(names), namespace=namespace)
    remember(make_entry(cls, serialized_type_name))
