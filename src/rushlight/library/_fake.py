"""Fake functions: what an operator's results look like, without computing them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn


class _DependsOnDataError(Exception):
    """A fake function asked for a size that only the data say."""


class FakeContext:
    """What a fake function may ask while it runs; from :func:`get_ctx`."""

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> NoReturn:
        """Says that a size depends on the data: the operator is called when those are there, and
        what the fake function would have returned does not matter."""
        raise _DependsOnDataError

    create_unbacked_symint = new_dynamic_size


def get_ctx() -> FakeContext:
    """The context of the fake function that is running."""
    return FakeContext()


def quiet(fake: Callable[..., Any]) -> Callable[..., Any]:
    """The function as the engine calls it: ``NotImplemented`` stands for "depends on the data"."""

    @functools.wraps(fake)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fake(*args, **kwargs)
        except _DependsOnDataError:
            return NotImplemented

    return call
