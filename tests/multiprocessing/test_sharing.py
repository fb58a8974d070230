"""share_memory_, is_shared, strategies, and PyTorch's names in `reductions`."""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
import rushlight.multiprocessing as mp
from rushlight.multiprocessing import _shm, arena, reductions, sharing
from rushlight.multiprocessing.pickling import ArrayPickler
from rushlight.multiprocessing.reductions import SharedCache, StorageWeakRef
from rushlight.ops import aten
from rushlight.serialization.tensors import Parameter, SparseTensor, TypedStorage


def blocks() -> int:
    return _shm.manager_stat()["blocks"]


@pytest.mark.parametrize("size", [3, 1_000_000])
def test_a_tensor_moves(size: int) -> None:
    source = np.arange(size, dtype=np.float32)
    tensor = aten.mul.Scalar(rushlight.Tensor(source), 1)  # memory of our own
    assert not tensor.is_shared()
    assert tensor.share_memory_() is tensor
    view = aten.select.int(tensor, 0, 1)
    assert view.is_shared()
    tensor.numpy()[1] = 42
    assert view.item() == 42
    assert tensor.numpy()[2:].tolist() == source[2:].tolist()
    assert view.data_ptr() == tensor.data_ptr() + 4


@pytest.mark.parametrize("size", [4, 100_000])
def test_all_views_of_a_storage_move(size: int) -> None:
    base = aten.mul.Scalar(rushlight.Tensor(np.arange(float(size))), 1)
    storage, views = base.untyped_storage(), [base[1:], base[::2], base.reshape(2, -1)]
    parameter = Parameter(base)
    before = base.numpy()
    other = rushlight.Tensor(np.zeros(3))
    assert views[0].share_memory_() is views[0]
    assert all(t.is_shared() for t in (base, parameter, storage, *views))
    assert not other.is_shared()
    assert all(t.untyped_storage() == storage for t in (base, parameter, *views))
    assert [t.data_ptr() - base.data_ptr() for t in views] == [8, 0, 0]
    assert base.tolist() == list(map(float, range(size)))
    base[2] = -1
    assert (views[0][1].item(), views[1][1].item(), parameter[2].item()) == (-1, -1, -1)
    assert before[2] == 2  # an array of another library keeps what it looked at


def test_views_of_a_sent_tensor_move_with_it() -> None:
    base = aten.mul.Scalar(rushlight.Tensor(np.zeros(100_000)), 1)
    view = base[10:]
    queue = mp.get_context("fork").Queue()
    queue.put(base)
    received = queue.get()
    received[10] = 7
    assert view[0].item() == 7
    assert view.is_shared()


def test_frozen_objects_move_too() -> None:
    base = aten.mul.Scalar(rushlight.Tensor(np.zeros(4)), 1)
    view = base[1:]
    gc.freeze()
    try:
        base.share_memory_()
        assert view.is_shared()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_a_borrowed_array_is_left_alone() -> None:
    array = np.ones(5)
    tensor = rushlight.Tensor(array).share_memory_()
    tensor.numpy()[:] = 2
    assert array.tolist() == [1] * 5


def test_shared_memory_ends_with_its_tensors() -> None:
    before = blocks()
    tensor = rushlight.Tensor(np.ones(5)).share_memory_()
    view = aten.select.int(tensor, 0, 1)
    del tensor
    gc.collect()
    assert blocks() == before + 1
    del view
    gc.collect()
    assert blocks() == before


def test_arrays_and_storages() -> None:
    array = mp.share_memory(np.arange(4))
    assert mp.share_memory(array) is array
    assert sharing.is_shared(array[1:])
    assert not sharing.is_shared(np.zeros(3))
    with pytest.raises(TypeError, match="Python objects"):
        mp.share_memory(np.array([None]))
    storage = rushlight.UntypedStorage(100)
    assert not storage.is_shared()
    assert storage.share_memory_().is_shared()


def test_strategies() -> None:
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    assert mp.get_sharing_strategy() == "file_descriptor"
    with pytest.raises(AssertionError, match="invalid sharing strategy 'telepathy'"):
        mp.set_sharing_strategy("telepathy")
    mp.set_sharing_strategy("file_system")
    try:
        names = {p.name for p in Path("/dev/shm").glob("rushlight-*")}
        block = arena.allocate(100)
        assert {p.name for p in Path("/dev/shm").glob("rushlight-*")} >= names
        assert any(p.name.startswith("rushlight-") for p in Path("/dev/shm").iterdir())
        del block
    finally:
        mp.set_sharing_strategy("file_descriptor")


