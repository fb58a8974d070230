"""The extension module csrc/pytree; use it through rushlight.utils.pytree."""

from collections.abc import Callable, Iterable, Iterator
from types import GenericAlias, UnionType
from typing import Any, ClassVar, Generic, TypeVar, final

from rushlight.utils.pytree.typing import KeyEntry, PyTree

_T = TypeVar("_T")
_K = TypeVar("_K")
_IsLeaf = Callable[[Any], bool]

@final
class TreeSpec:
    def __new__(
        cls,
        type: Any,
        context: Any,
        children_specs: Iterable[TreeSpec],
        *,
        namespace: str = "",
    ) -> TreeSpec: ...
    @property
    def type(self) -> Any: ...
    @property
    def context(self) -> Any: ...
    @property
    def _context(self) -> Any: ...
    @property
    def _children(self) -> list[TreeSpec]: ...
    @property
    def children_specs(self) -> list[TreeSpec]: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_leaves(self) -> int: ...
    @property
    def num_children(self) -> int: ...
    def is_leaf(self) -> bool: ...
    def children(self) -> list[TreeSpec]: ...
    def child(self, index: int, /) -> TreeSpec: ...
    def flatten_up_to(self, tree: Any, /) -> list[Any]: ...
    def unflatten(self, leaves: Iterable[Any], /) -> Any: ...
    def paths(self) -> list[KeyPath]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any]]: ...
    def __copy__(self) -> TreeSpec: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class SequenceKey(Generic[_T]):
    __match_args__: ClassVar[tuple[str]]
    def __new__(cls, idx: int) -> SequenceKey[Any]: ...
    @property
    def idx(self) -> int: ...
    def get(self, parent: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

class MappingKey(Generic[_K, _T]):
    __match_args__: ClassVar[tuple[str]]
    def __new__(cls, key: Any) -> MappingKey[Any, Any]: ...
    @property
    def key(self) -> Any: ...
    def get(self, parent: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

class GetAttrKey:
    __match_args__: ClassVar[tuple[str]]
    def __new__(cls, name: str) -> GetAttrKey: ...
    @property
    def name(self) -> str: ...
    def get(self, parent: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class FlattenedIndexKey:
    __match_args__: ClassVar[tuple[str]]
    def __new__(cls, key: int) -> FlattenedIndexKey: ...
    @property
    def key(self) -> int: ...
    def get(self, parent: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class KeyPath(tuple[KeyEntry, ...]):
    def get(self, tree: Any, /) -> Any: ...

def tree_flatten(
    tree: PyTree[_T],
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[list[_T], TreeSpec]: ...
def tree_leaves(
    tree: PyTree[_T],
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> list[_T]: ...
def tree_structure(
    tree: Any,
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> TreeSpec: ...
def tree_iter(
    tree: PyTree[_T],
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Iterator[_T]: ...
def tree_is_leaf(
    tree: Any,
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool: ...
def tree_flatten_one_level(
    tree: Any,
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[list[Any], tuple[KeyEntry, ...], TreeSpec]: ...
def tree_flatten_with_path(
    tree: PyTree[_T],
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[list[tuple[KeyPath, _T]], TreeSpec]: ...
def tree_leaves_with_path(
    tree: PyTree[_T],
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> list[tuple[KeyPath, _T]]: ...
def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any: ...
def tree_map(
    func: Callable[..., Any],
    tree: Any,
    *rests: Any,
    is_leaf: _IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any: ...
def tree_map_(
    func: Callable[..., Any],
    tree: _T,
    *rests: Any,
    is_leaf: _IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> _T: ...
def tree_map_with_path(
    func: Callable[..., Any],
    tree: Any,
    *rests: Any,
    is_leaf: _IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any: ...
def tree_map_with_path_(
    func: Callable[..., Any],
    tree: _T,
    *rests: Any,
    is_leaf: _IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> _T: ...
def tree_map_only(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any: ...
def tree_map_only_(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: _T,
    is_leaf: _IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> _T: ...
def treespec_mismatches(treespec: TreeSpec, tree: Any, /) -> list[tuple[KeyPath, str]]: ...
def treespec_from_state(state: tuple[int, tuple[Any, ...]], /) -> TreeSpec: ...
def register_node(
    cls: type[Any],
    flatten: Callable[[Any], Any] | None,
    unflatten: Callable[[list[Any], Any], Any] | None,
    keys: Callable[[Any], Any] | None,
    fields: tuple[str, ...] | None,
    namespace: str,
    replace: bool,
    /,
) -> bool: ...
def unregister_node(cls: type[Any], namespace: str, /) -> bool: ...
def is_registered(cls: type[Any], namespace: str, /) -> bool: ...
def set_constant_node(cls: type[Any], /) -> None: ...
