"""The libraries that benchmarks/pytree.py compares: how each calls the same operations."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import rushlight.utils.pytree as ours


@dataclasses.dataclass
class Block:
    weight: Any
    bias: Any
    scale: Any


@dataclasses.dataclass
class Library:
    """The operations of one library; None where it has none."""

    name: str
    flatten: Callable[[Any], Any]
    unflatten: Callable[[Any, Any], Any]
    map: Callable[..., Any]
    map_with_path: Callable[..., Any] | None
    structure: Callable[[Any], Any] | None  # None: its structures have no ==
    spec_first: bool = False  # unflatten(spec, leaves)


def libraries() -> list[Library]:
    found = [
        Library(
            "rushlight",
            ours.tree_flatten,
            ours.tree_unflatten,
            ours.tree_map,
            ours.tree_map_with_path,
            ours.tree_structure,
        )
    ]
    ours.register_dataclass(Block)
    try:
        from jax import tree_util as jax_tree
    except ImportError:
        pass
    else:
        jax_tree.register_dataclass(Block, ["weight", "bias", "scale"], [])
        found.append(
            Library(
                "jax",
                jax_tree.tree_flatten,
                jax_tree.tree_unflatten,
                jax_tree.tree_map,
                jax_tree.tree_map_with_path,
                jax_tree.tree_structure,
                spec_first=True,
            )
        )
    found += _optree() + _torch() + _dm_tree()
    return found


def _optree() -> list[Library]:
    try:
        import optree
    except ImportError:
        return []
    optree.register_pytree_node(
        Block,
        lambda b: ((b.weight, b.bias, b.scale), None),
        lambda _, children: Block(*children),
        namespace="bench",
    )

    options: dict[str, Any] = {"none_is_leaf": True, "namespace": "bench"}
    return [
        Library(
            "optree",
            functools.partial(optree.tree_flatten, **options),
            optree.tree_unflatten,
            functools.partial(optree.tree_map, **options),
            functools.partial(optree.tree_map_with_path, **options),
            functools.partial(optree.tree_structure, **options),
            spec_first=True,
        )
    ]


def _torch() -> list[Library]:
    try:
        from torch.utils import _pytree as python
    except ImportError:
        return []
    python.register_dataclass(Block)
    found = [
        Library(
            "torch",
            python.tree_flatten,
            python.tree_unflatten,
            python.tree_map,
            python.tree_map_with_path,
            python.tree_structure,
        )
    ]
    try:
        from torch.utils import _cxx_pytree as cxx
    except ImportError:
        return found
    return [
        *found,
        Library(
            "torch C++",
            cxx.tree_flatten,
            cxx.tree_unflatten,
            cxx.tree_map,
            None,
            cxx.tree_structure,
        ),
    ]


def _dm_tree() -> list[Library]:
    try:
        import tree as dm
    except ImportError:
        return []
    # Its flatten gives no structure; an unflatten needs a tree to copy. Dataclasses are leaves.
    return [
        Library(
            "dm-tree",
            dm.flatten,
            dm.unflatten_as,
            dm.map_structure,
            dm.map_structure_with_path,
            None,
            spec_first=True,
        )
    ]
