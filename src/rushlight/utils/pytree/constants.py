"""Constants: instances that are part of a tree's structure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from rushlight.utils.pytree import _pytree_c
from rushlight.utils.pytree.names import make_entry, remember, serialization_of
from rushlight.utils.pytree.registration import add_or_warn
from rushlight.utils.pytree.typing import Context

__all__ = ["ConstantNode", "is_constant_class", "register_constant"]

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class ConstantNode(Generic[T]):
    """The context of a constant: the constant itself."""

    __slots__ = ("value",)

    value: T


_pytree_c.set_constant_node(ConstantNode)


def _constant_flatten(obj: Any) -> tuple[list[Any], Context]:
    return [], ConstantNode(obj)


def _constant_unflatten(_: Iterable[Any], context: ConstantNode[Any]) -> Any:
    return context.value


def register_constant(cls: type[Any]) -> None:
    """Makes instances of `cls` containers without children: the instance is part of the structure.

    Structures with equal constants are equal, so the class needs its own ``__eq__`` and
    ``__hash__``; TypeError if it has neither.
    """
    for method in ("__eq__", "__hash__"):
        own = getattr(cls, method)
        if own is None or (method == "__eq__" and own is object.__eq__):
            raise TypeError(
                f"register_constant(cls) expects `cls` to have a non-default `{method}` "
                "implementation."
            )
    add_or_warn(cls, _constant_flatten, _constant_unflatten, _constant_flatten, None)
    remember(make_entry(cls, None)._replace(constant=True))


def is_constant_class(cls: type[Any]) -> bool:
    """Whether `cls` was registered by `register_constant`."""
    entry = serialization_of(cls) if isinstance(cls, type) else None
    return entry is not None and entry.constant
