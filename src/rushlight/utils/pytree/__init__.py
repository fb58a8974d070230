"""Pytrees: nested containers taken apart into leaves and structure, for anybody's leaves.

    leaves, treespec = tree_flatten({"w": [1, 2], "b": 3})   # [1, 2, 3], and what holds them
    tree_map(lambda x: x + 1, {"w": [1, 2], "b": 3})          # {'w': [2, 3], 'b': 4}

The names, signatures and defaults are those of ``torch.utils._pytree``; what ``jax.tree_util`` and
``optree`` have beyond is here too. Every function that walks a tree takes ``none_is_leaf=False``
(None is a node without children) and ``namespace=`` (also use types registered under that name).
"""

from rushlight.utils.pytree import (
    broadcast,
    common,
    constants,
    deprecated,
    deserialise,
    fields,
    interop,
    json_context,
    keys,
    leaves,
    names,
    ravel,
    registered,
    registration,
    serialise,
    specs,
    structures,
    transpose,
    typing,
)
from rushlight.utils.pytree._pytree_c import (
    FlattenedIndexKey,
    GetAttrKey,
    KeyPath,
    MappingKey,
    SequenceKey,
    TreeSpec,
    tree_flatten,
    tree_flatten_with_path,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_only_,
    tree_map_with_path,
    tree_map_with_path_,
    tree_structure,
    tree_unflatten,
)
from rushlight.utils.pytree.broadcast import *  # noqa: F403
from rushlight.utils.pytree.common import *  # noqa: F403
from rushlight.utils.pytree.constants import *  # noqa: F403
from rushlight.utils.pytree.deprecated import *  # noqa: F403
from rushlight.utils.pytree.deserialise import *  # noqa: F403
from rushlight.utils.pytree.fields import *  # noqa: F403
from rushlight.utils.pytree.interop import *  # noqa: F403
from rushlight.utils.pytree.json_context import *  # noqa: F403
from rushlight.utils.pytree.keys import *  # noqa: F403
from rushlight.utils.pytree.leaves import *  # noqa: F403
from rushlight.utils.pytree.names import *  # noqa: F403
from rushlight.utils.pytree.ravel import *  # noqa: F403
from rushlight.utils.pytree.registered import *  # noqa: F403
from rushlight.utils.pytree.registration import *  # noqa: F403
from rushlight.utils.pytree.serialise import *  # noqa: F403
from rushlight.utils.pytree.specs import *  # noqa: F403
from rushlight.utils.pytree.structures import *  # noqa: F403
from rushlight.utils.pytree.transpose import *  # noqa: F403
from rushlight.utils.pytree.typing import *  # noqa: F403

PyTreeSpec = TreeSpec
# PyTorch's private names for them.
_broadcast_to_and_flatten = broadcast.broadcast_to_and_flatten
_register_namedtuple = names.register_namedtuple
_register_pytree_node = deprecated._register_pytree_node
_deregister_pytree_node = registration.unregister_pytree_node

__all__ = [
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyPath",
    "MappingKey",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_map_with_path_",
    "tree_structure",
    "tree_unflatten",
]
__all__ += broadcast.__all__
__all__ += common.__all__
__all__ += constants.__all__
__all__ += deprecated.__all__
__all__ += deserialise.__all__
__all__ += fields.__all__
__all__ += interop.__all__
__all__ += json_context.__all__
__all__ += keys.__all__
__all__ += leaves.__all__
__all__ += names.__all__
__all__ += ravel.__all__
__all__ += registered.__all__
__all__ += registration.__all__
__all__ += serialise.__all__
__all__ += specs.__all__
__all__ += structures.__all__
__all__ += transpose.__all__
__all__ += typing.__all__
