"""Whether the arguments of a DataLoader make sense together."""

from __future__ import annotations

import multiprocessing
import multiprocessing.context
from collections.abc import Sequence
from typing import Any, Literal, get_args

WorkerType = Literal["process", "thread", "ray"]


def check_samplers(
    iterable: bool,
    batch_size: Any,
    shuffle: Any,
    sampler: Any,
    batch_sampler: Any,
    drop_last: bool,
) -> None:
    """Arguments that say which samples, and how many at a time."""
    if iterable:
        for name, value in (
            ("shuffle", shuffle or None),
            ("sampler", sampler),
            ("batch_sampler", batch_sampler),
        ):
            if value is not None:
                raise ValueError(
                    "DataLoader with IterableDataset: expected unspecified "
                    f"{name} option, but got {name}={value}"
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                "and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def check_workers(
    num_workers: int, timeout: float, prefetch: int | None, persistent: bool, kind: str
) -> None:
    """Arguments about workers."""
    if num_workers < 0:
        raise ValueError(f"num_workers option should be non-negative, not {num_workers}")
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, not {timeout}")
    if num_workers == 0 and prefetch is not None:
        raise ValueError("prefetch_factor option needs workers: give num_workers > 0")
    if prefetch is not None and prefetch < 0:
        raise ValueError(f"prefetch_factor option should be non-negative, not {prefetch}")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    check_choice("worker_type", kind, get_args(WorkerType))


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """One of few words."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def find_context(context: Any, num_workers: int) -> Any:
    """The context that a start method's name stands for; contexts and None as they are."""
    if context is None:
        return None
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with workers (num_workers > 0), but "
            f"got num_workers={num_workers}"
        )
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        check_choice("multiprocessing_context", context, methods)
        context = multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context must be a context or the name of a start method, not "
            f"{type(context).__name__}"
        )
    return context
