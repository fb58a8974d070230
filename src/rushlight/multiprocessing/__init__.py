"""Processes that share arrays; see `rushlight.multiprocessing.arena`."""

from rushlight.multiprocessing.strategy import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    set_sharing_strategy,
)

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]
