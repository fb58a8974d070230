"""Samplers: the order of samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar, cast

import numpy as np

from rushlight.utils.data.random_source import RandomSource, TorchSource, draw_seed, random_source

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """The order in which keys of a dataset are read. A subclass gives ``__iter__``.

    A sampler of your own takes part in :meth:`DataLoader.state_dict` by being replayed from the
    start of its epoch, or by its own ``state_dict()`` (the state after what it has given out) and
    ``load_state_dict()``.
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ... up to the length of ``data_source``."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomOrder(Sampler[Any]):
    """A sampler whose order follows from one seed, drawn when an iteration starts.

    ``epoch_seed`` is the seed of the latest iteration; :meth:`replay` makes the next one repeat a
    seed. With a ``torch.Generator`` or ``numpy.random.Generator`` of the caller the numbers come
    from it directly, so that a PyTorch program sees PyTorch's order, and what is kept is the state
    of the generator.
    """

    def __init__(self, generator: Any = None) -> None:
        self.generator: Any = (
            np.random.default_rng(generator) if isinstance(generator, int) else generator
        )
        self._replay: int | None = None
        self.epoch_seed: int | None = None

    def replay(self, seed: int) -> None:
        """The next iteration starts from ``seed``."""
        self._replay = seed

    def _source(self) -> RandomSource:
        if self._replay is None and self.generator is not None:
            return random_source(self.generator)
        seed, self._replay = self._replay, None
        self.epoch_seed = draw_seed() if seed is None else seed
        return random_source(self.epoch_seed)


class RandomSampler(RandomOrder):
    """Keys 0 to n - 1 in random order.

    Args:
        data_source: n is its length.
        replacement: draw each key anew, so that keys may repeat.
        num_samples: how many to give; n if absent. Without replacement, more than n continue with
            another permutation.
        generator: see :func:`rushlight.utils.data.random_source.random_source`.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        super().__init__(generator)
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"RandomSampler: replacement must be a bool, not {replacement!r}")
        _check_positive("RandomSampler: num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, left = len(self.data_source), self.num_samples
        source = self._source()
        if self.replacement:
            while left > 0:
                yield from source.integers(n, min(left, 32))
                left -= 32
            return
        for _ in range(left // n):
            yield from source.permutation(n)
        if left % n or isinstance(source, TorchSource):  # PyTorch draws one more in any case
            yield from source.permutation(n)[: left % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(RandomOrder):
    """The given keys in random order."""

    def __init__(self, indices: Sequence[Any], generator: Any = None) -> None:
        super().__init__(generator)
        self.indices = indices

    def __iter__(self) -> Iterator[Any]:
        for i in self._source().permutation(len(self.indices)):
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(RandomOrder):
    """Keys drawn with probabilities proportional to ``weights``.

    Args:
        weights: one per key, not negative; need not sum to 1.
        num_samples: how many to draw.
        replacement: whether a key may come twice.
        generator: see :func:`rushlight.utils.data.random_source.random_source`.

    Raises:
        ValueError: weights that are not one-dimensional, negative, not finite or all zero; or
            ``num_samples`` without replacement beyond the number of positive weights.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
    ) -> None:
        super().__init__(generator)
        _check_positive("WeightedRandomSampler: num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"WeightedRandomSampler: replacement must be a bool: {replacement!r}")
        self.weights = np.asarray(weights, dtype=np.float64)
        self.num_samples = num_samples
        self.replacement = replacement
        if self.weights.ndim != 1:
            raise ValueError(
                f"WeightedRandomSampler: weights must have one dimension, not {self.weights.shape}"
            )
        positive = int(np.count_nonzero(self.weights > 0))
        if not np.all(np.isfinite(self.weights)) or (self.weights < 0).any() or not positive:
            raise ValueError(
                "WeightedRandomSampler: weights must be finite, not negative, and not all zero"
            )
        if not replacement and num_samples > positive:
            raise ValueError(
                f"WeightedRandomSampler: cannot draw {num_samples} different keys of {positive} "
                "with positive weight"
            )

    def __iter__(self) -> Iterator[int]:
        source = self._source()
        yield from source.multinomial(self.weights, self.num_samples, self.replacement)

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[Any]]):
    """Lists of ``batch_size`` keys of another sampler; the last may be shorter.

    Args:
        sampler: keys; any iterable.
        batch_size: keys in a list.
        drop_last: leave out a last list that is not full.

    Example::

        list(BatchSampler(range(5), 2, drop_last=False))   # [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_positive("BatchSampler: batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"BatchSampler: drop_last must be a bool, not {drop_last!r}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        keys = iter(self.sampler)
        while batch := list(itertools.islice(keys, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        n = len(cast(Sized, self.sampler))
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def _check_positive(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} must be a positive integer, not {value!r}")
