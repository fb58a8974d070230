"""Types of trees, leaves and the functions that take them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, Union, runtime_checkable

from rushlight.utils.pytree._pytree_c import TreeSpec

__all__ = [
    "Context",
    "DumpableContext",
    "FlattenFn",
    "FlattenFunc",
    "FlattenWithKeysFn",
    "FlattenWithKeysFunc",
    "Fn",
    "Fn2",
    "Fn3",
    "FnAny",
    "FromDumpableContextFn",
    "KeyEntry",
    "MapOnlyFn",
    "MaybeFromStrFunc",
    "OneLevel",
    "PyTree",
    "ToDumpableContextFn",
    "ToStrFunc",
    "Type2",
    "Type3",
    "TypeAny",
    "UnflattenFn",
    "UnflattenFunc",
]

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")
R = TypeVar("R")

if TYPE_CHECKING:
    from typing import TypeAlias

    PyTree: TypeAlias = Union[T, "Sequence[PyTree[T]]", "Mapping[Any, PyTree[T]]"]  # noqa: UP007
    """A leaf of type T, or containers of such trees: ``PyTree[Tensor]``, ``PyTree[int]``."""
else:
    PyTree = Union[T, Sequence[Any], Mapping[Any, Any]]  # noqa: UP007

Context = Any
DumpableContext = Any

FlattenFn = Callable[[Any], tuple[Iterable[Any], Context]]
UnflattenFn = Callable[[list[Any], Context], Any]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]
FlattenWithKeysFn = Callable[[Any], tuple[Iterable[tuple["KeyEntry", Any]], Context]]
IsLeaf = Callable[[Any], bool]

# PyTorch's former names.
FlattenFunc = FlattenFn
UnflattenFunc = UnflattenFn
FlattenWithKeysFunc = FlattenWithKeysFn

# PyTorch's names for the arguments of `tree_map_only` and the decorator `map_only`.
Type2 = tuple[type[T], type[S]]
Type3 = tuple[type[T], type[S], type[U]]
TypeAny = Any  # type[Any] | tuple[type[Any], ...] | types.UnionType
Fn = Callable[[T], R]
Fn2 = Callable[[Union[T, S]], R]  # noqa: UP007 - for Python 3.10
Fn3 = Callable[[Union[T, S, U]], R]  # noqa: UP007
FnAny = Callable[[Any], R]
MapOnlyFn = Callable[[T], Callable[[Any], Any]]

# Deprecated in PyTorch, which still lists them.
ToStrFunc = Callable[[TreeSpec, list[str]], str]
MaybeFromStrFunc = Callable[[str], Union[tuple[Any, Context, str], None]]  # noqa: UP007


@runtime_checkable
class KeyEntry(Protocol):
    """One step of a path. Any hashable object with ``get`` and a printed form will do."""

    def __hash__(self) -> int: ...

    def __eq__(self, other: object) -> bool: ...

    def __str__(self) -> str: ...

    def get(self, parent: Any, /) -> Any:
        """The child of `parent` that this step leads to."""


class OneLevel(NamedTuple):
    """A container taken apart by one level.

    ``unflatten(children)`` puts it together again; ``entries`` are the keys of the children.
    """

    children: list[Any]
    context: Context
    entries: tuple[KeyEntry, ...]
    treespec: TreeSpec

    def unflatten(self, children: Iterable[Any]) -> Any:
        """The same container around other children."""
        return self.treespec.unflatten(children)
