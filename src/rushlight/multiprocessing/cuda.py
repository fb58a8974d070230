"""Arrays on a GPU, sent by CUDA IPC handles through ``cuda-bindings`` (the extra ``cuda``).

The sender's allocation is opened in the receiver; nothing is copied. An event that the sender
records orders the receiver's work after it. The sender keeps the array until no receiver uses it:
every sent array has a *ticket*, a small block of shared memory that travels along and is held as
long as the memory is, so the manager process counts for us, killed receivers included.

Any array with ``__cuda_array_interface__`` of a library in `LIBRARIES` travels so. PyTorch's CUDA
tensors go PyTorch's own way, which knows its allocator.

Specification: the CUDA driver API, *Interprocess communication*; the CUDA Array Interface v3.
"""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from typing import Any

from rushlight.multiprocessing import arena
from rushlight.multiprocessing.after_fork import ForkLock
from rushlight.multiprocessing.arena import Block

#: Packages whose GPU arrays are sent, each with a function ``asarray`` that wraps the interface.
LIBRARIES = frozenset({"cupy"})


def driver() -> Any:
    """The CUDA driver's functions; ImportError says what to install."""
    try:
        from cuda.bindings import driver as found
    except ImportError as error:
        raise ImportError(
            "sending arrays that live on a GPU needs cuda-bindings: pip install cuda-bindings"
        ) from error
    return found


def _call(function: Any, *arguments: Any) -> Any:
    """A driver function's results; RuntimeError with its name if it fails."""
    status, *results = function(*arguments)
    if int(status) != 0:
        name = getattr(function, "__name__", str(function))
        raise RuntimeError(f"{name} failed: {status!r}")
    return results[0] if len(results) == 1 else tuple(results)


@dataclass
class _Sent:
    array: Any
    event: Any
    ticket: Block


# What receivers may still use, by ticket; guarded by the lock.
_sent: dict[int, _Sent] = {}
_lock = ForkLock()


@dataclass(frozen=True)
class Parcel:
    """What travels of a GPU array."""

    library: str
    pid: int
    device: int
    memory: bytes  # CUipcMemHandle of the allocation
    offset: int  # bytes from its start
    event: bytes  # CUipcEventHandle
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None  # bytes
    typestr: str
    ticket: Block


def is_cuda_array(obj: Any) -> bool:
    """Whether this module sends the object."""
    kind = type(obj)
    known = kind.__module__.partition(".")[0] in LIBRARIES
    return known and hasattr(kind, "__cuda_array_interface__")


def reduce_cuda_array(array: Any) -> tuple[Any, ...]:
    """The array's IPC handles, and the function that opens them."""
    release_finished()
    cu = driver()
    interface = array.__cuda_array_interface__
    pointer = interface["data"][0]
    _call(cu.cuInit, 0)
    if pointer:
        ordinal = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        device = int(_call(cu.cuPointerGetAttribute, ordinal, pointer))
        base, _ = _call(cu.cuMemGetAddressRange, pointer)
        memory = bytes(_call(cu.cuIpcGetMemHandle, base).reserved)
    else:  # no elements
        device, base, memory = 0, 0, b""
    flags = cu.CUevent_flags
    event = _call(
        cu.cuEventCreate, int(flags.CU_EVENT_DISABLE_TIMING) | int(flags.CU_EVENT_INTERPROCESS)
    )
    _call(cu.cuEventRecord, event, interface.get("stream") or 0)
    ticket = arena.allocate(8)
    with _lock:
        _sent[ticket.address] = _Sent(array, event, ticket)
    parcel = Parcel(
        type(array).__module__.partition(".")[0],
        os.getpid(),
        device,
        memory,
        int(pointer) - int(base),
        bytes(_call(cu.cuIpcGetEventHandle, event).reserved),
        tuple(interface["shape"]),
        interface.get("strides"),
        interface["typestr"],
        ticket,
    )
    return rebuild_cuda_array, (parcel,)


def release_finished() -> int:
    """Lets go of sent arrays that no receiver uses any more; how many are still in use."""
    with _lock:
        for key, sent in list(_sent.items()):
            if not sent.ticket.used_elsewhere():
                del _sent[key]
                _call(driver().cuEventDestroy, sent.event)
        return len(_sent)


class _Opened:
    """An allocation of another process, open here while anything uses it."""

    def __init__(self, parcel: Parcel) -> None:
        cu = driver()
        handle = cu.CUipcMemHandle()
        handle.reserved = parcel.memory
        flag = cu.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
        self.pointer = int(_call(cu.cuIpcOpenMemHandle, handle, int(flag)))
        self._close = weakref.finalize(self, _call, cu.cuIpcCloseMemHandle, self.pointer)


# The driver opens an allocation once per process.
_opened: weakref.WeakValueDictionary[bytes, _Opened] = weakref.WeakValueDictionary()


class _Interface:
    """What the library's ``asarray`` takes; keeps allocation and ticket."""

    def __init__(self, parcel: Parcel, opened: _Opened | None) -> None:
        self.kept = (parcel.ticket, opened)
        pointer = opened.pointer + parcel.offset if opened else 0
        self.__cuda_array_interface__ = {
            "shape": parcel.shape,
            "strides": parcel.strides,
            "typestr": parcel.typestr,
            "data": (pointer, False),
            "version": 3,
        }


def rebuild_cuda_array(parcel: Parcel) -> Any:
    """The array over the sender's memory."""
    if parcel.pid == os.getpid():
        with _lock:
            return _sent[parcel.ticket.address].array
    library = __import__(parcel.library)
    cu = driver()
    _call(cu.cuInit, 0)
    _call(cu.cuCtxSetCurrent, _call(cu.cuDevicePrimaryCtxRetain, parcel.device))
    opened = None
    if parcel.memory:
        with _lock:
            opened = _opened.get(parcel.memory)
            if opened is None:
                opened = _opened[parcel.memory] = _Opened(parcel)
    _wait_for(parcel.event)
    return library.asarray(_Interface(parcel, opened))


def _wait_for(event_handle: bytes) -> None:
    # On the host: right for every stream that the receiver may use.
    cu = driver()
    handle = cu.CUipcEventHandle()
    handle.reserved = event_handle
    event = _call(cu.cuIpcOpenEventHandle, handle)
    try:
        _call(cu.cuEventSynchronize, event)
    finally:
        _call(cu.cuEventDestroy, event)
