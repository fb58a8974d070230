"""A CUDA driver and an array library over plain memory, for processes without a GPU.

"Device memory" is a shared anonymous mapping made before the fork, so that an opened handle really
leads to the sender's bytes. Calls that a real driver refuses are refused here: opening a handle
twice, or in the process that made it; closing what is not open; using a destroyed event.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_SUCCESS, _INVALID, _ALREADY = 0, 400, 208
MEMORY = mmap.mmap(-1, 1 << 20)
BASE = np.frombuffer(MEMORY, np.uint8).__array_interface__["data"][0]
_OPENED_AT = 1 << 40  # opened allocations appear at other addresses than in their maker


class Driver:
    """The functions of ``cuda.bindings.driver`` that are used, each returning (status, …)."""

    CUpointer_attribute = SimpleNamespace(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL=9)
    CUevent_flags = SimpleNamespace(CU_EVENT_DISABLE_TIMING=2, CU_EVENT_INTERPROCESS=4)
    CUipcMem_flags = SimpleNamespace(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS=1)
    CUipcMemHandle = CUipcEventHandle = SimpleNamespace

    def __init__(self) -> None:
        self.opened: set[int] = set()
        self.events: dict[int, str] = {}
        self.log: list[str] = []
        self.next_event = os.getpid() << 16

    def cuInit(self, flags: int) -> tuple[int]:  # noqa: N802
        return (_SUCCESS,)

    def cuPointerGetAttribute(self, attribute: int, pointer: int) -> tuple[int, int]:  # noqa: N802
        return _SUCCESS, 0

    def cuMemGetAddressRange(self, pointer: int) -> tuple[int, int, int]:  # noqa: N802
        base = BASE + (pointer - BASE) // 4096 * 4096  # one allocation a page
        return _SUCCESS, base, 4096

    def cuIpcGetMemHandle(self, base: int) -> tuple[int, Any]:  # noqa: N802
        return _SUCCESS, SimpleNamespace(reserved=struct.pack("<qq48x", os.getpid(), base - BASE))

    def cuIpcOpenMemHandle(self, handle: Any, flags: int) -> tuple[int, int]:  # noqa: N802
        maker, offset = struct.unpack("<qq48x", handle.reserved)
        if maker == os.getpid():
            return _INVALID, 0
        if offset in self.opened:
            return _ALREADY, 0
        self.opened.add(offset)
        self.log.append("open")
        return _SUCCESS, _OPENED_AT + offset

    def cuIpcCloseMemHandle(self, pointer: int) -> tuple[int]:  # noqa: N802
        if pointer - _OPENED_AT not in self.opened:
            return (_INVALID,)
        self.opened.remove(pointer - _OPENED_AT)
        self.log.append("close")
        return (_SUCCESS,)

    def cuEventCreate(self, flags: int) -> tuple[int, int]:  # noqa: N802
        assert flags == 6
        self.next_event += 1
        self.events[self.next_event] = "created"
        return _SUCCESS, self.next_event

    def cuEventRecord(self, event: int, stream: int) -> tuple[int]:  # noqa: N802
        self.events[event] = f"recorded on {stream}"
        return (_SUCCESS,)

    def cuIpcGetEventHandle(self, event: int) -> tuple[int, Any]:  # noqa: N802
        if not self.events[event].startswith("recorded"):
            return _INVALID, None
        return _SUCCESS, SimpleNamespace(reserved=struct.pack("<q56x", event))

    def cuIpcOpenEventHandle(self, handle: Any) -> tuple[int, int]:  # noqa: N802
        (event,) = struct.unpack("<q56x", handle.reserved)
        self.events[event] = "opened"
        return _SUCCESS, event

    def cuEventSynchronize(self, event: int) -> tuple[int]:  # noqa: N802
        self.log.append("wait")
        return (_SUCCESS if event in self.events else _INVALID,)

    def cuEventDestroy(self, event: int) -> tuple[int]:  # noqa: N802
        return (_SUCCESS if self.events.pop(event, None) else _INVALID,)

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[int, int]:  # noqa: N802
        return _SUCCESS, 1

    def cuCtxSetCurrent(self, context: int) -> tuple[int]:  # noqa: N802
        return (_SUCCESS,)


class ndarray:  # noqa: N801 - as in CuPy
    """An array in "device memory"."""

    def __init__(self, pointer: int, shape: tuple[int, ...], typestr: str, owner: Any) -> None:
        self.pointer, self.shape, self.typestr, self.owner = pointer, shape, typestr, owner

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.typestr,
            "data": (self.pointer, False),
            "strides": None,
            "stream": 7,
            "version": 3,
        }

    def host(self) -> np.ndarray[Any, Any]:
        """The elements, over the same bytes."""
        start = _OPENED_AT if self.owner else BASE
        return np.ndarray(self.shape, self.typestr, MEMORY, self.pointer - start)


def asarray(source: Any) -> ndarray:
    """CuPy's: over the interface's memory, keeping its object."""
    interface = source.__cuda_array_interface__
    return ndarray(interface["data"][0], interface["shape"], interface["typestr"], source)


def install(monkeypatch: Any) -> Driver:
    """This process has the fake library ``cupy`` and the fake driver; forked children too."""
    from rushlight.multiprocessing import cuda

    library: Any = ModuleType("cupy")
    library.ndarray, library.asarray = ndarray, asarray
    monkeypatch.setattr(ndarray, "__module__", "cupy")
    monkeypatch.setitem(sys.modules, "cupy", library)
    driver = Driver()
    monkeypatch.setattr(cuda, "driver", lambda: driver)
    return driver
