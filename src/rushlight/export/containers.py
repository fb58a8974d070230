"""Containers that a file only names, such as transformers' ``ModelOutput``.

A name in a file imports nothing. The real class is used when the caller allowed it, or registered
it with :mod:`rushlight.utils.pytree`; else the values come in a :class:`NamedOutputs`.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rushlight._C import InternalError
from rushlight.utils.pytree import TreeSpec, register_pytree_node, treespec_loads
from rushlight.utils.pytree.names import serialization_named


class NamedOutputs(Mapping[str, Any]):
    """An ordered mapping whose entries are attributes too.

    ``out["logits"]``, ``out.logits`` and ``out[0]`` are the same entry; the attribute form is not
    available for names of the mapping's own methods, such as ``keys``.
    """

    __slots__ = ("_entries", "_type_name")

    def __init__(self, entries: Iterable[tuple[str, Any]], type_name: str = "") -> None:
        self._entries = dict(entries)
        self._type_name = type_name

    def __getitem__(self, key: Any) -> Any:
        return self.to_tuple()[key] if isinstance(key, (int, slice)) else self._entries[key]

    def __getattr__(self, name: str) -> Any:
        if name in NamedOutputs.__slots__ or name not in self._entries:
            raise AttributeError(f"{name!r}: the entries are {', '.join(self._entries)}")
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._entries]

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedOutputs, (list(self._entries.items()), self._type_name)

    def to_tuple(self) -> tuple[Any, ...]:
        """The entries without their names."""
        return tuple(self._entries.values())

    def __repr__(self) -> str:
        entries = ", ".join(f"{k}={v!r}" for k, v in self._entries.items())
        return f"{self._type_name.rpartition('.')[2] or 'NamedOutputs'}({entries})"


class AllowedTypes:
    """The classes that the caller lets a file choose: classes, or full names to import."""

    def __init__(self, allowed: Iterable[type | str] = ()) -> None:
        self._classes: dict[str, type] = {}
        self._names: set[str] = set()
        for entry in allowed:
            if isinstance(entry, type):
                self._classes[f"{entry.__module__}.{entry.__qualname__}"] = entry
            elif isinstance(entry, str):
                self._names.add(entry)
            else:
                raise TypeError(f"allowed_types: expected classes or full names, got {entry!r}")

    def find(self, name: str) -> type | None:
        """The class called `name`, if it is allowed and can be imported."""
        if name in self._classes:
            return self._classes[name]
        if name not in self._names:
            return None
        module, _, attribute = name.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), attribute, None)
        except ImportError:
            return None
        return found if isinstance(found, type) else None


def entry_names(context: Any, count: int) -> tuple[list[str], list[str]]:
    """Names of the entries, and names of further ones that are None.

    `context` is what the container's author wrote beside it: a list of keys, or the two lists of
    a registered dataclass. Without names, the entries are numbered.
    """
    if (
        isinstance(context, list)
        and len(context) == 2
        and all(isinstance(part, list) for part in context)
        and len(context[0]) == count
        and all(isinstance(name, str) for part in context for name in part)
    ):
        return context[0], context[1]
    if (
        isinstance(context, list)
        and len(context) == count
        and all(isinstance(name, str) for name in context)
        and len(set(context)) == count
    ):
        return context, []
    return [str(i) for i in range(count)], []


class Foreign:
    """Stands in a structure for a container whose class only its file names. It has no instances:
    a value is opened by the names of its entries, and built by the context."""


@dataclasses.dataclass(frozen=True, eq=False)
class ForeignContext:
    """What a :class:`Foreign` needs."""

    names: list[str]  # of the entries
    build: Callable[[Sequence[Any]], Any]


def _flatten_foreign(value: Foreign) -> Any:
    raise InternalError(f"{value} can't be in a tree")


register_pytree_node(
    Foreign,
    _flatten_foreign,
    lambda parts, context: context.build(parts),
    namespace="rushlight.export",
)


def container_spec(
    name: str, context: Any, text: str, children: Sequence[TreeSpec], allowed: AllowedTypes
) -> TreeSpec:
    """The structure of the container called `name` around `children`."""
    registered = _registered(name, text, children)
    if registered is not None:
        return registered
    names, nones = entry_names(context, len(children))
    build = _builder(name, names, nones, allowed)
    return TreeSpec(Foreign, ForeignContext(names, build), children, namespace="rushlight.export")


def _builder(
    name: str, names: list[str], nones: list[str], allowed: AllowedTypes
) -> Callable[[Sequence[Any]], Any]:
    cls = allowed.find(name)
    if cls is None:
        return lambda parts: NamedOutputs(
            [*zip(names, parts, strict=True), *((n, None) for n in nones)], name
        )
    if names and names[0] == "0":
        raise TypeError(
            f"{name}: the file does not name its entries; register the class with "
            "rushlight.utils.pytree.register_pytree_node to say how it is built"
        )
    make: Callable[..., Any] = cls
    if issubclass(cls, dict) and not hasattr(cls, "__dataclass_fields__"):
        return lambda parts: make(zip(names, parts, strict=True))
    return lambda parts: make(**dict(zip(names, parts, strict=True)), **dict.fromkeys(nones))


def _registered(name: str, text: str, children: Sequence[TreeSpec]) -> TreeSpec | None:
    """The structure as the caller registered the class with our pytrees, if so."""
    if serialization_named(name) is None:
        return None
    leaf: dict[str, Any] = {"type": None, "context": None, "children_spec": []}
    node = {"type": name, "context": text, "children_spec": [leaf] * len(children)}
    spec = treespec_loads(json.dumps([1, node]))
    return TreeSpec(spec.type, spec.context, children)
