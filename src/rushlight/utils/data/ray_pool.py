"""Workers that are actors on a Ray cluster."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import traceback
import weakref
from typing import Any

from rushlight.utils.data.errors import capture
from rushlight.utils.data.fetch import Fetcher
from rushlight.utils.data.packing import pack_by_value, unpack_by_value
from rushlight.utils.data.seeding import Generators
from rushlight.utils.data.tasks import Epoch, Reply, Spec, Task
from rushlight.utils.data.worker_info import answer_pytorch, current

PROCESSORS = 1  # that each actor asks the cluster for


class _Actor:
    """One worker. Ray calls its methods one after the other, those of the group "look" beside."""

    def __init__(self, spec: Spec, worker: int) -> None:
        answer_pytorch()
        self.worker = worker
        self.name = f"DataLoader worker actor {worker} (pid {os.getpid()})"
        self.fetcher = Fetcher(spec, worker, Generators(), self.name)
        type(current).context = self.fetcher.context
        self.first = True
        self.token = -1
        self.busy: int | None = None

    def want(self, token: int) -> None:
        """Only tasks of this pass are wanted from now on."""
        self.token = max(self.token, token)

    def begin(self, epoch: Epoch) -> Any:
        self.busy = threading.get_ident()
        self.want(epoch.token)  # the call of `want`, of another group, may come later
        try:
            self.fetcher.begin(epoch, first=self.first)
            self.first = False
        except Exception as error:
            failure = capture(error, f"{self.name}, starting")
            return pack_by_value(Reply(self.worker, -1, epoch.token, failure=failure))
        return None

    def run(self, task: Task) -> Any:
        reply = self.fetcher.run(task, cancelled=lambda: task.token != self.token)
        return pack_by_value(reply)

    def stack(self) -> str:
        frame = sys._current_frames().get(self.busy or 0)
        return "".join(traceback.format_stack(frame)) if frame else "the worker is idle"


class RayPool:
    """Actors. The dataset is put into Ray's store once; batches come back through it."""

    name = "ray"

    def __init__(self, spec: Spec) -> None:
        import ray

        self.ray: Any = ray
        if not ray.is_initialized():
            ray.init()
        actor = ray.remote(num_cpus=PROCESSORS, concurrency_groups={"look": 1})(_Actor)
        stored = ray.put(spec)
        self.actors = [actor.remote(stored, worker) for worker in range(spec.num_workers)]
        self.waiting: dict[Any, int] = {}  # results to come: worker
        self._dead: tuple[int, None, str] | None = None
        self._finalizer = weakref.finalize(self, _stop, ray, self.actors)

    def start(self) -> None:
        pass

    def begin(self, worker: int, epoch: Epoch) -> None:
        actor = self.actors[worker]
        actor.want.options(concurrency_group="look").remote(epoch.token)
        self.waiting[actor.begin.remote(epoch)] = worker

    def submit(self, worker: int, task: Task) -> None:
        self.waiting[self.actors[worker].run.remote(task)] = worker

    def receive(self, timeout: float) -> tuple[Reply, float] | None:
        deadline = time.monotonic() + timeout
        while self.waiting:
            left = max(0.0, deadline - time.monotonic())
            ready, _ = self.ray.wait(list(self.waiting), num_returns=1, timeout=left)
            if not ready:
                return None
            worker = self.waiting.pop(ready[0])
            start = time.perf_counter()
            try:
                packed = self.ray.get(ready[0])
            except self.ray.exceptions.RayActorError as error:
                self._dead = worker, None, f"is lost ({' '.join(str(error).split())})"
                return None
            if packed is not None:
                return unpack_by_value(packed), time.perf_counter() - start
        time.sleep(max(0.0, deadline - time.monotonic()))
        return None

    def death(self) -> tuple[int, None, str] | None:
        return self._dead

    def stack(self, worker: int) -> str:
        look = self.actors[worker].stack.options(concurrency_group="look").remote()
        with contextlib.suppress(Exception):
            text: str = self.ray.get(look, timeout=5)
            return text
        return "the worker did not answer"

    def stop(self) -> None:
        self._finalizer()


def _stop(ray: Any, actors: list[Any]) -> None:
    if ray.is_initialized():
        for actor in actors:
            ray.kill(actor)
