"""The life of a worker process."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import pickle
import signal
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.multiprocessing.arena import Block, ShmQueue
from rushlight.utils.data.arrays import block_array
from rushlight.utils.data.errors import capture, unpicklable_path
from rushlight.utils.data.fetch import Fetcher, clock
from rushlight.utils.data.packing import Packer
from rushlight.utils.data.seeding import Generators
from rushlight.utils.data.tasks import Epoch, Reply, Spec, Task
from rushlight.utils.data.worker_info import answer_pytorch, current

STACK_SIGNAL = signal.SIGRTMIN + 9
PATIENCE = 1.0  # seconds between looks whether the parent is alive
# Fields of the status block: whether to stop; the pass whose batches are wanted; and, from DUMP
# on, the descriptor where each worker writes its stacks.
STOP, TOKEN, DUMP = 0, 1, 2


@dataclass
class Channels:
    """How a worker talks to its loader."""

    worker: int
    tasks: ShmQueue
    replies: ShmQueue
    status: Block


def worker_main(channels: Channels, spec: Spec | None, pickled: Block | None) -> None:
    """Runs until told to stop, or until the loader's process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: the loader acts
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    status = block_array(channels.status, np.int64)
    stacks = os.memfd_create(f"rushlight-worker-{channels.worker}")
    faulthandler.register(STACK_SIGNAL, file=stacks, all_threads=True, chain=False)
    status[DUMP + channels.worker] = stacks
    _one_thread()
    answer_pytorch()
    name = f"DataLoader worker process {channels.worker} (pid {os.getpid()})"
    try:
        if spec is None:
            assert pickled is not None
            spec = pickle.loads(pickled)
            answer_pytorch()  # loading the dataset may have imported PyTorch
        worker = _Worker(channels, spec, name, status)
    except Exception as error:
        reply = Reply(channels.worker, -1, -1, failure=capture(error, f"{name}, starting"))
        data, blocks = Packer().pack(reply)
        channels.replies.put(data, blocks=blocks)
        return
    with contextlib.suppress(ValueError, KeyboardInterrupt):  # ValueError: the queue is closed
        worker.run()


def _one_thread() -> None:
    """Several workers share the processor: each uses one thread, as in PyTorch."""
    import rushlight

    rushlight.set_num_threads(1)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


class _Worker:
    def __init__(self, channels: Channels, spec: Spec, name: str, status: Any) -> None:
        self.channels = channels
        self.spec = spec
        self.name = name
        self.status = status
        self.fetcher = Fetcher(spec, channels.worker, Generators(), name)
        self.first = True
        self.bytes_per_batch = 0
        self.pack_seconds = 0.0  # of the reply before: this one's is not known before it is packed
        type(current).context = self.fetcher.context  # for threads that the dataset starts

    def run(self) -> None:
        while (message := self._wait()) is not None:
            if isinstance(message, Epoch):
                failure = self._begin(message)
                if failure is not None:
                    self._send(failure, Packer())
            else:
                self._answer(message)

    def _stopped(self) -> bool:
        return bool(self.status[STOP])

    def _wait(self) -> Epoch | Task | None:
        while not self._stopped():
            message = self.channels.tasks.get(timeout=PATIENCE)
            if message is not None:
                loaded: Epoch | Task | None = pickle.loads(message)
                return loaded
            parent = multiprocessing.parent_process()
            if parent is not None and not parent.is_alive():
                return None
        return None

    def _begin(self, epoch: Epoch) -> Reply | None:
        try:
            self.fetcher.begin(epoch, first=self.first)
            self.first = False
        except Exception as error:
            failure = capture(error, f"{self.name}, starting")
            return Reply(self.channels.worker, -1, epoch.token, failure=failure)
        return None

    def _answer(self, task: Task) -> None:
        def unwanted() -> bool:
            return self._stopped() or self.status[TOKEN] != task.token

        packer = Packer(self.bytes_per_batch * len(task.batch_numbers()))
        reply = self.fetcher.run(task, packer.allocate, unwanted)
        if unwanted():
            return
        self._send(reply, packer)
        if reply.batches:
            self.bytes_per_batch = packer.nbytes // len(reply.batches) + 64

    def _send(self, reply: Reply, packer: Packer) -> None:
        start = clock()
        reply.nbytes, reply.packed = packer.nbytes, self.pack_seconds
        try:
            data, blocks = packer.pack(reply)
        except Exception as error:
            data, blocks = self._without_data(reply, error)
        self.pack_seconds = clock() - start
        while not self.channels.replies.put(data, PATIENCE, blocks):
            parent = multiprocessing.parent_process()
            if self._stopped() or (parent is not None and not parent.is_alive()):
                return

    def _without_data(self, reply: Reply, error: Exception) -> tuple[bytes, list[Block]]:
        for batch in reply.batches:
            where = unpicklable_path(batch.data, "batch", Packer().pack)
            named = type(error)(f"{where} cannot be pickled: {error}")
            batch.failure = batch.failure or capture(named, f"{self.name}, batch {batch.number}")
            batch.data = None
        return Packer().pack(reply)
