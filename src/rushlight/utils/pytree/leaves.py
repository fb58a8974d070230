"""Questions about the leaves of a tree, and folds over them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import UnionType
from typing import Any, TypeVar, cast

from rushlight.utils.pytree._pytree_c import tree_is_leaf, tree_iter, tree_leaves, tree_map
from rushlight.utils.pytree.typing import Fn, FnAny, IsLeaf, MapOnlyFn, PyTree, TypeAny

__all__ = [
    "all_leaves",
    "arg_tree_leaves",
    "map_only",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_max",
    "tree_min",
    "tree_partition",
    "tree_reduce",
    "tree_replace_nones",
    "tree_sum",
]

T = TypeVar("T")
U = TypeVar("U")

_MISSING: Any = object()


def tree_all(
    pred: Callable[[Any], Any],
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool:
    """Whether `pred` holds for every leaf; stops at the first where it doesn't."""
    leaves = tree_iter(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return all(map(pred, leaves))


def tree_any(
    pred: Callable[[Any], Any],
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool:
    """Whether `pred` holds for some leaf; stops at the first where it does."""
    leaves = tree_iter(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return any(map(pred, leaves))


def tree_all_only(
    type_or_types: TypeAny,
    /,
    pred: FnAny[Any],
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool:
    """`tree_all` over the leaves of some type."""
    leaves = tree_iter(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return all(pred(leaf) for leaf in leaves if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: TypeAny,
    /,
    pred: FnAny[Any],
    tree: PyTree[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool:
    """`tree_any` over the leaves of some type."""
    leaves = tree_iter(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return any(pred(leaf) for leaf in leaves if isinstance(leaf, type_or_types))


def map_only(type_or_types_or_pred: TypeAny | Callable[[Any], bool], /) -> MapOnlyFn[Fn[Any, Any]]:
    """Decorator: the function is applied to objects of some type (or those a predicate picks),
    others come back as they are."""
    by_type = isinstance(type_or_types_or_pred, (type, tuple, UnionType))
    if not by_type and not callable(type_or_types_or_pred):
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    chosen: Any = cast(Any, type_or_types_or_pred)

    def pred(x: Any) -> Any:
        return isinstance(x, chosen) if by_type else chosen(x)

    def wrapper(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(func)
        def wrapped(x: Any) -> Any:
            return func(x) if pred(x) else x

        return wrapped

    return wrapper


def all_leaves(
    iterable: Iterable[Any],
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> bool:
    """Whether every object in `iterable` is a leaf."""
    return all(
        tree_is_leaf(item, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
        for item in iterable
    )


def arg_tree_leaves(*args: PyTree[Any], **kwargs: PyTree[Any]) -> list[Any]:
    """The leaves of all arguments together."""
    return tree_leaves((args, kwargs))


def tree_reduce(
    func: Callable[[Any, Any], Any],
    tree: PyTree[Any],
    initial: Any = _MISSING,
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """``functools.reduce`` over the leaves."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    if initial is _MISSING:
        return functools.reduce(func, leaves)
    return functools.reduce(func, leaves, initial)


def tree_sum(
    tree: PyTree[Any],
    start: Any = 0,
    is_leaf: IsLeaf | None = None,
    *,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """`start` plus every leaf."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return sum(leaves, start)


def tree_max(
    tree: PyTree[Any],
    *,
    default: Any = _MISSING,
    key: Callable[[Any], Any] | None = None,
    is_leaf: IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """The largest leaf; `default`, or a ValueError, if there is none."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return max(leaves, key=key) if default is _MISSING else max(leaves, key=key, default=default)


def tree_min(
    tree: PyTree[Any],
    *,
    default: Any = _MISSING,
    key: Callable[[Any], Any] | None = None,
    is_leaf: IsLeaf | None = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> Any:
    """The smallest leaf; `default`, or a ValueError, if there is none."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return min(leaves, key=key) if default is _MISSING else min(leaves, key=key, default=default)


def tree_partition(
    predicate: Callable[[T], bool],
    tree: PyTree[T],
    is_leaf: IsLeaf | None = None,
    *,
    fillvalue: Any = None,
    none_is_leaf: bool = True,
    namespace: str = "",
) -> tuple[Any, Any]:
    """Two trees of the same structure: the leaves where `predicate` holds, and the others.
    `fillvalue` stands where the leaf is in the other tree."""
    chosen = []

    def keep(leaf: T) -> Any:
        yes = bool(predicate(leaf))
        chosen.append(yes)
        return leaf if yes else fillvalue

    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    left = tree_map(keep, tree, is_leaf=is_leaf, **options)
    flags = iter(chosen)
    right = tree_map(
        lambda leaf: fillvalue if next(flags) else leaf, tree, is_leaf=is_leaf, **options
    )
    return left, right


def tree_replace_nones(sentinel: Any, tree: PyTree[Any], *, namespace: str = "") -> Any:
    """The tree with `sentinel` for every None."""
    return tree_map(lambda leaf: sentinel if leaf is None else leaf, tree, namespace=namespace)
