"""The process's random state: ``rushlight.random``, and the same names in ``rushlight``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rushlight._C import Generator, Tensor, default_generator

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: int) -> Generator:
    """Starts the random sequence of ``seed`` (64 bits); returns the process's generator.

    >>> g = rushlight.manual_seed(0)
    >>> a = rushlight.rand(2)
    >>> g = rushlight.manual_seed(0)
    >>> bool((a == rushlight.rand(2)).all())
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Takes a seed from the system and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the sequence in use."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the process's generator: 16 bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restores a state from `get_rng_state`."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Inside the ``with`` block random numbers may be drawn without effect on those after it."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
