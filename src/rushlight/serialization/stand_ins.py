"""Objects of classes that are not here, to be looked at."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .errors import require
from .unpickler import Unpickler

_SHOWN = 6


class StandInType:
    """A function or class that a file names and that is not here."""

    def __init__(self, full_name: str) -> None:
        self.full_name = full_name

    def __call__(self, *args: Any) -> StandIn:
        return StandIn(self.full_name, args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StandInType) and other.full_name == self.full_name

    def __hash__(self) -> int:
        return hash(self.full_name)

    def __repr__(self) -> str:
        return f"<stand-in for {self.full_name}>"


class StandIn:
    """An object of a class that is not here: what the file says of it, and nothing that it does.

    ``class_name`` is the class's full name, ``args`` the arguments it was made with, ``state`` what
    it was to restore itself from, ``items`` what was put into it. Entries of a dictionary state are
    attributes too. For a module of PyTorch, ``state_dict()`` gives its tensors, ``children()`` its
    parts.
    """

    def __init__(
        self, class_name: str, args: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None
    ) -> None:
        self.class_name = class_name
        self.args = args
        self.keywords = keywords or {}
        self.state: Any = None
        self.items: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__.get("state")
        if isinstance(state, dict) and name in state and not name.startswith("__"):
            return state[name]
        for kind in ("_parameters", "_buffers", "_modules"):
            part = state.get(kind) if isinstance(state, dict) else None
            if isinstance(part, dict) and name in part:
                return part[name]
        raise AttributeError(f"the stand-in for {self.class_name} has no attribute '{name}'")

    def _part(self, kind: str) -> dict[str, Any]:
        part = self.state.get(kind) if isinstance(self.state, dict) else None
        return part if isinstance(part, dict) else {}

    def children(self) -> dict[str, Any]:
        """The modules directly inside, by name."""
        return self._part("_modules")

    def state_dict(self) -> OrderedDict[str, Any]:
        """Parameters and persistent buffers of this module and those inside, by dotted name.

        RuntimeError when the object is no module of PyTorch."""
        if not isinstance(self.state, dict) or "_parameters" not in self.state:
            raise RuntimeError(f"the stand-in for {self.class_name} is no module of PyTorch")
        found: OrderedDict[str, Any] = OrderedDict()
        pending: list[tuple[str, Any]] = [("", self)]
        seen: set[int] = set()
        while pending:
            prefix, module = pending.pop()
            if not isinstance(module, StandIn) or id(module) in seen:
                continue
            seen.add(id(module))
            state = module.state if isinstance(module.state, dict) else {}
            skipped = state.get("_non_persistent_buffers_set") or ()
            for kind in ("_parameters", "_buffers"):
                for name, value in module._part(kind).items():
                    if value is not None and not (kind == "_buffers" and name in skipped):
                        found[f"{prefix}{name}"] = value
            inside = [(f"{prefix}{name}.", m) for name, m in module.children().items()]
            pending.extend(reversed(inside))
        return found

    def __repr__(self) -> str:
        names = list(self.state) if isinstance(self.state, dict) else []
        shown = ", ".join(map(str, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
        return f"<stand-in for {self.class_name}" + (f" with {shown}>" if shown else ">")


class StandInUnpickler(Unpickler):
    """Makes stand-ins of what is not allowed."""

    def unknown_global(self, full: str) -> Any:
        return StandInType(full)

    def new(self, kind: Any, args: tuple[Any, ...], keywords: dict[str, Any] | None) -> Any:
        if isinstance(kind, StandInType):
            return StandIn(kind.full_name, args, keywords)
        return super().new(kind, args, keywords)

    def build(self, target: Any, state: Any) -> Any:
        if isinstance(target, StandIn):
            target.state = state
            return target
        return super().build(target, state)

    def extend(self, target: Any, items: list[Any]) -> None:
        if isinstance(target, StandIn):
            target.items.extend(items)
        else:
            super().extend(target, items)

    def update(self, target: Any, items: list[Any]) -> None:
        if isinstance(target, StandIn):
            require(len(items) % 2 == 0, "a key without a value")
            target.items.extend(zip(items[::2], items[1::2], strict=True))
        else:
            super().update(target, items)

    def add(self, target: Any, items: list[Any]) -> None:
        if isinstance(target, StandIn):
            target.items.extend(items)
        else:
            super().add(target, items)


__all__ = ["StandIn", "StandInType"]
