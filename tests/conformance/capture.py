"""The ATen calls that PyTorch makes while it runs a sample, each one twice: whole and taken apart.

Composite operators (`linear`, `einsum`, …) are seen before PyTorch decomposes them, by a mode at
the PreDispatch key, and their parts afterwards, by an ordinary mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.utils._python_dispatch import TorchDispatchMode

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
# Called with an operator and its arguments as they were before it ran, and with what came of it.
Observer = Callable[[Any, Arguments, Keywords, Any], None]


class _Recorder:
    """Runs each call, tells the observer, and does not watch what the observer itself does."""

    def __init__(self, observer: Observer, wanted: Callable[[str], bool]) -> None:
        self.observer = observer
        self.wanted = wanted
        self.observing = False

    def run(self, operator: Any, args: Arguments, kwargs: Keywords) -> Any:
        if self.observing or not self.wanted(str(operator)):
            with torch._C._DisablePythonDispatcher():
                return operator(*args, **kwargs)
        before = _copies(args, kwargs) if operator._schema.is_mutable else (args, kwargs)
        outcome: Any
        try:
            with torch._C._DisablePythonDispatcher():
                outcome = operator(*args, **kwargs)
        except Exception as error:
            self._tell(operator, *before, error)
            raise
        self._tell(operator, *before, outcome)
        return outcome

    def _tell(self, operator: Any, args: Arguments, kwargs: Keywords, outcome: Any) -> None:
        self.observing = True
        try:
            self.observer(operator, args, kwargs, outcome)
        finally:
            self.observing = False


def _copies(args: Arguments, kwargs: Keywords) -> tuple[Arguments, Keywords]:
    """Arguments with memory of their own; tensors that share a storage still share one."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copy(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            storage = value.untyped_storage()
            mine = storages.setdefault(storage.data_ptr(), storage.clone())
            out = torch.empty(0, dtype=value.dtype)
            out.set_(mine, value.storage_offset(), value.size(), value.stride())
            return (
                torch._neg_view(out) if value.is_neg() else out.conj() if value.is_conj() else out
            )
        if isinstance(value, (list, tuple)):
            return type(value)(copy(v) for v in value)
        return value

    with torch._C._DisableTorchDispatch():
        return tuple(copy(a) for a in args), {k: copy(v) for k, v in kwargs.items()}


class _Whole(SchemaCheckMode):
    # PyTorch allows three kinds of modes at this key; the base is one, nothing of it is used.
    def __init__(self, recorder: _Recorder) -> None:
        TorchDispatchMode.__init__(self, torch._C.DispatchKey.PreDispatch)
        self.recorder = recorder

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Arguments = (), kwargs: Keywords | None = None
    ) -> Any:
        return self.recorder.run(func, args, kwargs or {})


class _Parts(TorchDispatchMode):
    def __init__(self, recorder: _Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Arguments = (), kwargs: Keywords | None = None
    ) -> Any:
        return self.recorder.run(func, args, kwargs or {})


@contextmanager
def observed(observer: Observer, wanted: Callable[[str], bool]) -> Iterator[None]:
    """Tells ``observer`` about every call of an operator whose name ``wanted`` accepts."""
    recorder = _Recorder(observer, wanted)
    with torch.no_grad(), enable_python_dispatcher(), _Parts(recorder), _Whole(recorder):
        yield
