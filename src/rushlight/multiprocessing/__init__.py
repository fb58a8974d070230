"""`multiprocessing` whose queues, pipes, pools, managers and processes share arrays' memory.

A drop-in for the standard module and for `torch.multiprocessing`: everything of
`multiprocessing` is here under its name, and arrays inside what is sent (tensors of ours, NumPy
arrays, PyTorch's and JAX's CPU arrays, in any nesting) travel by shared memory from 32 KiB on,
by value below.

Example:
    >>> import rushlight.multiprocessing as mp
    >>> receiver, sender = mp.Pipe(duplex=False)
    >>> sender.send([1, 2])
    >>> receiver.recv()
    [1, 2]
"""

from __future__ import annotations

import importlib
from multiprocessing.context import (
    AuthenticationError,
    BufferTooShort,
    ProcessError,
    TimeoutError,
)
from multiprocessing.process import active_children, current_process, parent_process

from rushlight.multiprocessing import reductions
from rushlight.multiprocessing.context import Process, default
from rushlight.multiprocessing.reductions import init_reductions
from rushlight.multiprocessing.sharing import is_shared, share_memory
from rushlight.multiprocessing.spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)
from rushlight.multiprocessing.strategy import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    set_sharing_strategy,
)

Array = default.Array
Barrier = default.Barrier
BoundedSemaphore = default.BoundedSemaphore
Condition = default.Condition
Event = default.Event
JoinableQueue = default.JoinableQueue
Lock = default.Lock
Manager = default.Manager
Pipe = default.Pipe
Pool = default.Pool
Queue = default.Queue
RLock = default.RLock
RawArray = default.RawArray
RawValue = default.RawValue
Semaphore = default.Semaphore
SimpleQueue = default.SimpleQueue
Value = default.Value
allow_connection_pickling = default.allow_connection_pickling
cpu_count = default.cpu_count
freeze_support = default.freeze_support
get_all_start_methods = default.get_all_start_methods
get_context = default.get_context
get_logger = default.get_logger
get_start_method = default.get_start_method
log_to_stderr = default.log_to_stderr
reducer = default.reducer
set_executable = default.set_executable
set_forkserver_preload = default.set_forkserver_preload
set_start_method = default.set_start_method

init_reductions()

_STANDARD = frozenset(
    {"connection", "dummy", "heap", "managers", "process", "reduction", "resource_tracker"}
    | {"shared_memory", "sharedctypes", "synchronize", "util"}
)


def __getattr__(name: str) -> object:
    if name in _STANDARD:  # modules of the standard package, imported when they are asked for
        return importlib.import_module(f"multiprocessing.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Array",
    "AuthenticationError",
    "Barrier",
    "BoundedSemaphore",
    "BufferTooShort",
    "Condition",
    "Event",
    "JoinableQueue",
    "Lock",
    "Manager",
    "Pipe",
    "Pool",
    "Process",
    "ProcessContext",
    "ProcessError",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "Queue",
    "RLock",
    "RawArray",
    "RawValue",
    "Semaphore",
    "SimpleQueue",
    "SpawnContext",
    "TimeoutError",
    "Value",
    "active_children",
    "allow_connection_pickling",
    "cpu_count",
    "current_process",
    "freeze_support",
    "get_all_sharing_strategies",
    "get_all_start_methods",
    "get_context",
    "get_logger",
    "get_sharing_strategy",
    "get_start_method",
    "init_reductions",
    "is_shared",
    "log_to_stderr",
    "parent_process",
    "reducer",
    "reductions",
    "set_executable",
    "set_forkserver_preload",
    "set_sharing_strategy",
    "set_start_method",
    "share_memory",
    "spawn",
    "start_processes",
]
