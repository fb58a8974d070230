"""Which kind of shared memory this process makes."""

from __future__ import annotations

from rushlight.multiprocessing.after_fork import ForkLock

_ALL = frozenset({"file_descriptor", "file_system"})
_lock = ForkLock()
_chosen = "file_descriptor"  # of the whole process, as in PyTorch


def get_all_sharing_strategies() -> set[str]:
    """``file_descriptor`` (memory files, without a name) and ``file_system`` (``/dev/shm``)."""
    return set(_ALL)


def get_sharing_strategy() -> str:
    """The strategy for new shared memory; ``file_descriptor`` by default."""
    return _chosen


def set_sharing_strategy(new_strategy: str) -> None:
    """Chooses the strategy for new shared memory; what exists stays where it is.

    Raises:
        AssertionError: there is no such strategy.
    """
    global _chosen  # noqa: PLW0603 - a setting of the process
    if new_strategy not in _ALL:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {sorted(_ALL)}"
        )
    with _lock:
        _chosen = new_strategy
