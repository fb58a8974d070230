"""What benchmarks/data.py loads, and by which loaders."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np


class Arrays:
    """`n` samples, which are `kept` arrays again and again."""

    def __init__(self, n: int, kept: int, shape: tuple[int, ...]) -> None:
        self.n = n
        self.data = np.random.default_rng(0).random((kept, *shape), np.float32)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        return self.data[i % len(self.data)]


class Jpegs:
    """`n` photographs of noise, 224x224."""

    def __init__(self, n: int, kept: int) -> None:
        from PIL import Image

        self.n = n
        random = np.random.default_rng(0)
        self.files = []
        for _ in range(kept):
            coarse = random.integers(0, 255, (28, 28, 3), np.uint8)
            file = io.BytesIO()
            Image.fromarray(coarse).resize((224, 224)).save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(self.files[i % len(self.files)])))


ROWS: dict[str, tuple[Callable[[], Any], int]] = {  # data set, batch size
    "tiny": (lambda: Arrays(10_000_000, 4096, (8,)), 64),
    "small": (lambda: Arrays(1_000_000, 1024, (3, 32, 32)), 64),
    "image": (lambda: Arrays(100_000, 64, (3, 224, 224)), 32),
    "jpeg": (lambda: Jpegs(100_000, 64), 32),
}
NAMES = {
    "tiny": "8 floats",
    "small": "3x32x32",
    "image": "3x224x224",
    "jpeg": "JPEG 224x224",
}
Make = Callable[[Any, int, int], Iterable[Any]]


def ours(data: Any, batch: int, workers: int) -> Iterable[Any]:
    from rushlight.utils.data import DataLoader

    return DataLoader(data, batch, num_workers=workers)


def ours_threads(data: Any, batch: int, workers: int) -> Iterable[Any]:
    from rushlight.utils.data import DataLoader

    return DataLoader(data, batch, num_workers=workers, worker_type="thread")


def pytorch(data: Any, batch: int, workers: int) -> Iterable[Any]:
    import torch.utils.data

    return torch.utils.data.DataLoader(data, batch, num_workers=workers)


def grain(data: Any, batch: int, workers: int) -> Iterable[Any]:
    import grain as library
    from absl import flags

    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()  # its workers are configured by flags
    stream = library.MapDataset.source(data).batch(batch)
    loaded = stream.to_iter_dataset(library.ReadOptions(num_threads=0, prefetch_buffer_size=0))
    if workers == 0:
        return loaded
    return loaded.mp_prefetch(library.MultiprocessingOptions(num_workers=workers))


class Spdl:
    """SPDL's pipeline: batches of keys, loaded by threads."""

    def __init__(self, data: Any, batch: int, workers: int) -> None:
        self.data, self.batch, self.workers = data, batch, workers

    def _load(self, keys: list[int]) -> Any:
        return np.stack([self.data[i] for i in keys])

    def __iter__(self) -> Iterator[Any]:
        from spdl.pipeline import PipelineBuilder

        builder = PipelineBuilder().add_source(range(len(self.data))).aggregate(self.batch)
        builder = builder.pipe(self._load, concurrency=max(1, self.workers), output_order="input")
        pipeline = builder.add_sink(4).build(num_threads=max(1, self.workers))
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()


PEERS: dict[str, tuple[Make, str]] = {
    "rushlight": (ours, "rushlight.utils.data"),
    "threads": (ours_threads, "rushlight.utils.data"),
    "PyTorch": (pytorch, "torch.utils.data"),
    "grain": (grain, "grain"),
    "SPDL": (Spdl, "spdl.pipeline"),
}


def installed(module: str) -> bool:
    try:
        return bool(importlib.import_module(module))
    except ImportError:
        return False