def test_reduce_and_rebuild() -> None:
    tensor = rushlight.Tensor(np.arange(12.0).reshape(3, 4))
    view = aten.transpose.int(tensor, 0, 1)
    function, arguments = reductions.reduce_tensor(view)
    again = function(*arguments)
    assert again.numpy().tolist() == view.numpy().tolist()
    again.numpy()[0, 1] = -1
    assert view.numpy()[0, 1] == -1
    with pytest.raises(OSError, match="received once"):
        function(*arguments)
    function, arguments = reductions.reduce_storage(tensor.untyped_storage())
    whole = function(*arguments[:-1], 12, rushlight.float64)  # elements, not bytes
    assert whole == tensor.untyped_storage()
    function, arguments = reductions.reduce_storage(rushlight.UntypedStorage(0))
    assert function(*arguments).nbytes() == 0


def shared(function: Any, arguments: Any) -> Any:
    """What a receiver makes of something that was reduced."""
    return function(*arguments)


def test_typed_storages() -> None:
    elements = TypedStorage(rushlight.UntypedStorage(bytearray(8)), rushlight.int16)
    again = shared(*reductions.reduce_typed_storage(elements))
    assert again.tolist() == [0] * 4
    again = shared(*reductions.reduce_typed_storage_child(elements))
    assert again.dtype == rushlight.int16
    assert pickle.loads(ArrayPickler.dumps(elements)).tolist() == [0] * 4


def test_sparse_tensors() -> None:
    values = rushlight.Tensor(np.array([1.0, 2.0]))
    indices = rushlight.Tensor(np.array([[0, 1], [1, 2]]))
    coo = SparseTensor("sparse_coo", (indices,), values, (2, 3), True)
    rows = rushlight.Tensor(np.array([0, 1, 2]))
    columns = rushlight.Tensor(np.array([1, 2]))
    csr = SparseTensor("sparse_csr", (rows, columns), values, (2, 3))
    for sparse in (coo, csr):
        again = shared(*reductions.reduce_sparse_tensor(sparse))
        assert again.to_dense().tolist() == [[0, 1, 0], [0, 0, 2]]
        assert (again.layout, again.is_coalesced()) == (sparse.layout, sparse.is_coalesced())
        again.values().numpy()[0] = 5  # the same memory
        assert sparse.values().tolist() == [5, 2]
        again.values().numpy()[0] = 1
        sent = pickle.loads(ArrayPickler.dumps(sparse))
        assert sent.to_dense().tolist() == [[0, 1, 0], [0, 0, 2]]


def test_a_tensor_without_data() -> None:
    meta = reductions.rebuild_meta_tensor(None, (2, 3), (3, 1), 0, rushlight.float32, 24, False)
    assert meta.is_meta
    assert (meta.shape, meta.stride()) == ((2, 3), (3, 1))


def test_rebuild_from_a_descriptor() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"0123456789")
        file.flush()
        ids = reductions.fd_id(file.fileno())
        assert ids == (os.fstat(file.fileno()).st_ino, os.fstat(file.fileno()).st_dev)
        cls = rushlight.UntypedStorage
        storage = reductions.rebuild_storage_fd(cls, DupFd(file.fileno()), 10)
        assert bytes(memoryview(storage)) == b"0123456789"
        assert reductions.rebuild_storage_fd(cls, DupFd(file.fileno()), 10) == storage
        del storage
        with pytest.raises(ValueError, match="20 bytes in a file of 10"):
            reductions.rebuild_storage_fd(cls, DupFd(file.fileno()), 20)


def test_weak_references() -> None:
    tensor = rushlight.Tensor(np.ones(3))
    weak, same = StorageWeakRef(tensor), StorageWeakRef(tensor.untyped_storage())
    assert weak == same
    assert len({weak, same}) == 1
    assert StorageWeakRef.from_weakref(tensor.untyped_storage().weak()) == weak
    assert weak.storage() == tensor.untyped_storage()
    assert not weak.expired()
    del tensor
    assert weak.expired()
    assert weak.storage() is None


def test_the_cache_drops_what_is_gone() -> None:
    cache = SharedCache()
    kept = [rushlight.UntypedStorage(1) for _ in range(10)]
    for i, storage in enumerate(kept):
        cache[i] = StorageWeakRef(storage)
    for i in range(1000):
        cache[1000 + i] = StorageWeakRef(rushlight.UntypedStorage(1))
    assert len(cache) <= 130
    assert all(cache.get(i) == StorageWeakRef(s) for i, s in enumerate(kept))
