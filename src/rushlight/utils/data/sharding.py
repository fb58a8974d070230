"""Shares of a stream: for the ranks of a program, and for the workers of each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar

import numpy as np

from rushlight import _C
from rushlight.utils.data.dataset import IterableDataset, is_iterable_dataset
from rushlight.utils.data.distributed import resolve_ranks
from rushlight.utils.data.worker_info import current

T = TypeVar("T")
Uneven = Literal["exact", "pad", "drop"]
SOURCE, SHUFFLE = 2**62, 2**62 + 1  # keys apart from those of samples


def shard(
    source: Iterable[T],
    *,
    shuffle: bool = False,
    uneven: Uneven = "exact",
    num_replicas: int | None = None,
    rank: int | None = None,
) -> Iterator[T]:
    """The items of ``source`` that the calling worker has to give.

    Items go to the ranks in turn; those of a rank to its workers batch by batch, so that the loader
    gives the same batches in the same order whatever the number of workers. Random draws, in the
    source and for each item, are seeded by the item's place in the stream and so are the same too.

    Args:
        source: the whole stream, the same in every worker. Of a sequence only the own items are
            read; an iterator is read through.
        shuffle: a sequence only: in an order that changes from epoch to epoch.
        uneven: when the items do not divide by the number of ranks: ``"exact"`` gives every item
            once, ``"drop"`` leaves out the last ones, ``"pad"`` repeats the first ones.
        num_replicas: ranks; see :class:`DistributedSampler`. One rank where nothing says how many.
        rank: this one.

    Example::

        class Lines(IterableDataset):
            def __iter__(self):
                for path in shard(self.paths):
                    yield read(path)
    """
    if uneven not in {"exact", "pad", "drop"}:
        raise ValueError(f"shard: uneven is {uneven!r}, not exact, pad or drop")
    try:
        ranks, rank = resolve_ranks("shard", num_replicas, rank)
    except RuntimeError:
        ranks, rank = 1, 0
    context = current.context
    workers, worker, size, key = 1, 0, 1, 0
    seed: Callable[[int, int], None] = _seed_nothing
    if context is not None:
        context.divided = True
        workers, worker = context.num_workers, context.worker
        size, key = max(1, context.batch_size), context.key
        seed = context.seed or _seed_nothing

    is_stream = is_iterable_dataset(source)

    def mine(position: int) -> bool:
        return position // size % workers == worker

    if hasattr(source, "__getitem__") and hasattr(source, "__len__") and not is_stream:
        items = _of_sequence(source, shuffle, key, ranks, rank, uneven, mine)
    elif shuffle:
        raise TypeError(f"shard: only a sequence can be shuffled, not {type(source).__name__}")
    else:
        items = _of_stream(source, ranks, rank, uneven, mine, seed, key)
    for position, item in items:
        seed(key, position)
        yield item


def _seed_nothing(key: int, index: int) -> None:
    pass


def _of_sequence(
    source: Any,
    shuffle: bool,
    key: int,
    ranks: int,
    rank: int,
    uneven: Uneven,
    mine: Callable[[int], bool],
) -> Iterator[tuple[int, Any]]:
    n = len(source)
    order: Any = range(n)
    if shuffle:
        order = np.random.default_rng(_C.mix_seeds(key, SHUFFLE)).permutation(n).tolist()
    total = {"exact": n, "drop": n // ranks * ranks, "pad": -(-n // ranks) * ranks}[uneven]
    for j, place in enumerate(range(rank, total, ranks)):
        if mine(j):
            yield place, source[order[place % n]]


def _of_stream(
    source: Iterable[Any],
    ranks: int,
    rank: int,
    uneven: Uneven,
    mine: Callable[[int], bool],
    seed: Callable[[int, int], None],
    key: int,
) -> Iterator[tuple[int, Any]]:
    seed(key, SOURCE)
    first: list[Any] = []  # for padding
    iterator = iter(source)
    source_key = _C.mix_seeds(key, SOURCE)
    for j in itertools.count():
        group = []
        for i in range(j * ranks, (j + 1) * ranks):
            seed(source_key, i)
            for item in itertools.islice(iterator, 1):
                group.append(item)
        if j < ranks and uneven == "pad":
            first += group
        if not group or (len(group) < ranks and uneven == "drop"):
            return
        if len(group) < ranks and uneven == "pad":
            group += list(itertools.islice(itertools.cycle(first), ranks - len(group)))
        if rank < len(group) and mine(j):
            yield j * ranks + rank, group[rank]
        if len(group) < ranks:
            return


class ShardedDataset(IterableDataset[T]):
    """An iterable dataset, or any iterable, divided by :func:`shard`.

    Example::

        DataLoader(ShardedDataset(stream), batch_size=32, num_workers=4)
    """

    def __init__(self, source: Iterable[T], **options: Any) -> None:
        self.source = source
        self.options = options

    def __iter__(self) -> Iterator[T]:
        return shard(self.source, **self.options)

    def __len__(self) -> int:
        return len(self.source)  # type: ignore[arg-type]
