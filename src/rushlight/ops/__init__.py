"""Every ATen operator, callable directly: ``rushlight.ops.aten.add.Tensor(x, y)``.

Arguments are positional or by ATen's keyword names; arrays of any library are taken without a
copy, results are :class:`rushlight.Tensor`.

>>> import numpy as np
>>> import rushlight
>>> rushlight.ops.aten.add.Tensor(np.float32([1, 2]), np.float32([3, 4]), alpha=10)
tensor([31., 42.])
"""

from __future__ import annotations

import os
from typing import Any

from rushlight import _C


class OpOverload:
    """One overload of an operator, such as ``rushlight.ops.aten.add.Tensor``."""

    def __init__(self, name: str, schema: str) -> None:
        self.name = name
        self.schema = schema

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _C.call_op(self.name, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<rushlight op {self.name}: {self.schema}>"


class OpPacket:
    """All overloads of an operator; calling it calls the overload ``default``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, overload: str) -> OpOverload:
        name = f"{self._name}.{overload}"
        schema = _C.op_schema(name)
        if schema is None:
            known = ", ".join(self.overloads()) or "none"
            raise AttributeError(f"no operator '{name}'; overloads of {self._name}: {known}")
        found = OpOverload(name, schema)
        setattr(self, overload, found)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.default(*args, **kwargs)

    def overloads(self) -> list[str]:
        """Names of the overloads in the table."""
        prefix = f"{self._name}."
        return [n.removeprefix(prefix) for n in _C.op_names() if n.startswith(prefix)]

    def __dir__(self) -> list[str]:
        return self.overloads()

    def __repr__(self) -> str:
        return f"<rushlight op {self._name}: {', '.join(self.overloads())}>"


class OpNamespace:
    """The operators of one namespace, such as ``rushlight.ops.aten``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> OpPacket:
        packet = OpPacket(f"{self._name}.{name}")
        if name.startswith("__") and name.endswith("__") and not packet.overloads():
            raise AttributeError(name)
        if not packet.overloads():
            raise AttributeError(f"no operator '{self._name}.{name}'")
        setattr(self, name, packet)
        return packet

    def __dir__(self) -> list[str]:
        prefix = f"{self._name}."
        return sorted({n.split(".")[1] for n in _C.op_names() if n.startswith(prefix)})

    def __repr__(self) -> str:
        return f"<rushlight operators of namespace {self._name}>"


def load_library(path: str | os.PathLike[str]) -> None:
    """The same as :func:`rushlight.library.load`."""
    _C.load_library(os.fspath(path))


def __getattr__(name: str) -> OpNamespace:
    if name.startswith("_") or not any(n.startswith(f"{name}.") for n in _C.op_names()):
        raise AttributeError(f"module 'rushlight.ops' has no attribute '{name}'")
    namespace = OpNamespace(name)
    globals()[name] = namespace
    return namespace
