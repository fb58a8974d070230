"""Types that jax and optree know, arrays of several libraries. Tests that need these libraries are
marked oracle, as those that need PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.utils import pytree


def test_ravel_numpy() -> None:
    tree = {"a": np.arange(4, dtype=np.float32).reshape(2, 2), "b": [np.int64(7), 1.5]}
    flat, unravel = pytree.ravel_pytree(tree)
    assert flat.dtype == np.float64
    assert flat.tolist() == [0, 1, 2, 3, 7, 1.5]
    again = unravel(flat * 2)
    assert again["a"].dtype == np.float32
    assert again["a"].tolist() == [[0, 2], [4, 6]]
    assert again["b"][0].dtype == np.int64
    assert again["b"][0] == 14
    with pytest.raises(ValueError, match=r"a vector of shape \(6,\) expected, got \(5,\)"):
        unravel(flat[:5])
    flat, unravel = pytree.ravel_pytree({"x": []})
    assert flat.shape == (0,)
    assert unravel(flat) == {"x": []}
    flat, _ = pytree.ravel_pytree([1, 2.5])
    assert flat.tolist() == [1, 2.5]
    for leaf, name in ((object(), "object"), ("text", "str"), (None, "NoneType"), (np, "module")):
        message = rf"^ravel_pytree: at \['a'\]\[1\]: an array expected, got {name}$"
        with pytest.raises(TypeError, match=message):
            pytree.ravel_pytree({"a": [np.ones(2), leaf]})
    with pytest.raises(TypeError, match=r"^ravel_pytree: at the root: an array expected, got str$"):
        pytree.ravel_pytree("text")

    class Own(np.ndarray):
        pass

    flat, _ = pytree.ravel_pytree([np.ones(2).view(Own), 1])
    assert flat.tolist() == [1, 1, 1]


def test_ravel_our_tensors() -> None:
    import rushlight
    from rushlight.ops import aten

    weight = rushlight.from_numpy(np.arange(4, dtype=np.int64).reshape(2, 2))
    empty = rushlight.from_numpy(np.zeros((0, 3), np.float32))
    tree = {"w": weight, "b": [1.5, 7], "none": empty}
    flat, unravel = pytree.ravel_pytree(tree)
    assert isinstance(flat, rushlight.Tensor)
    assert flat.dtype == rushlight.float32
    assert flat.tolist() == [0, 1, 2, 3, 1.5, 7]
    again = unravel(aten.mul.Scalar(flat, 2))
    assert again["w"].tolist() == [[0, 2], [4, 6]]
    assert again["w"].dtype == rushlight.int64
    assert again["b"][0].item() == 3.0
    assert (again["b"][1].item(), again["b"][1].dtype) == (14, rushlight.int64)
    assert again["none"].shape == (0, 3)
    with pytest.raises(TypeError, match=r"at \[1\]: an array of rushlight expected"):
        pytree.ravel_pytree([weight, np.ones(2)])
    with pytest.raises(TypeError, match=r"at \[1\]: an array expected, got dtype$"):
        pytree.ravel_pytree([weight, rushlight.float32])
    with pytest.raises(ValueError, match=r"a vector of shape \(6,\) expected, got \(4,\)"):
        unravel(aten.reshape(weight, [-1]))


@pytest.mark.oracle
def test_ravel_jax() -> None:
    import jax.numpy as jnp

    tree = {"a": jnp.ones((2, 2)), "b": [jnp.int32(7)]}
    flat, unravel = pytree.ravel_pytree(tree)
    assert flat.tolist() == [1, 1, 1, 1, 7]
    again = unravel(flat)
    assert again["b"][0].dtype == jnp.int32
    assert again["a"].shape == (2, 2)
    with pytest.raises(TypeError, match=r"at \[1\]: an array of jax expected"):
        pytree.ravel_pytree([jnp.ones(2), np.ones(2)])


@pytest.mark.oracle
def test_types_registered_in_jax() -> None:
    from jax import tree_util as jax_tree

    class Params:
        def __init__(self, w: Any, b: Any) -> None:
            self.w, self.b = w, b

    jax_tree.register_pytree_with_keys(
        Params,
        lambda p: ((("w", p.w), (jax_tree.GetAttrKey("b"), p.b)), "aux"),
        lambda aux, children: Params(*children),
    )
    assert Params in pytree.register_from_jax()
    tree = [Params(1, {"x": 2})]
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2] == jax_tree.tree_leaves(tree)
    assert spec.child(0).context == "aux"
    assert spec.unflatten([3, 4])[0].b == {"x": 4}
    assert [str(p) for p in pytree.tree_paths(tree)] == ["[0][<flat index 0>]", "[0].b['x']"]
    partial = jax_tree.Partial(max, 1, default=2)
    assert pytree.tree_leaves(partial) == [1, 2]
    assert pytree.register_from_jax() == []


@pytest.mark.oracle
def test_types_registered_in_optree() -> None:
    import optree

    class Box:
        def __init__(self, **items: Any) -> None:
            self.items = items

        def __getitem__(self, key: str) -> Any:
            return self.items[key]

    optree.register_pytree_node(
        Box,
        lambda b: (tuple(b.items.values()), tuple(b.items), tuple(b.items)),
        lambda names, children: Box(**dict(zip(names, children, strict=True))),
        path_entry_type=optree.GetItemEntry,
        namespace="interop",
    )
    assert pytree.register_from_optree("interop") == [Box]
    box = Box(a=1, b=[2])
    assert pytree.tree_leaves(box) == [box]
    assert pytree.tree_leaves(box, namespace="interop") == [1, 2]
    pairs = pytree.tree_leaves_with_path(box, namespace="interop")
    assert [str(p) for p, _ in pairs] == ["['a']", "['b'][0]"]
    assert [p.get(box) for p, _ in pairs] == [1, 2]
    again = pytree.tree_map(lambda x: x + 1, box, namespace="interop")
    assert again.items == {"a": 2, "b": [3]}
    assert pytree.register_from_optree("interop") == []


@pytest.mark.oracle
def test_leaves_agree_with_jax_and_optree_for_sorted_keys() -> None:
    import optree
    from jax import tree_util as jax_tree

    tree = {"a": [1, (2, 3)], "b": {"c": 4}}
    assert pytree.tree_leaves(tree) == jax_tree.tree_leaves(tree) == optree.tree_leaves(tree)
    texts = [str(p) for p, _ in pytree.tree_leaves_with_path(tree)]
    assert texts == [jax_tree.keystr(p) for p, _ in jax_tree.tree_leaves_with_path(tree)]
    outer, inner = pytree.tree_structure([0, 0]), pytree.tree_structure((0, 0))
    turned = pytree.tree_transpose(outer, inner, [(1, 2), (3, 4)])
    assert turned == jax_tree.tree_transpose(
        jax_tree.tree_structure([0, 0]), jax_tree.tree_structure((0, 0)), [(1, 2), (3, 4)]
    )
    for name in ("broadcast_prefix", "tree_broadcast_prefix", "tree_broadcast_common"):
        ours, theirs = getattr(pytree, name), getattr(optree, name)
        assert ours([1, 2], [[0, 0], {"a": 0}]) == theirs([1, 2], [[0, 0], {"a": 0}])
    assert pytree.tree_partition(lambda x: x > 2, tree) == optree.tree_partition(
        lambda x: x > 2, tree
    )
