"""Datasets: where samples come from."""

from __future__ import annotations

import bisect
import itertools
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

from rushlight import Tensor
from rushlight.utils.data.random_source import random_source

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by key. A subclass gives ``__getitem__``, and ``__len__`` where samplers need it.

    A subclass may also give ``__getitems__(keys)``, which returns a list of samples and is called
    once for a batch.
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples in a stream. A subclass gives ``__iter__``.

    With several workers each has a copy of the dataset and iterates over all of it: divide the
    stream with :func:`rushlight.utils.data.shard`.
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


def is_iterable_dataset(dataset: object) -> bool:
    """True for our ``IterableDataset`` and PyTorch's."""
    if isinstance(dataset, IterableDataset):
        return True
    torch_data = sys.modules.get("torch.utils.data")
    return torch_data is not None and isinstance(dataset, torch_data.IterableDataset)


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Samples are rows of arrays that have the same first size.

    Args:
        tensors: tensors or arrays of any library, each of shape ``(n, ...)``.

    Raises:
        AssertionError: the first sizes differ.

    Example::

        TensorDataset(np.zeros((3, 2)), np.arange(3))[1]   # (array([0., 0.]), 1)
    """

    tensors: tuple[Any, ...]

    def __init__(self, *tensors: Any) -> None:
        sizes = [len(t) for t in tensors]
        if len(set(sizes)) > 1:
            raise AssertionError(f"TensorDataset: first sizes must be equal, they are {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([_row(tensor, index) for tensor in self.tensors])

    def __len__(self) -> int:
        return len(self.tensors[0])


def _row(tensor: Any, index: Any) -> Any:
    # Rows of our own tensors as NumPy views: collating makes tensors of them again.
    return tensor.numpy()[index] if isinstance(tensor, Tensor) else tensor[index]


class StackDataset(Dataset[Any]):
    """Samples are tuples, or dictionaries, of the samples of several datasets at the same key.

    Args:
        args: datasets of equal length, for tuples.
        kwargs: datasets of equal length by name, for dictionaries.

    Raises:
        ValueError: no dataset, both kinds of arguments, or different lengths.
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if args and kwargs:
            raise ValueError("StackDataset: give datasets by position or by name, not both")
        if not args and not kwargs:
            raise ValueError("StackDataset: at least one dataset is needed")
        self.datasets = args or kwargs
        sizes = [len(cast(Any, d)) for d in (args or kwargs.values())]
        if len(set(sizes)) > 1:
            raise ValueError(f"StackDataset: lengths must be equal, they are {sizes}")
        self._length = sizes[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        if isinstance(self.datasets, dict):
            names = list(self.datasets)
            columns = [_samples(d, indices) for d in self.datasets.values()]
            return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        columns = [_samples(d, indices) for d in self.datasets]
        return list(zip(*columns, strict=True))

    def __len__(self) -> int:
        return self._length


def _samples(dataset: Any, indices: list[Any]) -> list[Any]:
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[i] for i in indices]
    samples = list(dataset.__getitems__(indices))
    if len(samples) != len(indices):
        raise ValueError(
            f"__getitems__ of {type(dataset).__name__} must return {len(indices)} samples, "
            f"it returned {len(samples)}"
        )
    return samples


class ConcatDataset(Dataset[T_co]):
    """Datasets one after the other.

    Raises:
        AssertionError: no dataset, or an iterable one among them.
    """

    datasets: list[Dataset[T_co]]
    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("ConcatDataset: at least one dataset is needed")
        for d in self.datasets:
            if is_iterable_dataset(d):
                raise AssertionError("ConcatDataset: an IterableDataset has no keys")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each dataset ends."""
        return list(itertools.accumulate(len(d) for d in sequence))

    @property
    def cummulative_sizes(self) -> list[int]:
        warnings.warn("cummulative_sizes is now cumulative_sizes", DeprecationWarning, stacklevel=2)
        return self.cumulative_sizes

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(f"ConcatDataset: index {idx} with {len(self)} samples")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        if which == len(self.datasets):
            raise IndexError(f"ConcatDataset: index {idx} with {len(self)} samples")
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]


class ChainDataset(IterableDataset[Any]):
    """Iterable datasets one after the other, opened as they are reached."""

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        super().__init__()
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for d in self.datasets:
            if not is_iterable_dataset(d):
                raise AssertionError(
                    f"ChainDataset: IterableDatasets expected, found {type(d).__name__}"
                )
            yield d

    def __iter__(self) -> Iterator[Any]:
        for d in self._checked():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._checked())


class Subset(Dataset[T_co]):
    """The samples of a dataset at the given keys."""

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[Any]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        return _samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T], lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[T]]:
    """Divides a dataset at random into parts that do not overlap.

    Args:
        dataset: with ``__len__``.
        lengths: of the parts; or fractions that sum to 1: what rounding down leaves over goes to
            the parts in turn, one sample each.
        generator: see :func:`rushlight.utils.data.random_source.random_source`; the default one
            if absent.

    Raises:
        ValueError: the lengths do not add up to the dataset's, or a fraction is not in [0, 1].

    Example::

        train, test = random_split(range(10), [0.8, 0.2], generator=0)
    """
    size = len(cast(Any, dataset))
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        parts = []
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"random_split: fraction {i} is {fraction}, not between 0 and 1")
            parts.append(math.floor(size * fraction))
        for i in range(size - sum(parts)):
            parts[i % len(parts)] += 1
        for i, part in enumerate(parts):
            if part == 0:
                warnings.warn(f"random_split: part {i} is empty", stacklevel=2)
    else:
        parts = [int(n) for n in lengths]
    if sum(parts) != size:
        raise ValueError(f"random_split: lengths {list(lengths)} do not sum to {size} samples")
    order = random_source(generator).permutation(size)
    ends = itertools.accumulate(parts)
    return [Subset(dataset, order[end - n : end]) for n, end in zip(parts, ends, strict=True)]
