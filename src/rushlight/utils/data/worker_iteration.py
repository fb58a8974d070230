"""One pass over a dataset with workers of any kind."""

from __future__ import annotations

import itertools
import time
import warnings
from typing import Any

from rushlight.utils.data.errors import death_message, keys_text
from rushlight.utils.data.iteration import LoaderIterator, Pass, Pool
from rushlight.utils.data.tasks import Batch, Epoch, Reply, Spec, Task

TASK_SECONDS = 0.004  # work that makes a task long enough for its cost not to matter
TASK_BYTES = 1 << 20
TASK_BATCHES = 64
POLL = 0.5  # seconds between looks whether all workers live
_tokens = itertools.count(1)


class WorkersIterator(LoaderIterator):
    """With workers: keeps them busy, and puts what they make in order."""

    def __init__(self, plan: Pass, pool: Pool, keep_pool: bool) -> None:
        super().__init__(plan)
        self.pool = pool
        self.keep_pool = keep_pool
        self.workers = plan.spec.num_workers
        self.token = next(_tokens)
        self.numbers = itertools.count()  # of tasks
        self.tasks: dict[int, tuple[int, Task]] = {}  # in flight: worker and task
        self.held = [0] * self.workers  # batches in flight or ready
        self.ready: dict[int, Batch] = {}
        self.next_number = plan.consumed
        self.drawn = plan.consumed
        self.exhausted = False  # the sampler is
        self.ends: dict[int, int] = {}  # by worker: the first batch that an iterable does not have
        self.given = [len(range(w, plan.consumed, self.workers)) for w in range(self.workers)]
        self.chunk = 1
        states = plan.dataset_states
        for worker in range(self.workers):
            state = states.get(str(worker))
            skip = 0 if state is not None else self.given[worker]
            pool.begin(worker, Epoch(self.token, plan.seed, skip, state))
        self._fill()
        pool.start()

    def _fill(self) -> None:
        """Gives tasks to the workers that have fewest."""
        while not self.exhausted:
            free = [w for w in range(self.workers) if w not in self.ends]
            if not free:
                return
            worker = min(free, key=lambda w: self.held[w])
            size, most = self.chunk, 2 * self.chunk
            if self.plan.prefetch is not None:
                most = max(1, self.plan.prefetch)
                size = max(1, min(size, most // 2))
            if self.held[worker] + size > most:
                return
            task = self._task(worker, size)
            if task is None:
                return
            self.tasks[task.number] = worker, task
            self.held[worker] += len(task.batch_numbers())
            self.pool.submit(worker, task)

    def _task(self, worker: int, size: int) -> Task | None:
        if self.plan.order is None:
            first = worker + self.given[worker] * self.workers
            self.given[worker] += size
            return Task(next(self.numbers), self.token, first, self.workers, None, size)
        keys = list(itertools.islice(self.plan.order, size))
        self.exhausted = len(keys) < size
        if not keys:
            return None
        first, self.drawn = self.drawn, self.drawn + len(keys)
        return Task(next(self.numbers), self.token, first, 1, keys)

    def _next(self) -> Batch:
        try:
            while True:
                batch = self._pop()
                if batch is not None:
                    self.held[batch.worker] -= 1
                    self._fill()
                    return batch
                self._receive()
        except StopIteration:
            self.close()
            raise
        except BaseException:
            self.close(broken=True)
            raise

    def _pop(self) -> Batch | None:
        """A batch that is ready and next; raises StopIteration at the end."""
        if not self.plan.in_order and self.ready:
            return self.ready.pop(next(iter(self.ready)))
        if self.plan.order is None:
            while self.next_number not in self.ready:
                worker = self.next_number % self.workers
                if self.next_number < self.ends.get(worker, self.next_number + 1):
                    break
                if len(self.ends) == self.workers and not self.ready and not self.tasks:
                    raise StopIteration
                if len(self.ends) == self.workers and not self.ready:
                    return None
                self.next_number += 1
        while self.next_number in self.plan.ahead:
            self.next_number += 1
        batch = self.ready.pop(self.next_number, None)
        if batch is not None:
            self.next_number += 1
        elif not self.tasks and self.exhausted and not self.ready:
            raise StopIteration
        return batch

    def _receive(self) -> None:
        """Waits for one reply."""
        deadline = time.monotonic() + self.plan.timeout if self.plan.timeout else None
        while True:
            wait = POLL if deadline is None else min(POLL, max(0.0, deadline - time.monotonic()))
            received = self.pool.receive(wait)
            if received is not None:
                if self._take(*received):
                    return
                continue
            death = self.pool.death()
            if death is not None:
                worker, pid, code = death
                raise RuntimeError(death_message(worker, pid, code, self._in_flight(worker)))
            if deadline is not None and time.monotonic() >= deadline:
                raise RuntimeError(self._timeout_message())

    def _take(self, reply: Reply, unpacking: float) -> bool:
        if reply.token not in {self.token, -1}:
            return False
        if reply.failure is not None:
            raise reply.failure.rebuild()
        worker, task = self.tasks.pop(reply.number)
        self.held[worker] -= len(task.batch_numbers())
        for batch in reply.batches:
            if batch.number not in self.plan.ahead:
                self.ready[batch.number] = batch
                self.held[worker] += 1
        if reply.ended and worker not in self.ends:
            self.ends[worker] = reply.batches[-1].number + 1 if reply.batches else task.first
        repeats = self.plan.order is None and not reply.divided and self.workers > 1
        if repeats and not self.plan.stats.warned:
            self.plan.stats.warned = True
            warnings.warn(
                f"each of {self.workers} workers iterates over the whole {_name(self.plan.spec)}, "
                "so items repeat: divide them with rushlight.utils.data.shard in __iter__",
                stacklevel=5,
            )
        self.plan.stats.received(reply, unpacking)
        self._adapt(reply)
        self._fill()
        return True

    def _adapt(self, reply: Reply) -> None:
        """Batches per task: many if they are quick and small, so that moving them costs little."""
        n = len(reply.batches)
        if n == 0:
            return
        seconds = sum(b.fetch + b.collate for b in reply.batches) / n
        fitting = min(TASK_SECONDS / max(seconds, 1e-6), TASK_BYTES / max(reply.nbytes / n, 1))
        self.chunk = max(1, min(int(fitting), self.chunk * 4, TASK_BATCHES))

    def _in_flight(self, worker: int) -> str:
        tasks = [t for w, t in self.tasks.values() if w == worker]
        keys: list[Any] = []
        for task in tasks:
            for k in task.keys or []:
                keys += k if isinstance(k, list) else [k]
        if keys:
            return f"samples {keys_text(keys)}"
        numbers = [n for task in tasks for n in task.batch_numbers()]
        return f"batches {keys_text(numbers)}" if numbers else "nothing"

    def _timeout_message(self) -> str:
        late = [
            w for w, t in self.tasks.values() if self.next_number in t.batch_numbers()
        ] or sorted({w for w, _ in self.tasks.values()})
        stacks = "\n".join(
            f"worker {w}, in flight: {self._in_flight(w)}\n{self.pool.stack(w)}" for w in late
        )
        return f"DataLoader timed out after {self.plan.timeout} seconds, waiting for {stacks}"

    def close(self, broken: bool = False) -> None:
        self.finished = True
        if broken or not self.keep_pool:
            self.pool.stop()

    def __del__(self) -> None:
        if not getattr(self, "keep_pool", True):
            self.pool.stop()


def _name(spec: Spec) -> str:
    return type(spec.dataset).__name__
