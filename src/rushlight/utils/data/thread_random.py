"""Generators of their own for worker threads.

``random``, ``numpy.random`` and PyTorch draw from one generator of the process, so that the numbers
a thread gets would depend on what other threads do. While worker threads live, the functions of
these modules look whether the calling thread has generators of its own; all other threads notice
nothing. ``random`` and ``getrandbits`` that a module imported by name before are the process's own;
everything else, such as ``from random import randint``, is covered.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from rushlight import _C
from rushlight.multiprocessing.after_fork import ForkLock
from rushlight.utils.data.seeding import Generators


class _Own(threading.local):
    python: random.Random | None = None
    numpy: Any = None


_own = _Own()
_lock = ForkLock()
_users = 0  # worker threads alive
_undo: list[Callable[[], None]] = []


class _PythonRandom(random.Random):
    """The class of ``random._inst`` while worker threads live."""

    def random(self) -> float:
        own = _own.python
        return super().random() if own is None else own.random()

    def getrandbits(self, k: int, /) -> int:
        own = _own.python
        return super().getrandbits(k) if own is None else own.getrandbits(k)

    def seed(self, *args: Any, **kwargs: Any) -> None:
        own = _own.python
        if own is None:
            super().seed(*args, **kwargs)
        else:
            own.seed(*args, **kwargs)

    def getstate(self) -> Any:
        own = _own.python
        return super().getstate() if own is None else own.getstate()

    def setstate(self, state: Any) -> None:
        own = _own.python
        if own is None:
            super().setstate(state)
        else:
            own.setstate(state)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        own = _own.python
        return super().gauss(mu, sigma) if own is None else own.gauss(mu, sigma)


def _install() -> None:
    instance: Any = random._inst
    original = type(instance)
    instance.__class__ = _PythonRandom
    _undo.append(lambda: setattr(instance, "__class__", original))
    for name in dir(random):
        function = getattr(random, name)
        if getattr(function, "__self__", None) is instance:
            _patch(random, name, getattr(instance, name))
    shared: Any = np.random.mtrand._rand
    for name in dir(np.random):
        function = getattr(np.random, name)
        if getattr(function, "__self__", None) is shared:
            _patch(np.random, name, _numpy_function(name, function))


def _patch(module: Any, name: str, function: Any) -> None:
    before = getattr(module, name)
    setattr(module, name, function)
    _undo.append(lambda: setattr(module, name, before))


def _numpy_function(name: str, shared: Any) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        own = _own.numpy
        return (shared if own is None else getattr(own, name))(*args, **kwargs)

    function.__name__ = name
    function.__doc__ = shared.__doc__
    return function


@contextmanager
def thread_generators() -> Iterator[Generators]:
    """In this block the calling thread draws from generators of its own."""
    global _users  # noqa: PLW0603 - counts the users of a change to other modules
    with _lock:
        _users += 1
        if _users == 1:
            _install()
    try:
        _own.python = random.Random()
        _own.numpy = np.random.RandomState(np.random.MT19937())
        _C.use_thread_generator(True)
        with ExitStack() as stack:
            yield Generators(_own.python, _own.numpy, _enter_torch(stack))
    finally:
        _C.use_thread_generator(False)
        _own.python = _own.numpy = None
        with _lock:
            _users -= 1
            while _users == 0 and _undo:
                _undo.pop()()


_TORCH_FUNCTIONS = (
    *("rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "poisson"),
    *("rand_like", "randn_like", "randint_like"),
)
_TORCH_METHODS = (
    *("random_", "uniform_", "normal_", "bernoulli", "bernoulli_", "exponential_", "geometric_"),
    *("cauchy_", "log_normal_", "multinomial"),
)


def _enter_torch(stack: ExitStack) -> Any:
    """PyTorch's functions, called on this thread, draw from the generator returned."""
    if "torch" not in sys.modules:
        return None
    import torch
    from torch.overrides import TorchFunctionMode

    generator = torch.Generator()
    drawing = {getattr(torch, n) for n in _TORCH_FUNCTIONS}
    drawing |= {getattr(torch.Tensor, n) for n in _TORCH_METHODS}

    class DrawFromThread(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            if func in drawing and kwargs.get("generator") is None:
                kwargs["generator"] = generator
            elif func is torch.manual_seed or func is torch.seed:
                return generator.manual_seed(*args, **kwargs)
            return func(*args, **kwargs)

    stack.enter_context(DrawFromThread())
    return generator
