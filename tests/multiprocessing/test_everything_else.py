"""Pipes, pools, managers, arguments of processes, concurrent.futures, and the module's names."""

from __future__ import annotations

import multiprocessing as standard
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import rushlight
import rushlight.multiprocessing as mp
from tests.multiprocessing import children

METHODS = ["fork", "spawn", "forkserver"]


@pytest.fixture(params=METHODS)
def context(request: pytest.FixtureRequest) -> Any:
    return mp.get_context(request.param)


def test_every_name_of_the_standard_module() -> None:
    missing = [name for name in standard.__all__ if not hasattr(mp, name)]
    assert missing == []
    assert mp.get_start_method() == standard.get_start_method()
    with pytest.raises(ValueError, match="cannot find context"):
        mp.get_context("teleport")


def test_modules_of_the_standard_package() -> None:
    from rushlight.multiprocessing import connection, managers, shared_memory
    from rushlight.multiprocessing.pool import ThreadPool
    from rushlight.multiprocessing.queue import SimpleQueue

    assert connection.wait([], 0) == []
    assert managers.SyncManager.__module__ == "multiprocessing.managers"
    assert shared_memory is mp.shared_memory
    assert type(mp.SimpleQueue()) is SimpleQueue
    with ThreadPool(1) as pool:
        assert pool.map(abs, [-1]) == [1]
    with pytest.raises(AttributeError, match="no attribute 'teleport'"):
        mp.teleport  # noqa: B018


def test_pipes(context: Any) -> None:
    here, there = context.Pipe()
    child = context.Process(target=children.echo_pipe, args=(there,))
    child.start()
    here.send([np.arange(100_000), "text"])
    received = here.recv()
    child.join()
    assert received[1] == "text"
    assert np.array_equal(received[0], np.arange(100_000))


def test_shared_arguments_are_the_same_memory(context: Any) -> None:
    tensor = rushlight.Tensor(np.zeros(10)).share_memory_()
    array = mp.share_memory(np.zeros(100_000))
    done = context.Queue()
    for argument in (tensor, array):
        child = context.Process(target=children.add_one_to_argument, args=(argument, done))
        child.start()
        assert done.get(timeout=60)
        child.join()
    assert tensor.numpy().tolist() == [1.0] * 10
    assert array.sum() == 100_000


def test_pools_and_executors_and_managers(context: Any) -> None:
    with context.Pool(2) as pool:
        assert pool.map(children.total, [np.ones(3), np.ones(100_000)]) == [3, 100_000]
        made = pool.apply(children.make, (50_000,))
        assert np.array_equal(made, np.arange(50_000))
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        future = executor.submit(children.add_one, rushlight.Tensor(np.zeros(100_000)))
        assert future.result().numpy().sum() == 100_000
    with context.Manager() as manager:
        shared = manager.dict()
        shared["a"] = np.ones(70_000)
        assert shared["a"].sum() == 70_000
        queue = manager.Queue()
        queue.put(np.ones(80_000))
        assert queue.get().sum() == 80_000


def test_simple_queues_and_standard_queues() -> None:
    queue = mp.SimpleQueue()
    queue.put(np.ones(10))
    assert queue.get().sum() == 10
    plain: Any = standard.Queue()
    plain.put(np.ones(100_000))
    assert plain.get().sum() == 100_000
    plain.close()
    plain.join_thread()
