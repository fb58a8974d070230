"""Arrays in messages: values, layout, and views that stay views."""

from __future__ import annotations

import pickle
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight
from rushlight.multiprocessing import _shm, arena
from rushlight.multiprocessing.pickling import ArrayPickler
from rushlight.ops import aten


def send(message: Any) -> Any:
    return pickle.loads(ArrayPickler.dumps(message))


DTYPES = ["?", "i1", "u1", "<i2", "<i4", "<i8", "<u8", ">i4", "<f2", "<f4", "<f8", "<c8", "<c16"]


@settings(max_examples=150, deadline=None)
@given(
    st.data(),
    arrays.arrays(st.sampled_from(DTYPES), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0)),
    st.sampled_from([0, 100_000]),
)
def test_any_view_arrives(data: st.DataObject, array: Any, padding: int) -> None:
    # Beside a large array the small one travels by reference too.
    index = data.draw(arrays.basic_indices(array.shape, allow_newaxis=True))
    view = array[index] if array.ndim else array
    axes = data.draw(st.permutations(range(np.ndim(view))))
    view = np.transpose(view, axes) if isinstance(view, np.ndarray) else np.asarray(view)
    received, _, again = send([view, np.zeros(padding, np.uint8), view])
    assert received is again
    assert received.dtype == view.dtype
    assert received.shape == view.shape
    assert received.tobytes() == view.tobytes()
    assert received.flags.writeable
    assert not np.shares_memory(received, view)


@pytest.mark.parametrize("size", [100, 100_000])
def test_views_of_one_array_stay_views_of_one(size: int) -> None:
    base = np.arange(size, dtype=np.int64)
    message = {"head": base[:60], "later": [base[40:90:2], base[::-1]], "other": np.ones(3)}
    received = send(message)
    received["head"][:] = -1
    later, backwards = received["later"]
    assert later.tolist() == [-1 if i < 60 else i for i in range(40, 90, 2)]
    assert backwards[-60:].tolist() == [-1] * 60
    assert received["other"].tolist() == [1, 1, 1]
    assert base[0] == 0


def test_only_what_is_seen_of_a_large_array_travels() -> None:
    large = np.zeros(10_000_000)
    assert len(ArrayPickler.dumps([large[:10], large[-10:]])) < 1000
    thin = large[::100_000]
    assert len(ArrayPickler.dumps(thin)) < 2000
    assert send(thin).tolist() == [0.0] * 100


def test_small_messages_need_no_shared_memory() -> None:
    before = _shm.manager_stat()
    message = ArrayPickler.dumps([np.ones(10), rushlight.Tensor(np.ones(1000))])
    assert _shm.manager_stat() == before
    assert len(message) < 9000


def test_large_messages_copy_nothing_into_the_stream() -> None:
    assert len(ArrayPickler.dumps([np.ones(100_000), {"a": np.ones(200_000)}])) < 1000


def test_received_arrays_are_sent_on_without_a_copy() -> None:
    first = send(np.zeros(100_000))
    second = send([first, first[5:10]])
    second[0][7] = 3
    assert first[7] == 3
    assert second[1][2] == 3


def test_arrays_that_are_no_plain_memory_travel_by_pickle() -> None:
    masked = np.ma.masked_array([1, 2, 3], [False, True, False])
    objects = np.array([{"a": 1}, None], dtype=object)
    received = send([masked, objects])
    assert received[0].mask.tolist() == [False, True, False]
    assert received[1][0] == {"a": 1}


def test_structured_arrays_and_dates() -> None:
    structured = np.zeros(3, dtype=[("id", "i4"), ("score", "f8")])
    structured["score"] = [1, 2, 3]
    dates = np.array(["2026-01-01", "NaT"], dtype="datetime64[D]")
    received = send([structured, dates])
    assert received[0].dtype == structured.dtype
    assert received[0]["score"].tolist() == [1, 2, 3]
    assert received[1].dtype == dates.dtype
    assert str(received[1][0]) == "2026-01-01"


class Frame:
    """Like a data frame: pickles its memory out of band."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Frame, (pickle.PickleBuffer(self.data),)


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_what_pickles_out_of_band_travels_so(kind: Any) -> None:
    data = kind(b"0123456789" * 10_000)
    array = np.arange(10)
    message = ArrayPickler.dumps([array, Frame(data), Frame(kind(b"small")), array[2:]])
    assert len(message) < 2000
    first, frame, small, last = pickle.loads(message)
    assert bytes(frame.data) == data
    assert memoryview(frame.data).readonly == (kind is bytes)
    assert bytes(small.data) == b"small"
    assert first.tolist() == list(range(10))
    first[3] = -1
    assert last[1] == -1


def test_tensors_and_their_views() -> None:
    tensor = rushlight.Tensor(np.arange(12.0).reshape(3, 4))
    view = aten.transpose.int(tensor, 0, 1)
    received, transposed = send((tensor, view))
    received.numpy()[0, 1] = -5
    assert transposed.numpy()[1, 0] == -5
    assert received.untyped_storage() == transposed.untyped_storage()
    assert tensor.numpy()[0, 1] == 1


def test_a_large_tensor_is_shared_with_its_receivers() -> None:
    tensor = rushlight.Tensor(np.zeros(100_000, np.float32))
    assert not tensor.is_shared()
    received = send(tensor)
    assert tensor.is_shared()
    received.numpy()[7] = 1
    assert tensor.numpy()[7] == 1
    again = send(tensor)
    assert again.untyped_storage() == received.untyped_storage()


def test_storages() -> None:
    storage = rushlight.UntypedStorage(bytearray(b"0123456789" * 10_000))
    tensor = rushlight._C.rebuild_tensor(storage, rushlight.uint8, 3, [5], [1])
    received, view = send([storage, tensor])
    assert received.nbytes() == storage.nbytes()
    assert bytes(memoryview(received)) == b"0123456789" * 10_000
    assert bytes(view.numpy()) == b"34567"


def test_a_failed_pickle_leaves_nothing() -> None:
    before = _shm.manager_stat()
    with pytest.raises((AttributeError, pickle.PicklingError)):
        ArrayPickler.dumps([np.ones(100_000), lambda: None])
    assert _shm.manager_stat() == before


def test_without_a_manager_arrays_travel_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(nbytes: int) -> None:
        raise OSError(28, "no room")

    monkeypatch.setattr(arena, "allocate", no_room)
    large = np.arange(100_000)
    message = ArrayPickler.dumps([large, rushlight.Tensor(np.ones(20_000))])
    assert len(message) > large.nbytes
    received = pickle.loads(message)
    assert np.array_equal(received[0], large)
    assert received[1].numpy().sum() == 20_000
