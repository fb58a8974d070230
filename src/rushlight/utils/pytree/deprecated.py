"""Names that PyTorch keeps for old callers; each says what to use instead."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.utils.pytree._pytree_c import TreeSpec
from rushlight.utils.pytree.deserialise import treespec_loads
from rushlight.utils.pytree.registration import register_pytree_node
from rushlight.utils.pytree.serialise import treespec_dumps
from rushlight.utils.pytree.specs import treespec_leaf
from rushlight.utils.pytree.typing import FlattenFn, MaybeFromStrFunc, ToStrFunc, UnflattenFn

__all__ = ["LeafSpec", "pytree_to_str", "str_to_pytree"]


def _register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    to_str_fn: ToStrFunc | None = None,
    maybe_from_str_fn: MaybeFromStrFunc | None = None,
    **options: Any,
) -> None:
    """Deprecated: use `register_pytree_node`, which has these `options`; the functions for texts
    are not used, as in PyTorch."""
    warnings.warn(
        "`_register_pytree_node` is deprecated. Please use `register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


class _LeafSpecMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()

    def __call__(cls, *args: Any, **kwargs: Any) -> TreeSpec:
        warnings.warn(
            "`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) "
            "and treespec.is_leaf()` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if args or kwargs:
            raise TypeError("LeafSpec() takes no arguments")
        return treespec_leaf()


class LeafSpec(metaclass=_LeafSpecMeta):
    """Deprecated: ``LeafSpec()`` is `treespec_leaf()`, and leaves answer ``is_leaf()``."""


def pytree_to_str(treespec: TreeSpec) -> str:
    """Deprecated: use `treespec_dumps`."""
    warnings.warn(
        "`pytree_to_str` is deprecated. Please use `treespec_dumps` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return treespec_dumps(treespec)


def str_to_pytree(json: str) -> TreeSpec:
    """Deprecated: use `treespec_loads`."""
    warnings.warn(
        "`str_to_pytree` is deprecated. Please use `treespec_loads` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return treespec_loads(json)
