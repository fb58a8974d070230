"""What JSON lacks: enums and tuples inside contexts."""

from __future__ import annotations

import json
import sys
from enum import Enum
from typing import Any


class EnumEncoder(json.JSONEncoder):
    """Writes enum members by class and name."""

    def default(self, o: object) -> Any:
        if isinstance(o, Enum):
            cls = o.__class__
            return {
                "__enum__": True,
                "fqn": f"{cls.__module__}:{cls.__qualname__}",
                "name": o.name,
            }
        return super().default(o)


def find_class(module: str, qualname: str, base: type) -> Any:
    """A class among the modules that are imported already."""
    found: Any = sys.modules.get(module)
    if found is None:
        raise ValueError(f"{module}:{qualname}: its module is not imported here")
    for part in qualname.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ValueError(f"{module}:{qualname} is no class, or none that belongs here")
    return found


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Reads what `EnumEncoder` wrote (and tuples, which JSON lacks)."""
    if "__enum__" in obj:
        module, _, qualname = obj["fqn"].partition(":")
        return find_class(module, qualname, Enum)[obj["name"]]
    if set(obj) == {"__tuple__"}:
        return tuple(obj["__tuple__"])
    return obj


def mark_tuples(value: Any) -> Any:
    """`value` with a mark on every tuple; `enum_object_hook` takes them off."""
    if isinstance(value, tuple):
        return {"__tuple__": [mark_tuples(item) for item in value]}
    if type(value) is list:
        return [mark_tuples(item) for item in value]
    if type(value) is dict:
        return {key: mark_tuples(item) for key, item in value.items()}
    return value
