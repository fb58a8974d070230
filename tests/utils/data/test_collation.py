"""Collating: `collate`, `default_collate`, `default_convert`."""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight
from rushlight.utils import pytree
from rushlight.utils.data import collate, default_collate, default_convert
from rushlight.utils.data._utils.collate import default_collate_fn_map
from tests.utils.data.datasets import plain


class Point(NamedTuple):
    x: Any
    y: Any


class Tagged(dict[str, Any]):
    tag = "none"


@dataclass
class Pair:
    left: Any
    right: Any


def test_arrays_numbers_and_text() -> None:
    batch = default_collate([(np.ones(2, np.float32), 1, 2.5, "a", True, np.int16(4))] * 2)
    assert isinstance(batch, list)
    assert [str(t.dtype) for t in batch if isinstance(t, rushlight.Tensor)] == [
        f"rushlight.{n}" for n in ("float32", "int64", "float64", "bool", "int16")
    ]
    assert plain(batch[0]) == [[1, 1], [1, 1]]
    assert batch[3] == ("a", "a")


def test_top_level_kinds() -> None:
    assert plain(default_collate([1, 2, 3])) == [1, 2, 3]
    assert default_collate(["a", "b"]) == ["a", "b"]
    assert plain(default_collate([rushlight.Tensor(np.arange(2))] * 2)) == [[0, 1], [0, 1]]
    assert plain(default_collate([np.array(1.5), np.array(2.5)])) == [1.5, 2.5]
    assert default_collate([np.zeros((0, 3))] * 2).shape == (2, 0, 3)


def test_containers() -> None:
    tagged = Tagged(a=1)
    tagged.tag = "kept"
    collated = default_collate([tagged, Tagged(a=2)])
    assert type(collated) is Tagged
    assert collated.tag == "kept"
    assert plain(collated["a"]) == [1, 2]
    point = default_collate([Point(1, "a"), Point(2, "b")])
    assert type(point) is Point
    assert plain(point.x) == [1, 2]
    assert type(default_collate([MappingProxyType({"a": 1})])) in {dict, MappingProxyType}
    assert type(default_collate([collections.deque([1, 2])] * 2)) is collections.deque
    assert plain(default_collate([[1, 2], [3, 4]])) == [[1, 3], [2, 4]]
    assert plain(default_collate([range(2), range(2)])) == [[0, 0], [1, 1]]


def test_registered_containers() -> None:
    pytree.register_dataclass(Pair)
    try:
        batch = default_collate([Pair(1, {"a": 2.0}), Pair(3, {"a": 4.0})])
        assert type(batch) is Pair
        assert plain(batch.right) == {"a": [2.0, 4.0]}
        with pytest.raises(TypeError, match=r"^.*right\['a'\]: NoneType"):
            default_collate([Pair(1, {"a": None})] * 2)
        converted = default_convert([Pair(np.ones(2), {"a": np.float32(3), "b": "text"})])[0]
        assert type(converted) is Pair
        assert isinstance(converted.left, rushlight.Tensor)
        assert plain(converted.right["a"]) == 3
        assert converted.right["b"] == "text"
    finally:
        pytree.unregister_pytree_node(Pair)


ARRAYS = st.sampled_from(["float32", "float64", "int64", "uint8", "bool", "complex64"])


@given(ARRAYS, st.lists(st.integers(0, 3), max_size=3), st.integers(1, 4))
def test_stacking_is_numpys(dtype: str, shape: list[int], n: int) -> None:
    arrays = [np.full(shape, i).astype(dtype) for i in range(n)]
    batch = default_collate(arrays)
    assert np.array_equal(np.asarray(batch), np.stack(arrays))
    assert str(batch.dtype) == f"rushlight.{dtype}"


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        ([{"a": 1, "b": None}], TypeError, r"^\['b'\]: NoneType cannot be collated"),
        ([{"a": [1, (object(),)]}], TypeError, r"^\['a'\]\[1\]\[0\]: object"),
        ([Point({"z": None}, 1)], TypeError, r"^\.x\['z'\]: NoneType"),
        ([None], TypeError, r"^default_collate: batch must contain .* found <class 'NoneType'>"),
        ([{"a": np.array(["x"])}], TypeError, r"^\['a'\]: <U1"),
        ([{"a": np.array([None])}], TypeError, r"^\['a'\]: object"),
        ([{"a": 1}, {"b": 1}], KeyError, r"\['a'\]: missing in sample 1"),
        (
            [{"a": np.ones(2)}, {"a": np.ones(3)}],
            RuntimeError,
            r"^\['a'\]: stack expects each tensor to be equal size, "
            r"but got \[2\] at entry 0 and \[3\] at entry 1",
        ),
        ([[1, 2], [1]], RuntimeError, r"^each element in list of batch should be of equal size"),
        ([(0, [1, 2]), (0, [1])], RuntimeError, r"^\[1\]: each element .* \[2, 1\]"),
        ([{"a": 1}, {"a": "x"}], TypeError, r"^\['a'\]: sample 1, str"),
        ([{"a": np.ones(1)}, {"a": None}], TypeError, r"^\['a'\]: sample 1, NoneType"),
        ([{"a": 2**70}], OverflowError, r"^\['a'\]: a number does not fit"),
    ],
)
def test_errors_name_the_place(samples: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        default_collate(samples)
    assert re.search(message, str(caught.value).strip('"')), caught.value


def test_custom_maps() -> None:
    def joined(batch: Any, *, collate_fn_map: Any = None) -> str:
        return "+".join(map(str, batch))

    assert collate([1, 2], collate_fn_map={int: joined}) == "1+2"
    assert collate([True, False], collate_fn_map={int: joined}) == "True+False"
    assert collate([{"a": 1}, {"a": 2}], collate_fn_map={(int, float): joined}) == {"a": "1+2"}
    with pytest.raises(TypeError, match=r"\['a'\]: str"):
        collate([{"a": "x"}], collate_fn_map={int: joined})
    default_collate_fn_map[object] = joined
    try:
        assert default_collate([None, None]) == "None+None"
    finally:
        del default_collate_fn_map[object]


def test_convert() -> None:
    sample = {"x": np.ones(2), "n": 3, "s": np.array(["a"]), "t": (np.float32(1), "b")}
    converted = default_convert(sample)
    assert isinstance(converted["x"], rushlight.Tensor)
    assert converted["n"] == 3
    assert converted["s"] is sample["s"]
    assert isinstance(converted["t"], list)
    assert isinstance(converted["t"][0], rushlight.Tensor)
    assert isinstance(default_convert(Point(np.ones(1), 2)).x, rushlight.Tensor)
    assert type(default_convert(Tagged(a=np.ones(1)))) is Tagged
