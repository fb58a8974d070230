"""Functions to be called when a step has run, such as those that print its loss."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Queue
from typing import Any

from rushlight.lazy.config import max_async_closures
from rushlight.lazy.device_context import DeviceContext, get_device_context

Closure = Callable[[], Any]


class ClosureHandler:
    """Calls closures one after the other."""

    def run(self, closure: Closure) -> None:
        """Calls one."""
        closure()

    def __call__(self, closures: Sequence[Closure]) -> None:
        for closure in closures:
            self.run(closure)


class AsyncClosureHandler(ClosureHandler):
    """Calls closures in a thread of its own, in order.

    Args:
        max_queue_size: closures that may wait; then adding one waits. By default
            :data:`rushlight.lazy.config.max_async_closures`.

    What a closure raises is raised, once, as the cause of a RuntimeError by the next call here;
    closures after it still run.
    """

    def __init__(self, max_queue_size: int | None = None) -> None:
        self._queue: Queue[Closure | None] = Queue(max_queue_size or max_async_closures.get())
        self._errors: list[Exception] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def run(self, closure: Closure) -> None:
        """Hands one over."""
        with self._lock:
            if self._errors:
                error = self._errors.pop(0)
                raise RuntimeError(
                    "Cannot run asynchronous closure due to previously raised exception"
                ) from error
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._loop, name="step closures")
                self._thread.daemon = True
                self._thread.start()
                threading._register_atexit(self.wait)  # type: ignore[attr-defined]
        self._queue.put(closure)

    def wait(self) -> None:
        """Returns when all closures handed over have run."""
        self._queue.join()

    def _loop(self) -> None:
        while True:
            closure = self._queue.get()
            try:
                if closure is None:
                    return
                closure()
            except Exception as error:
                self._errors.append(error)
            finally:
                self._queue.task_done()


def add_step_closure(
    closure: Callable[..., Any], args: tuple[Any, ...] = (), run_async: bool = False
) -> None:
    """Has ``closure(*args)`` called at the end of the step: by the next ``mark_step()``.

    Tensors among `args` have been computed by then, all in one run, so that looking at several
    costs no more than looking at one. Closures are called in the order they were added.

    Args:
        closure: what to call.
        args: its arguments.
        run_async: call it in another thread.

    Example:
        >>> import rushlight as torch, rushlight.lazy
        >>> torch.lazy.add_step_closure(lambda loss: print(loss.item()), (torch.ones(()) * 2,))
        >>> torch.lazy.mark_step()
        2.0
    """
    context = get_device_context()
    context.add_closure(lambda: closure(*args), run_async)


def run_step_closures() -> DeviceContext:
    """Calls the closures that have been added since the last time; ``mark_step()`` does it."""
    context = get_device_context()
    later, now = context.take_closures()
    if later:
        if context.async_closure_handler is None:
            context.async_closure_handler = AsyncClosureHandler()
        context.async_closure_handler(later)
    ClosureHandler()(now)
    return context
