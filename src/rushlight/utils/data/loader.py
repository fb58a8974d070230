"""DataLoader: batches of a dataset, loaded by workers of any kind."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np

from rushlight import _C, Tensor
from rushlight.utils import pytree
from rushlight.utils.data.arguments import (
    WorkerType,
    check_choice,
    check_samplers,
    check_workers,
    find_context,
)
from rushlight.utils.data.arrays import KINDS, Kind, as_kind
from rushlight.utils.data.collation import default_collate
from rushlight.utils.data.conversion import default_convert
from rushlight.utils.data.dataset import is_iterable_dataset
from rushlight.utils.data.iteration import (
    InProcessIterator,
    LoaderIterator,
    Pass,
    Pool,
)
from rushlight.utils.data.order import Order, generators_of
from rushlight.utils.data.pin_memory import pin_memory as pin
from rushlight.utils.data.random_source import draw_seed
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomOrder,
    RandomSampler,
    SequentialSampler,
)
from rushlight.utils.data.state import LoaderState
from rushlight.utils.data.stats import Stats, Trace
from rushlight.utils.data.tasks import Spec
from rushlight.utils.data.worker_iteration import WorkersIterator

T_co = TypeVar("T_co", covariant=True)
_FIXED = frozenset(
    {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}
)


class DataLoader(Generic[T_co]):
    """Iterates over a dataset in batches.

    Args:
        dataset: with ``__getitem__`` and ``__len__``; or an :class:`IterableDataset`. PyTorch's
            datasets work too.
        batch_size: samples in a batch; None to get samples one by one, without collating.
        shuffle: a new order every epoch.
        sampler: keys in the order to load them; excludes ``shuffle``.
        batch_sampler: lists of keys; excludes ``batch_size, shuffle, sampler, drop_last``.
        num_workers: 0 loads in this process, when a batch is asked for.
        collate_fn: makes a batch of a list of samples; :func:`default_collate` if absent (without
            batches :func:`default_convert`).
        pin_memory: put batches into page-locked memory, where CUDA is present; else no effect.
        drop_last: leave out a last batch that is not full.
        timeout: seconds to wait for a batch before an error that shows where the worker is; 0 for
            ever.
        worker_init_fn: called in each worker with its number, once it is seeded.
        multiprocessing_context: start method of processes, or a context.
        generator: draws seeds, and the order if ``shuffle``: an int, a ``numpy.random.Generator``
            or a ``torch.Generator``.
        prefetch_factor: batches that each worker prepares in advance. If absent 2, and more of
            small batches, which travel together.
        persistent_workers: keep workers, and their copies of the dataset, after an epoch.
        pin_memory_device: accepted for PyTorch's sake.
        in_order: False gives batches as they are made.
        worker_type: ``"process"``; ``"thread"``, for datasets that release the GIL; or ``"ray"``,
            actors on a Ray cluster.
        seed: of order and random draws; epoch e of two loaders with one seed is the same.
        worker_seeding: ``"sample"`` seeds before each sample, from seed, epoch and key: the same
            draws whatever the workers. ``"torch"`` seeds each worker once, as PyTorch does.
        arrays: what arrays become: ``"rushlight"``, ``"numpy"``, ``"torch"`` or ``"jax"``. If
            absent, PyTorch tensors where samples hold PyTorch tensors, else rushlight's.
        trace: a file to write each epoch's timeline to, for https://ui.perfetto.dev.

    Raises:
        ValueError: arguments that exclude each other, or are out of range.

    Example::

        for x, y in DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True):
            ...
    """

    _made = False
    _iterator: LoaderIterator | None = None
    _pool: Pool | None = None

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        worker_type: WorkerType = "process",
        seed: int | None = None,
        worker_seeding: Literal["sample", "torch"] = "sample",
        arrays: Kind | None = None,
        trace: str | Path | None = None,
    ) -> None:
        self._iterable = is_iterable_dataset(dataset)
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers, worker_type)
        check_choice("worker_seeding", worker_seeding, ("sample", "torch"))
        if arrays is not None:
            check_choice("arrays", arrays, KINDS)
        check_samplers(self._iterable, batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset = dataset
        self.num_workers = num_workers
        self.worker_type = worker_type
        self._given_prefetch = prefetch_factor
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.seed = seed
        self.worker_seeding = worker_seeding
        self.arrays = arrays
        self.trace = trace
        if isinstance(generator, int):
            generator = np.random.default_rng(generator)
        self.generator = generator
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None and not self._iterable:
            sampler = (
                RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler or _Endless(), batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler: Any = sampler if sampler is not None else _Endless()
        self.batch_sampler: Any = batch_sampler
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self._state = LoaderState()
        self._stats = Stats(num_workers)
        self._made = True
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self) -> Any:
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        self._context = find_context(context, self.num_workers)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._made and name in _FIXED:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if not self._iterable:
            return len(cast(Sized, self._index_sampler))
        n = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warns if there are more worker processes than processors to run them."""
        cpus = len(os.sched_getaffinity(0))
        if self.worker_type != "ray" and self.num_workers > cpus:
            warnings.warn(
                f"{self.num_workers} workers for {cpus} processors: more than {cpus} may make "
                "loading slower",
                stacklevel=3,
            )

    def __iter__(self) -> Iterator[Any]:
        plan = self._plan()
        if self.num_workers == 0:
            self._iterator = InProcessIterator(plan)
            return self._iterator
        if self.persistent_workers:
            if isinstance(self._iterator, WorkersIterator):
                self._iterator.finished = True  # its workers now work for the new one
            pool = self._pool
            if pool is None or pool.death() is not None:
                pool = self._start(plan.spec)
            self._pool = pool
        else:
            pool = self._start(plan.spec)
        try:
            iterator = WorkersIterator(plan, pool, self.persistent_workers)
        except BaseException:
            pool.stop()
            self._pool = None
            raise
        if self.persistent_workers:
            self._iterator = iterator
        return iterator

    def _start(self, spec: Spec) -> Pool:
        if self.worker_type == "thread":
            from rushlight.utils.data.thread_pool import ThreadPool

            return ThreadPool(spec)
        if self.worker_type == "ray":
            from rushlight.utils.data.ray_pool import RayPool

            return RayPool(spec)
        from rushlight.utils.data.process_pool import ProcessPool

        return ProcessPool(spec, self._context)

    def _plan(self) -> Pass:
        """Everything about the pass that begins now."""
        state, generators = self._state, generators_of(self._index_sampler, self.generator)
        resumed = state.take_resumed()
        state.restore(generators)
        seed: int = self._epoch_seed(state.epoch) if resumed is None else resumed["seed"]
        state.note(generators)
        consumed = state.batches
        order = None
        if not self._iterable:
            order = Order(self._index_sampler, seed, consumed, (resumed or {}).get("order"))
        number = state.begin(seed, order, self.num_workers)
        self._stats = Stats(self.num_workers, warned=self._stats.warned)
        if self.trace is not None:
            self._stats.trace = Trace(self.trace, self.num_workers)
        return Pass(
            spec=self._spec(),
            seed=seed,
            order=order,
            consumed=consumed,
            ahead=frozenset(state.ahead),
            dataset_states=dict(state.datasets),
            finish=self._finish,
            on_batch=partial(state.consume, number),
            on_end=partial(state.end, number),
            stats=self._stats,
            timeout=self.timeout,
            prefetch=self._given_prefetch,
            in_order=self.in_order,
        )

    def _epoch_seed(self, epoch: int) -> int:
        if self.seed is not None:
            return _C.mix_seeds(self.seed & (2**64 - 1), epoch) >> 1
        if self.generator is not None:
            return draw_seed(self.generator)
        if self._draws_order:
            return self._state.draw_seed()
        # Nothing is shuffled: the process's generator is looked at and left alone.
        return _C.mix_seeds(_C.random_state()[0], epoch) >> 1

    @property
    def _draws_order(self) -> bool:
        sampler = self._index_sampler
        while sampler is not None:
            if isinstance(sampler, RandomOrder) and sampler.generator is None:
                return True
            sampler = getattr(sampler, "sampler", None)
        return False

    def _spec(self) -> Spec:
        return Spec(
            dataset=self.dataset,
            iterable=self._iterable,
            collate_fn=self.collate_fn,
            auto_collation=self._auto_collation,
            batch_size=self.batch_size or 1,
            drop_last=self.drop_last,
            kind="rushlight" if self.arrays == "jax" else self.arrays,
            num_workers=self.num_workers,
            worker_init_fn=self.worker_init_fn,
            seeding=self.worker_seeding,
        )

    def _finish(self, data: Any) -> Any:
        if self.arrays == "jax":
            data = pytree.tree_map_only(Tensor, lambda t: as_kind(t.numpy(), "jax"), data)
        return pin(data) if self.pin_memory else data

    def state_dict(self) -> dict[str, Any]:
        """Where the latest iteration is: what the loop has received, not what is prefetched.

        Small data that JSON can hold. It does not depend on the number and kind of workers.
        """
        return self._state.save(generators_of(self._index_sampler, self.generator))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """The next iteration continues where :meth:`state_dict` was taken.

        Raises:
            ValueError: a state that is not ours, or of a newer version.
        """
        self._state.load(state, max(1, self.num_workers))

    def stats(self) -> Stats:
        """Where the time of the latest iteration went; print it, or read its fields."""
        return self._stats


class _Endless:
    """Stands for the sampler of an iterable dataset."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None
