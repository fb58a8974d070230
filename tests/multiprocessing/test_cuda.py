"""The logic of CUDA IPC, against a fake driver that refuses what a real one refuses."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import pytest

import rushlight.multiprocessing as mp
from rushlight.multiprocessing import cuda
from rushlight.multiprocessing.pickling import ArrayPickler
from tests.multiprocessing import fake_cuda
from tests.multiprocessing.test_arena import wait_until


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Any:
    return fake_cuda.install(monkeypatch)


def device_array(offset: int, count: int) -> fake_cuda.ndarray:
    array = fake_cuda.ndarray(fake_cuda.BASE + offset, (count,), "<f4", None)
    array.host()[:] = range(count)
    return array


def _change(driver: Any, requests: Any, replies: Any) -> None:
    driver.__init__()
    while (arrays := requests.get()) is not None:
        for array in arrays:
            array.host()[:] += 1
        seen = [array.host().tolist() for array in arrays]
        replies.put((seen, list(driver.log), len(driver.opened)))
        arrays.clear()
        del array
        gc.collect()
        replies.put((list(driver.log), len(driver.opened)))
        driver.log.clear()


def test_arrays_are_opened_once_and_closed(driver: Any) -> None:
    context = mp.get_context("fork")
    requests, replies = context.Queue(), context.Queue()
    child = context.Process(target=_change, args=(driver, requests, replies))
    child.start()
    first, same_page, other_page = (device_array(at, 3) for at in (64, 512, 8192))
    for round_ in range(1, 3):
        requests.put([first, same_page, other_page])
        seen, log, opened = replies.get(timeout=60)
        assert seen == [[float(i + round_) for i in range(3)]] * 3
        assert log.count("open") == opened == 2  # two allocations, three arrays
        assert log.count("wait") == 3
        log, opened = replies.get(timeout=60)
        assert log.count("close") == 2
        assert opened == 0
        assert first.host().tolist() == [float(i + round_) for i in range(3)]
    requests.put(None)
    child.join()
    assert child.exitcode == 0
    wait_until(lambda: cuda.release_finished() == 0)
    assert driver.events == {}


def test_the_sender_keeps_what_is_in_use(driver: Any) -> None:
    array = device_array(0, 4)
    message = ArrayPickler.dumps(array)
    assert cuda.release_finished() == 1
    assert driver.events
    del array
    received = pickle.loads(message)  # in the same process: the array itself
    assert received.host().tolist() == [0, 1, 2, 3]
    assert "open" not in driver.log
    assert cuda.release_finished() == 0
    assert driver.events == {}


def test_events_are_recorded_on_the_producers_stream(driver: Any) -> None:
    message = ArrayPickler.dumps(device_array(0, 4))
    assert list(driver.events.values()) == ["recorded on 7"]
    pickle.loads(message)
    cuda.release_finished()


def _hold(driver: Any, queue: Any, ready: Any) -> None:
    driver.__init__()
    array = queue.get()
    ready.put(True)
    queue.get()
    del array


def test_a_killed_receiver_does_not_keep_the_senders_memory(driver: Any) -> None:
    context = mp.get_context("fork")
    queue, ready = context.Queue(), context.Queue()
    child = context.Process(target=_hold, args=(driver, queue, ready))
    child.start()
    queue.put(device_array(0, 4))
    assert ready.get(timeout=60)
    assert cuda.release_finished() == 1
    child.kill()
    child.join()
    wait_until(lambda: cuda.release_finished() == 0)


def test_driver_errors_have_the_functions_name(driver: Any) -> None:
    driver.cuIpcGetMemHandle = fake_cuda.Driver.cuIpcCloseMemHandle.__get__(driver)
    with pytest.raises(RuntimeError, match=r"cuIpcCloseMemHandle failed: 400"):
        ArrayPickler.dumps(device_array(0, 4))


def test_without_cuda_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cuda.bindings", None)
    with pytest.raises(ImportError, match="pip install cuda-bindings"):
        cuda.driver()
