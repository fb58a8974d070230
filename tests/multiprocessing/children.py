"""What child processes of these tests run; importable, for ``spawn`` and ``forkserver``."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import time
from typing import Any

import numpy as np


def echo(requests: Any, replies: Any) -> None:
    while (message := requests.get()) is not None:
        replies.put(message)


def add_one(array: Any) -> Any:
    np.asarray(array)[...] += 1
    return array


def add_one_to_argument(array: Any, done: Any) -> None:
    add_one(array)
    done.put(True)


def send_and_exit(queue: Any, count: int, size: int) -> None:
    for i in range(count):
        queue.put(np.full(size, i))


def echo_pipe(connection: Any) -> None:
    connection.send(connection.recv())


def total(array: Any) -> float:
    return float(np.asarray(array).sum())


def make(size: int) -> Any:
    return np.arange(size)


def rank_into(rank: int, array: Any) -> None:
    array[rank] = rank + 1


def raise_in_rank_1(rank: int) -> None:
    if rank == 1:
        raise KeyError("the missing key")
    time.sleep(60)


def exit_with(rank: int, code: int) -> None:
    if rank == 0:
        os._exit(code)
    time.sleep(60)


def kill_itself(rank: int, signal: int) -> None:
    faulthandler.disable()  # the test runner's: a report in the log would look like a crash
    os.kill(os.getpid(), signal)


def read_address_zero(rank: int) -> None:
    faulthandler.disable()
    ctypes.string_at(0)


def long_error(rank: int) -> None:
    raise ValueError("long " * 100_000 + "the end")
