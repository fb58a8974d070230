"""What a function looks at besides its arguments, watched for changes.

Globals, closures, defaults, attributes and the items of containers that the function's code can
reach by name are noted once; before each replay :meth:`Guards.broken` compares them. Modules of the
standard library, NumPy and rushlight are taken to stay as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from rushlight import _C

MOST = 20000
MOST_BYTES = 1 << 16
_PLAIN = (type(None), bool, int, float, complex, str, bytes, _C.dtype, BuiltinFunctionType)
_FIXED = frozenset({"rushlight", "numpy", "builtins", *sys.stdlib_module_names})

Getter = Callable[[], Any]
_MISSING = object()


class TooMuchError(Exception):
    """A function can reach more than can be watched; says what."""


def plain_key(value: object) -> object:
    """Equal for values that a program can't tell apart: ``0.0`` and ``-0.0`` are two."""
    if isinstance(value, float):
        return float.hex(value)
    return repr(value) if isinstance(value, complex) else value


def _is_fixed(module: str | None) -> bool:
    return (module or "").split(".", 1)[0] in _FIXED


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class Guards:
    """Notes the surroundings of `roots`: the function, and objects among its arguments."""

    def __init__(self, roots: Iterable[Any]) -> None:
        self.tensors: dict[int, str] = {}  # by storage: what leads there, such as "self.weight"
        self._checks: list[tuple[Getter, Any, Callable[[Any], Any], str]] = []
        self._seen: dict[int, Any] = {}
        self._names: set[str] = set()
        roots = list(roots)
        # What code there is decides which attributes matter, and these lead to more code.
        known = -1
        while known != len(self._names):
            known = len(self._names)
            self._checks.clear()
            self._seen.clear()
            self.tensors.clear()
            for root in roots:
                self._visit(root, "" if isinstance(root, (FunctionType, MethodType)) else "self")

    def broken(self) -> str:
        """What has changed, or ``""``."""
        for get, expected, facts, path in self._checks:
            if facts(get()) != expected:
                return path
        return ""

    def _watch(self, get: Getter, path: str) -> None:
        if len(self._checks) >= MOST:
            raise TooMuchError(f"the function can reach more than {MOST} values")
        value = get()
        facts = _facts_of(value, path)
        self._checks.append((get, facts(value), facts, path))
        self._visit(value, path)

    def _visit(self, value: Any, path: str) -> None:
        if isinstance(value, _C.Tensor):
            self.tensors.setdefault(_C.lazy_storage(value), path)
            return
        if isinstance(value, _PLAIN) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, MethodType):
            self._visit(value.__self__, "self")
            self._visit(value.__func__, path)
        elif isinstance(value, property):
            self._visit(value.fget, path)
        elif isinstance(value, (staticmethod, classmethod)):
            self._visit(value.__func__, path)
        elif isinstance(value, ModuleType):
            if not _is_fixed(value.__name__):
                self._watch_attributes(vars(value), path, self._names)
        elif isinstance(value, type):
            self._visit_class(value, path)
        elif isinstance(value, Sequence):
            for i in range(len(value)):
                self._watch(lambda i=i: _item(value, i), f"{path}[{i}]")  # type: ignore[misc]
        elif isinstance(value, Mapping):
            for key in list(value):
                self._watch(
                    lambda key=key: value.get(key, _MISSING),  # type: ignore[misc]
                    f"{path}[{key!r}]",
                )
        else:
            self._visit_object(value, path)

    def _visit_object(self, value: Any, path: str) -> None:
        cls = type(value)
        self._visit(cls, path)
        if isinstance(value, partial):
            self._visit((value.func, value.args, value.keywords), path)
        self._visit(getattr(value, "__wrapped__", None), path)
        if hasattr(value, "__dict__") and cls.__module__ != "rushlight.lazy.compiled":
            # Code that we do not look at may use any attribute.
            attributes = vars(value)
            names = attributes if _is_fixed(cls.__module__) else self._names
            self._watch_attributes(attributes, path, names)
        for name in self._names:
            if isinstance(getattr(cls, name, None), MemberDescriptorType):  # in __slots__
                self._watch(
                    lambda name=name: getattr(value, name, _MISSING),  # type: ignore[misc]
                    f"{path}.{name}",
                )

    def _visit_class(self, cls: type, path: str) -> None:
        called = {"__call__", "forward", "__getattr__", "__getattribute__"}
        for base in cls.__mro__:
            if not _is_fixed(base.__module__):
                attributes = {n: v for n, v in vars(base).items() if n[:2] != "__" or n in called}
                names = self._names | called
                for name in attributes.keys() & names:
                    self._watch(
                        lambda base=base, name=name: vars(base).get(  # type: ignore[misc]
                            name, _MISSING
                        ),
                        f"{path}.{name}" if path else name,
                    )

    def _watch_attributes(
        self, attributes: Mapping[str, Any], path: str, names: Collection[str]
    ) -> None:
        for name in list(attributes):
            if name in names:
                self._watch(
                    lambda name=name: attributes.get(name, _MISSING),  # type: ignore[misc]
                    f"{path}.{name}" if path else name,
                )

    def _visit_function(self, function: FunctionType) -> None:
        if _is_fixed(function.__module__):
            return
        self._watch(lambda: function.__code__, f"the code of {function.__name__}")
        self._watch(lambda: function.__defaults__, f"the defaults of {function.__name__}")
        self._watch(lambda: function.__kwdefaults__, f"the defaults of {function.__name__}")
        for code in _codes(function.__code__):
            self._names.update(code.co_names)
            for name in code.co_names:
                if name in function.__globals__:
                    variables = function.__globals__
                    self._watch(
                        lambda name=name, variables=variables: variables.get(  # type: ignore[misc]
                            name, _MISSING
                        ),
                        name,
                    )
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            self._watch(lambda cell=cell: _contents(cell), name)  # type: ignore[misc]


def _item(values: Any, index: int) -> Any:
    return values[index] if index < len(values) else _MISSING


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _facts_of(value: Any, path: str) -> Callable[[Any], Any]:
    """What of `value` must stay, as a function of the value later on."""
    if isinstance(value, _C.Tensor):
        return _tensor_facts
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return _plain_facts
    if isinstance(value, (Sequence, Mapping)):
        return _container_facts
    if isinstance(value, (set, frozenset)):
        return lambda now: (id(now), frozenset(now) if isinstance(now, type(value)) else None)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        if value.nbytes > MOST_BYTES:
            raise TooMuchError(
                f"{path}: an array of more than {MOST_BYTES} bytes; make it a tensor"
            )
        return lambda now: (id(now), now.tobytes() if isinstance(now, numpy.ndarray) else None)
    return id


def _plain_facts(value: Any) -> Any:
    return type(value), plain_key(value)


def _container_facts(value: Any) -> Any:
    return id(value), len(value) if isinstance(value, (Sequence, Mapping)) else None


def _tensor_facts(value: Any) -> Any:
    if not isinstance(value, _C.Tensor):
        return None
    return (
        _C.lazy_storage(value),
        value.dtype,
        value.shape,
        value.stride(),
        value.storage_offset(),
    )
