"""Kills workers at random moments: `python -m tests.multiprocessing.stress [--kills 200]`.

Two workers that are never killed and one victim after another share two queues with this process.
Nothing that a survivor sent may be lost or changed, every worker goes on, and at the end no
process, descriptor, file or block of shared memory is left over.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rushlight.multiprocessing as mp
from rushlight.multiprocessing import _shm

SIZES = (1, 500, 20_000, 200_000)  # elements: by value, by value, shared, shared


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Fails if it does not happen."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def entries(folder: str) -> set[str]:
    """Names in a folder."""
    return {path.name for path in Path(folder).iterdir()}


def segments() -> int:
    """Files in /dev/shm of this process's manager."""
    manager = _shm.manager_stat()["pid"]
    return sum(f"-{manager}-" in name for name in entries("/dev/shm"))


def work(rank: int, requests: Any, replies: Any) -> None:
    """Answers requests, and sends numbered arrays of its own."""
    count = 0
    while True:
        size = SIZES[count % len(SIZES)]
        replies.put((rank, count, np.full(size, rank * 1_000_000 + count)))
        count += 1
        try:
            request = requests.get(timeout=0.001)
        except mp.queues.Empty:
            continue
        if request is None:
            return
        number, array = request
        replies.put((rank, -1 - number, array))


def kill_at_random_moments(kills: int, seed: int) -> None:  # noqa: PLR0915
    """Raises AssertionError if anything is lost, changed or left over."""
    rng = random.Random(seed)
    gc.collect()
    context = mp.get_context("fork")
    descriptors, files = entries("/proc/self/fd"), segments()
    requests, replies = context.Queue(maxsize=50), context.Queue(maxsize=50)
    private = [context.Queue(maxsize=20) for _ in range(2)]
    before = _shm.manager_stat()
    blocks, in_flight = before["blocks"], before["in_flight"]
    survivors = [
        context.Process(target=work, args=(rank, private[rank], replies)) for rank in range(2)
    ]
    for process in survivors:
        process.start()
    following, answered, asked = [0, 0], [0, 0], [0, 0]

    def receive(timeout: float) -> None:
        try:
            rank, number, array = replies.get(timeout=timeout)
        except mp.queues.Empty:
            return
        if number < 0:
            assert (array == -1 - number).all()
            if rank < 2:
                assert -1 - number == answered[rank], "an answer is missing"
                answered[rank] += 1
            return
        assert len(array) == SIZES[number % len(SIZES)]
        assert (array == rank * 1_000_000 + number).all()
        if rank < 2:
            assert number == following[rank], "something that a survivor sent is missing"
            following[rank] += 1

    for kill in range(kills):
        victim = context.Process(target=work, args=(2 + kill, requests, replies))
        victim.start()
        end = time.monotonic() + rng.uniform(0, 0.06)
        while time.monotonic() < end:
            for rank in range(2):
                if asked[rank] - answered[rank] < 10:
                    private[rank].put((asked[rank], np.full(rng.choice(SIZES), asked[rank])))
                    asked[rank] += 1
            if not requests.full():
                requests.put((kill, np.full(rng.choice(SIZES), kill)))
            receive(0.001)
        rng.choice([victim.terminate, victim.kill])()
        while victim.is_alive():
            receive(0.001)
        victim.join()
        victim.close()
    then = list(following)
    wait_until(lambda: receive(0.1) or all(following[r] > then[r] for r in range(2)))
    for rank in range(2):
        while not _offer(private[rank]):
            receive(0.01)
    while any(process.is_alive() for process in survivors):
        receive(0.01)
    for process in survivors:
        assert process.exitcode == 0
        process.close()
    while not replies.empty():
        receive(0)
    while not requests.empty():
        requests.get()
    del victim, process, survivors
    gc.collect()
    # What victims held, had made, or had just taken out of a queue: the manager has let go of it.
    wait_until(lambda: _shm.manager_stat()["processes"] == 1)
    wait_until(lambda: _shm.manager_stat()["blocks"] <= blocks, 5)
    assert _shm.manager_stat()["in_flight"] == in_flight, _shm.manager_stat()
    assert segments() <= files
    requests = replies = private = None
    gc.collect()
    assert len(entries("/proc/self/fd")) <= len(descriptors) + 2
    assert mp.active_children() == []


def _offer(queue: Any) -> bool:
    try:
        queue.put(None, timeout=0)
    except mp.queues.Full:
        return False
    return True


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    start = time.monotonic()
    kill_at_random_moments(arguments.kills, arguments.seed)
    print(
        f"{arguments.kills} kills in {time.monotonic() - start:.0f} s: nothing of others lost, "
        f"no process, file, block or reference left: {_shm.manager_stat()}"
    )


if __name__ == "__main__":
    main()
