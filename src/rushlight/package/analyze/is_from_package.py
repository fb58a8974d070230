"""Whether an object belongs to an imported package."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.package.mangling import is_mangled


def is_from_package(obj: Any) -> bool:
    """Whether ``obj`` is a module of a package, or its class is defined in one.

    Objects of external modules are not from the package.
    """
    name = obj.__name__ if isinstance(obj, ModuleType) else type(obj).__module__
    return is_mangled(name)
