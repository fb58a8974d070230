"""What JSON lacks: enums and tuples inside contexts."""

from __future__ import annotations

import json
import sys
from enum import Enum
from types import ModuleType
from typing import Any

__all__ = ["EnumEncoder", "enum_object_hook"]


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
    """A class among the modules that are imported already. Only dictionaries are read: getattr
    could run code, such as a module's that loads its parts when they are asked for."""
    found: Any = sys.modules.get(module)
    if found is None:
        raise ValueError(f"{module}:{qualname}: its module is not imported here")
    for part in qualname.split("."):
        found = vars(found).get(part) if isinstance(found, (ModuleType, type)) else None
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ValueError(f"{module}:{qualname} is no class, or none that belongs here")
    return found


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Reads what `EnumEncoder` wrote (and tuples, which JSON lacks)."""
    if "__enum__" in obj:
        where, name = obj.get("fqn"), obj.get("name")
        if not isinstance(where, str) or not isinstance(name, str):
            raise ValueError("an enum has the strings fqn and name")
        module, _, qualname = where.partition(":")
        members = find_class(module, qualname, Enum).__members__
        if name not in members:
            raise ValueError(f"{where} has no member {name}")
        return members[name]
    if set(obj) == {"__tuple__"} and isinstance(obj["__tuple__"], list):
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
