"""Shares of a dataset for the ranks of a distributed program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sized
from typing import Literal

from rushlight.utils.data.random_source import random_source
from rushlight.utils.data.sampler import Sampler


class DistributedSampler(Sampler[int]):
    """The keys of one rank: every ``num_replicas``-th of a common order.

    Args:
        dataset: its length counts.
        num_replicas: ranks; if absent, that of ``torch.distributed`` where it is running, else the
            environment's ``WORLD_SIZE``.
        rank: this process's, likewise (``RANK``).
        shuffle: a new order every epoch, the same on all ranks: call :meth:`set_epoch`.
        seed: of the order.
        drop_last: leave out the last samples that do not divide evenly; else samples are repeated
            until they do.
        uneven: ``"pad"`` and ``"drop"`` say the same as ``drop_last``; ``"exact"`` gives each
            sample to one rank exactly, so that ranks may differ by one sample.

    Raises:
        ValueError: a rank outside [0, num_replicas).
        RuntimeError: nothing says how many ranks there are.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        *,
        uneven: Literal["pad", "drop", "exact"] | None = None,
    ) -> None:
        if uneven not in {None, "pad", "drop", "exact"}:
            raise ValueError(f"DistributedSampler: uneven is {uneven!r}, not pad, drop or exact")
        self.dataset = dataset
        self.num_replicas, self.rank = resolve_ranks("DistributedSampler", num_replicas, rank)
        self.epoch = 0
        self.uneven = uneven or ("drop" if drop_last else "pad")
        self.drop_last = self.uneven == "drop"
        self.shuffle = shuffle
        self.seed = seed
        n, ranks = len(dataset), self.num_replicas
        self.num_samples = {
            "pad": -(-n // ranks),
            "drop": n // ranks,
            "exact": len(range(self.rank, n, ranks)),
        }[self.uneven]
        self.total_size = n if self.uneven == "exact" else self.num_samples * ranks

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        if self.uneven == "pad" and order:
            repeats = -(-self.total_size // len(order))
            order = (order * repeats)[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def _order(self) -> list[int]:
        n = len(self.dataset)
        if not self.shuffle:
            return list(range(n))
        return random_source(self.seed + self.epoch).permutation(n)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration's order that of ``epoch``."""
        self.epoch = epoch


def resolve_ranks(who: str, num_replicas: int | None, rank: int | None) -> tuple[int, int]:
    """The number of ranks and this one's, from arguments, ``torch.distributed``, environment."""
    if num_replicas is None or rank is None:
        found = _running_ranks()
        if found is None:
            raise RuntimeError(
                f"{who}: give num_replicas and rank: torch.distributed is not running, and "
                "WORLD_SIZE and RANK are not set"
            )
        num_replicas = found[0] if num_replicas is None else num_replicas
        rank = found[1] if rank is None else rank
    if not 0 <= rank < num_replicas:
        raise ValueError(f"{who}: rank {rank} is not in [0, {num_replicas})")
    return num_replicas, rank


def _running_ranks() -> tuple[int, int] | None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size(), distributed.get_rank()
    if "WORLD_SIZE" in os.environ and "RANK" in os.environ:
        return int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
    return None
