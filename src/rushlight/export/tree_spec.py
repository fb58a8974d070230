"""The nesting of a program's inputs and outputs, as ``torch.utils._pytree`` writes it (protocol 1).

Other than :func:`rushlight.utils.pytree.treespec_loads`, reading accepts types that nobody
registered: a file must be usable without the packages whose containers it names.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .containers import AllowedTypes, Build, builder, entry_names

_PROTOCOL = 1
_MAX_DEPTH = 200
_SEQUENCES: dict[str, type[Sequence[Any]]] = {
    "builtins.tuple": tuple,
    "builtins.list": list,
    "torch.Size": tuple,
    "torch.fx.immutable_collections.immutable_list": list,
}
_MAPPINGS: dict[str, type[dict[Any, Any]]] = {
    "builtins.dict": dict,
    "collections.OrderedDict": OrderedDict,
    "torch.fx.immutable_collections.immutable_dict": dict,
}
# A defaultdict's factory is code; of those that a file may name, these do nothing but exist.
_FACTORIES = {f"builtins.{t.__name__}": t for t in (int, float, bool, str, list, dict, tuple, set)}


_make_namedtuple: Callable[..., Any] = namedtuple  # its fields are known only at run time


class Spec:
    """A leaf, and the base of the containers."""

    children: tuple[Spec, ...] = ()
    num_leaves = 1

    def flatten(self, value: Any, path: str, leaves: list[Any]) -> None:
        """Appends the leaves of `value`; ``TypeError`` or ``ValueError`` says where it differs."""
        leaves.append(value)

    def unflatten(self, leaves: Iterator[Any]) -> Any:
        """The structure over the next leaves."""
        return next(leaves)

    def paths(self, path: str) -> list[str]:
        """Where each leaf is, such as ``batch['x']`` or ``pair[0]``."""
        return [path]


class Container(Spec):
    """A structure with children; subclasses say how to open one."""

    def __init__(self, children: Sequence[Spec], build: Build) -> None:
        self.children = tuple(children)
        self.num_leaves = sum(c.num_leaves for c in children)
        self._build = build

    def flatten(self, value: Any, path: str, leaves: list[Any]) -> None:
        for i, part in enumerate(self.open(value, path)):
            self.children[i].flatten(part, path + self.step(i), leaves)

    def unflatten(self, leaves: Iterator[Any]) -> Any:
        return self._build([child.unflatten(leaves) for child in self.children])

    def paths(self, path: str) -> list[str]:
        return [p for i, c in enumerate(self.children) for p in c.paths(path + self.step(i))]

    def open(self, value: Any, path: str) -> Sequence[Any]:
        """The parts of `value`, one for each child."""
        raise NotImplementedError

    def step(self, i: int) -> str:
        """How the path goes on to child `i`."""
        return f"[{i}]"

    def sized(self, value: Sequence[Any], path: str) -> Sequence[Any]:
        """`value`, if it has as many parts as the program's."""
        if len(value) != len(self.children):
            raise ValueError(
                f"{path}: expected {len(self.children)} entries, as at export, got {len(value)}"
            )
        return value


class SequenceSpec(Container):
    """A tuple, list or deque."""

    def __init__(self, children: Sequence[Spec], build: Build, cls: type[Sequence[Any]]) -> None:
        super().__init__(children, build)
        self._cls = cls

    def open(self, value: Any, path: str) -> Sequence[Any]:
        if not isinstance(value, self._cls):
            raise _wrong_type(path, f"a {self._cls.__name__}", value)
        return self.sized(value, path)


class NamedTupleSpec(SequenceSpec):
    """A named tuple; any tuple of the same length is taken."""

    def __init__(self, children: Sequence[Spec], build: Build, fields: Sequence[str]) -> None:
        super().__init__(children, build, tuple)
        self._fields = fields

    def step(self, i: int) -> str:
        return f".{self._fields[i]}" if i < len(self._fields) else f"[{i}]"


class MappingSpec(Container):
    """A dict of any kind; the order of its keys does not matter."""

    def __init__(self, children: Sequence[Spec], build: Build, keys: Sequence[Any]) -> None:
        super().__init__(children, build)
        self.keys = keys

    def open(self, value: Any, path: str) -> Sequence[Any]:
        if not isinstance(value, Mapping):
            raise _wrong_type(path, "a dict", value)
        if len(value) != len(self.keys) or any(k not in value for k in self.keys):
            missing = [repr(k) for k in self.keys if k not in value]
            extra = [repr(k) for k in value if k not in self.keys]
            raise ValueError(
                f"{path}: the keys differ from those at export:"
                + (f" missing {', '.join(missing)};" if missing else "")
                + (f" unexpected {', '.join(extra)};" if extra else "")
                + f" expected {', '.join(map(repr, self.keys))}"
            )
        return [value[k] for k in self.keys]

    def step(self, i: int) -> str:
        return f"[{self.keys[i]!r}]"


