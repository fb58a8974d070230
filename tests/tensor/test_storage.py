"""UntypedStorage and rebuild_tensor."""

from __future__ import annotations

import gc
import mmap

import numpy as np
import pytest

import rushlight
from rushlight import UntypedStorage
from rushlight._C import rebuild_tensor


def test_a_buffer_is_shared_and_kept_alive() -> None:
    memory = bytearray(np.arange(6, dtype=np.float32).tobytes())
    storage = UntypedStorage(memory)
    tensor = rebuild_tensor(storage, rushlight.float32, 1, (2, 2), (1, 2))
    assert tensor.tolist() == [[1, 3], [2, 4]]
    memoryview(memory).cast("f")[1] = 9
    assert tensor.tolist()[0][0] == 9
    with pytest.raises(BufferError):  # the tensor holds the memory
        memory.extend(b"x")
    del storage, tensor
    gc.collect()
    memory.extend(b"x")


def test_views_know_their_storage() -> None:
    storage = UntypedStorage(32)
    one = rebuild_tensor(storage, rushlight.int64, 0, (2,), (1,))
    two = rebuild_tensor(storage, rushlight.int64, 2, (2,), (1,))
    assert one.untyped_storage() == two.untyped_storage() == storage
    assert hash(one.untyped_storage()) == hash(storage)
    assert storage != UntypedStorage(32)
    assert two.storage_offset() == 2
    assert two.data_ptr() == storage.data_ptr() + 16
    assert storage.nbytes() == len(storage) == memoryview(storage).nbytes == 32


def test_writing_through_the_buffer_changes_the_tensor() -> None:
    storage = UntypedStorage(8)
    memoryview(storage).cast("B").cast("q")[0] = 77
    assert rebuild_tensor(storage, rushlight.int64, 0, (), ()).item() == 77


def test_read_only_memory_stays_read_only() -> None:
    storage = UntypedStorage(bytes(8))
    assert storage.read_only
    assert memoryview(storage).readonly
    tensor = rebuild_tensor(storage, rushlight.float32, 0, (2,), (1,))
    assert not tensor.numpy().flags.writeable
    assert not UntypedStorage(8).read_only


def test_memory_of_a_map() -> None:
    with mmap.mmap(-1, 4096) as memory:
        tensor = rebuild_tensor(UntypedStorage(memory), rushlight.uint8, 4095, (1,), (1,))
        memory[4095] = 5
        assert tensor.item() == 5
        del tensor


@pytest.mark.parametrize(
    ("offset", "size", "stride", "message"),
    [
        (0, (5,), (1,), "needs 5 elements, but the storage holds 4"),
        (3, (2,), (1,), "needs 5 elements"),
        (-1, (1,), (1,), "negative"),
        (0, (2,), (-1,), "negative"),
        (0, (-2,), (1,), "negative"),
        (0, (2, 2**62), (2**62, 2), "overflow"),
        (0, (2,), (1, 1), "as many strides as sizes"),
        (5, (0,), (1,), "outside"),
    ],
)
def test_elements_outside_are_refused(
    offset: int, size: tuple[int, ...], stride: tuple[int, ...], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        rebuild_tensor(UntypedStorage(16), rushlight.float32, offset, size, stride)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="contiguous buffer, got str"):
        UntypedStorage("text")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="at least 0, got -1"):
        UntypedStorage(-1)
    with pytest.raises(TypeError, match="contiguous buffer"):
        UntypedStorage(np.arange(8)[::2])
    with pytest.raises(TypeError, match=r"expected a rushlight\.dtype, got"):
        rebuild_tensor(UntypedStorage(8), "float32", 0, (1,), (1,))  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="aligned"):
        rebuild_tensor(
            UntypedStorage(memoryview(bytearray(17))[1:]), rushlight.float64, 0, (1,), (1,)
        )
