"""Opens a call's arguments after the structure that they had at export.

The structure is a ``TreeSpec`` of :mod:`rushlight.utils.pytree`, whose C++ does the work when every
container has the type it had then. Callers may also give what is as good: a subclass, another kind
of mapping, a tuple for a named tuple, an object with the entries as attributes.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

from rushlight.utils.pytree import TreeSpec, tree_flatten_one_level, treespec_entries

from .containers import Foreign


def flatten_like(treespec: TreeSpec, value: Any, path: str) -> list[Any]:
    """The leaves of `value`, in the order of `treespec`.

    Raises:
        TypeError: a container of another type than at export; names the path, from `path` on.
        ValueError: a container with other keys or another length than at export.
    """
    try:
        return treespec.flatten_up_to(value)
    except ValueError:  # another type; the walk below takes it or says what is wrong
        leaves: list[Any] = []
        _walk(treespec, value, path, leaves)
        return leaves


def leaf_paths(treespec: TreeSpec, path: str) -> list[str]:
    """Where each leaf is, such as ``batch['x']`` or ``pair[0]``."""
    if treespec.is_leaf():
        return [path]
    children = zip(_steps(treespec), treespec.children(), strict=True)
    return [found for step, child in children for found in leaf_paths(child, path + step)]


def _steps(treespec: TreeSpec) -> list[str]:
    """How a path goes on to each child."""
    if treespec.type is Foreign:
        return [f".{name}" for name in treespec.context.names]
    return [str(entry) for entry in treespec_entries(treespec)]


def _walk(treespec: TreeSpec, value: Any, path: str, leaves: list[Any]) -> None:
    if treespec.is_leaf():
        leaves.append(value)
        return
    parts = _open(treespec, value, path)
    for step, child, part in zip(_steps(treespec), treespec.children(), parts, strict=True):
        _walk(child, part, path + step, leaves)


def _open(treespec: TreeSpec, value: Any, path: str) -> Sequence[Any]:
    """The parts of `value`, one for each child."""
    cls, count = treespec.type, treespec.num_children
    if cls is namedtuple or cls in (tuple, list, deque):
        kind = tuple if cls is namedtuple else cls
        if not isinstance(value, kind):
            raise _wrong_type(path, f"a {kind.__name__}", value)
        return _sized(value, count, path)
    if cls in (dict, OrderedDict):
        return _open_mapping(treespec.context, value, path)
    if cls is defaultdict:
        return _open_mapping(treespec.context[1], value, path)
    if cls is Foreign:
        return _open_named(treespec.context.names, value, path)
    if type(value) is not cls:
        raise _wrong_type(path, cls.__name__, value)
    return _sized(tree_flatten_one_level(value).children, count, path)


def _open_mapping(keys: Sequence[Any], value: Any, path: str) -> Sequence[Any]:
    """The order of the keys does not matter."""
    if not isinstance(value, Mapping):
        raise _wrong_type(path, "a dict", value)
    if len(value) != len(keys) or any(k not in value for k in keys):
        missing = [repr(k) for k in keys if k not in value]
        extra = [repr(k) for k in value if k not in keys]
        raise ValueError(
            f"{path}: the keys differ from those at export:"
            + (f" missing {', '.join(missing)};" if missing else "")
            + (f" unexpected {', '.join(extra)};" if extra else "")
            + f" expected {', '.join(map(repr, keys))}"
        )
    return [value[k] for k in keys]


def _open_named(names: Sequence[str], value: Any, path: str) -> Sequence[Any]:
    """A mapping, a sequence, or an object with the names as attributes."""
    if isinstance(value, Mapping):
        found = {k: v for k, v in value.items() if k in names or v is not None}
        return _open_mapping(names, found, path)
    if isinstance(value, (tuple, list)):
        return _sized(value, len(names), path)
    missing = [name for name in names if not hasattr(value, name)]
    if missing:
        raise _wrong_type(path, f"an object with {', '.join(missing)}", value)
    return [getattr(value, name) for name in names]


def _sized(value: Sequence[Any], count: int, path: str) -> Sequence[Any]:
    if len(value) != count:
        raise ValueError(f"{path}: expected {count} entries, as at export, got {len(value)}")
    return value


def _wrong_type(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, as at export, got {type(value).__name__}")