class NamedSpec(Container):
    """Another package's container: a mapping or an object with the names as attributes."""

    def __init__(self, children: Sequence[Spec], build: Build, names: Sequence[str]) -> None:
        super().__init__(children, build)
        self._names = names

    def open(self, value: Any, path: str) -> Sequence[Any]:
        if isinstance(value, Mapping):
            found = {k: v for k, v in value.items() if k in self._names or v is not None}
            return MappingSpec(self.children, self._build, self._names).open(found, path)
        if isinstance(value, (tuple, list)):
            return self.sized(value, path)
        missing = [name for name in self._names if not hasattr(value, name)]
        if missing:
            raise _wrong_type(path, f"an object with {', '.join(missing)}", value)
        return [getattr(value, name) for name in self._names]

    def step(self, i: int) -> str:
        return f".{self._names[i]}"


def _wrong_type(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, as at export, got {type(value).__name__}")


class SpecReader:
    """Reads tree specifications of one file."""

    def __init__(
        self, allowed: AllowedTypes, namedtuple_fields: Mapping[str, Sequence[str]]
    ) -> None:
        self._allowed = allowed
        self._fields = namedtuple_fields

    def read(self, text: str, what: str) -> Spec:
        """The structure that `text` describes; ``ValueError`` names `what` is wrong."""
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{what}: not JSON: {error}") from None
        if not (isinstance(parsed, list) and len(parsed) == 2 and parsed[0] == _PROTOCOL):
            raise ValueError(f"{what}: expected [{_PROTOCOL}, tree], got {text[:40]}")
        return self._node(parsed[1], what, 0)

    def _node(self, node: Any, what: str, depth: int) -> Spec:
        if depth > _MAX_DEPTH:
            raise ValueError(f"{what}: nested deeper than {_MAX_DEPTH} levels")
        if not (isinstance(node, dict) and {"type", "context", "children_spec"} <= node.keys()):
            raise ValueError(f"{what}: a node needs type, context and children_spec")
        name, text, parts = node["type"], node["context"], node["children_spec"]
        if not isinstance(parts, list) or not isinstance(name, (str, type(None))):
            raise ValueError(f"{what}: a node's type is text and its children_spec a list")
        if name is None:
            if parts:
                raise ValueError(f"{what}: a leaf has children")
            return Spec()
        children = [self._node(part, what, depth + 1) for part in parts]
        return self._container(name, text, _context(text, what), children, f"{what}: {name}")

    def _container(
        self, name: str, text: Any, context: Any, children: list[Spec], what: str
    ) -> Spec:
        count = len(children)
        if name in _SEQUENCES:
            cls = _SEQUENCES[name]
            return SequenceSpec(children, cls, cls)
        if name in _MAPPINGS:
            return _mapping(children, _MAPPINGS[name], context, what)
        if name == "collections.deque":
            if not isinstance(context, (int, type(None))):
                raise ValueError(f"{what}: its maximal length is no number")
            return SequenceSpec(children, lambda v: deque(v, maxlen=context), deque)
        if name == "collections.defaultdict":
            return _defaultdict(children, context, what)
        if name == "collections.namedtuple":
            return self._namedtuple(context, children, what)
        build = builder(name, context, text, count, self._allowed)
        return NamedSpec(children, build, entry_names(context, count)[0])

    def _namedtuple(self, name: Any, children: list[Spec], what: str) -> Spec:
        if not isinstance(name, str):
            raise ValueError(f"{what}: its class is not named")
        cls: Any = self._allowed.find(name)
        if cls is None:
            fields = self._fields.get(name, ())
            if len(fields) != len(children):
                fields = [f"field_{i}" for i in range(len(children))]
            try:
                cls = _make_namedtuple(name.rpartition(".")[2], fields)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from None
        if len(getattr(cls, "_fields", ())) != len(children):
            raise ValueError(f"{what}: {name} has other fields than the file's {len(children)}")
        return NamedTupleSpec(children, lambda parts: cls(*parts), cls._fields)


def _context(text: Any, what: str) -> Any:
    # Written as JSON inside a string; a container's own serialiser may give anything.
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _mapping(children: list[Spec], cls: Any, keys: Any, what: str) -> Spec:
    keys = [_key(k) for k in keys] if isinstance(keys, list) else keys
    if not isinstance(keys, list) or len(keys) != len(children):
        raise ValueError(f"{what}: expected {len(children)} keys, got {str(keys)[:80]}")
    try:
        distinct = len(set(keys)) == len(keys)
    except TypeError:
        raise ValueError(f"{what}: a key can't be hashed") from None
    if not distinct:
        raise ValueError(f"{what}: a key occurs twice")
    return MappingSpec(children, lambda v: cls(zip(keys, v, strict=True)), keys)


def _key(key: Any) -> Any:
    if isinstance(key, dict) and set(key) == {"__tuple__"} and isinstance(key["__tuple__"], list):
        return tuple(_key(k) for k in key["__tuple__"])
    return key


def _defaultdict(children: list[Spec], context: Any, what: str) -> Spec:
    if not isinstance(context, dict):
        raise ValueError(f"{what}: its context is no object")
    name = f"{context.get('default_factory_module')}.{context.get('default_factory_name')}"
    factory: Any = _FACTORIES.get(name)
    return _mapping(children, lambda v: defaultdict(factory, v), context.get("dict_context"), what)
