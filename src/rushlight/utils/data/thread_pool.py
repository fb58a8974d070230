"""Workers that are threads."""

from __future__ import annotations

import copy
import queue
import sys
import threading
import traceback
import weakref
from dataclasses import replace
from typing import Any

from rushlight.utils.data.errors import capture
from rushlight.utils.data.fetch import Fetcher
from rushlight.utils.data.tasks import Epoch, Reply, Spec, Task
from rushlight.utils.data.thread_random import thread_generators
from rushlight.utils.data.worker_info import answer_pytorch

GRACE = 5.0  # seconds that a thread has to finish the sample in hand


class ThreadPool:
    """Threads that share the dataset. They overlap where ``__getitem__`` releases the GIL."""

    name = "thread"

    def __init__(self, spec: Spec) -> None:
        answer_pytorch()
        self.replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self.tasks: list[queue.SimpleQueue[Any]] = []
        self.stopped = threading.Event()
        self.threads = []
        for worker in range(spec.num_workers):
            tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
            self.tasks.append(tasks)
            thread = threading.Thread(
                target=_thread_main,
                args=(spec, worker, tasks, self.replies, self.stopped),
                daemon=True,
                name=f"rushlight-data-{worker}",
            )
            thread.start()
            self.threads.append(thread)
        self._finalizer = weakref.finalize(self, _stop, self.threads, self.tasks, self.stopped)

    def start(self) -> None:
        pass

    def begin(self, worker: int, epoch: Epoch) -> None:
        self.tasks[worker].put(epoch)

    def submit(self, worker: int, task: Task) -> None:
        self.tasks[worker].put(task)

    def receive(self, timeout: float) -> tuple[Reply, float] | None:
        try:
            return self.replies.get(timeout=timeout), 0.0
        except queue.Empty:
            return None

    def death(self) -> tuple[int, int | None, int | None] | None:
        for worker, thread in enumerate(self.threads):
            if not thread.is_alive() and self.replies.empty():
                return worker, thread.native_id, 1
        return None

    def stack(self, worker: int) -> str:
        frame = sys._current_frames().get(self.threads[worker].ident or 0)
        return "".join(traceback.format_stack(frame)) if frame else "the worker is gone"

    def stop(self) -> None:
        self._finalizer()


def _stop(threads: list[threading.Thread], tasks: list[Any], stopped: threading.Event) -> None:
    stopped.set()
    for waiting in tasks:
        waiting.put(None)
    for thread in threads:
        if thread is not threading.current_thread():
            thread.join(GRACE)


def _thread_main(
    spec: Spec, worker: int, tasks: Any, replies: Any, stopped: threading.Event
) -> None:
    name = f"DataLoader worker thread {worker}"
    if spec.iterable:  # its place in the stream is the worker's own
        spec = replace(spec, dataset=copy.copy(spec.dataset))
    with thread_generators() as generators:
        fetcher = Fetcher(spec, worker, generators, name)
        first = True
        while (message := tasks.get()) is not None and not stopped.is_set():
            if isinstance(message, Epoch):
                try:
                    fetcher.begin(message, first=first)
                    first = False
                except Exception as error:
                    failure = capture(error, f"{name}, starting")
                    replies.put(Reply(worker, -1, message.token, failure=failure))
            else:
                replies.put(fetcher.run(message, cancelled=stopped.is_set))
