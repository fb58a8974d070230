"""Building the objects of a checked pickle: what each of its calls may do."""

from __future__ import annotations

import reprlib
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from . import allowed
from .errors import refused, require
from .numpy_objects import ArrayStub, DTypeStub
from .plain_objects import CHECKED, NAMESPACES
from .rebuild_nested import CompilerNote
from .tensors import Parameter

_DICTIONARIES = (dict, OrderedDict, Counter, defaultdict)


class Unpickler:
    """The handler of ``PickleProgram.run``; see there. Subclasses say what persistent identifiers
    mean."""

    def __init__(self) -> None:
        self._defaults = allowed.defaults()
        self._user = allowed.user_allowed()

    def find_global(self, module: str, name: str) -> Any:
        """What stands for a name in the file."""
        full = allowed.full_name(module, name)
        require(
            full.partition(".")[0] not in allowed.BLOCKED_MODULES,
            f"the file asks for '{full}', and nothing is taken from that module",
        )
        if full in self._defaults:
            return self._defaults[full]
        if full in self._user:
            return self._user[full]
        return self.unknown_global(full)

    def unknown_global(self, full: str) -> Any:
        """What stands for a name that is not allowed: an error here."""
        raise refused(full)

    def persistent_load(self, saved_id: Any) -> Any:
        """The object of an identifier."""
        raise refused(f"persistent id {reprlib.repr(saved_id):.60}")

    def _is_users(self, kind: Any) -> bool:
        return any(kind is value for value in self._user.values())

    def call(self, kind: type, args: tuple[Any, ...]) -> Any:
        """A call of a type."""
        maker = CHECKED.get(kind)
        if maker is not None:
            return maker(*args)
        require(
            kind is Parameter or self._is_users(kind),
            f"the file calls '{kind.__qualname__}', which files may only name",
        )
        return kind(*args)

    def new(self, kind: Any, args: tuple[Any, ...], keywords: dict[str, Any] | None) -> Any:
        """An object without a call of ``__init__``."""
        if kind in CHECKED and kind not in NAMESPACES:
            return CHECKED[kind](*args, **(keywords or {}))
        if kind is Parameter:
            return Parameter(*args)
        empty = kind in (*NAMESPACES, CompilerNote) and not args and not keywords
        require(
            empty or (isinstance(kind, type) and self._is_users(kind)),
            f"the file makes an object of '{getattr(kind, '__qualname__', kind)}', which is not "
            "allowed",
        )
        return kind.__new__(kind, *args, **(keywords or {}))

    def build(self, target: Any, state: Any) -> Any:
        """The object with its state."""
        if isinstance(target, (ArrayStub, DTypeStub, CompilerNote)):
            return target.finish(state)
        kind = type(target)
        if self._is_users(kind):
            return _set_state(target, state)
        if kind in NAMESPACES or kind is OrderedDict:
            # A module's state dict has an attribute `_metadata`.
            require(
                type(state) is dict
                and all(type(key) is str and not key.startswith("__") for key in state),
                f"the state of a {kind.__name__} is no dictionary of attributes",
            )
            if kind in NAMESPACES and hasattr(target, "__setstate__"):
                require(set(state) <= {"int", "is_safe"}, "the state of a UUID is not valid")
                require(type(state.get("int")) is int, "the state of a UUID is not valid")
                target.__setstate__(state)
            else:
                target.__dict__.update(state)
            return target
        require(isinstance(target, Parameter), f"a {kind.__name__} is to be given a state")
        return target

    def extend(self, target: Any, items: list[Any]) -> None:
        """Appends to something that is no plain list."""
        require(
            type(target) is deque or self._is_users(type(target)),
            f"a {type(target).__name__} is to be appended to",
        )
        for item in items:
            target.append(item)

    def update(self, target: Any, items: list[Any]) -> None:
        """Sets items, keys and values in turn, of something that is no plain dictionary."""
        require(
            type(target) in _DICTIONARIES or self._is_users(type(target)),
            f"items of a {type(target).__name__} are to be set",
        )
        for i in range(0, len(items), 2):
            target[items[i]] = items[i + 1]

    def add(self, target: Any, items: list[Any]) -> None:
        """Adds to something that is no plain set."""
        require(
            type(target) is set or self._is_users(type(target)),
            f"a {type(target).__name__} is to be added to",
        )
        for item in items:
            target.add(item)


def on_base(base: type[Unpickler], handler: type[Unpickler]) -> type[Any]:
    """A handler that takes its policy towards unknown names from ``base``."""
    if issubclass(handler, base):
        return handler
    return type(handler.__name__, (base, handler), {})


def _set_state(target: Any, state: Any) -> Any:
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return target
    attributes, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    for part in (attributes, slots):
        require(part is None or type(part) is dict, "the state of an object is no dictionary")
    if attributes:
        target.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(target, name, value)
    return target
