"""Datasets, samplers and the DataLoader; the names are those of ``torch.utils.data``.

    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=2)
    for batch in loader: ...

Workers are processes, threads or Ray actors; batches and random draws are the same whatever their
number and kind; ``state_dict()`` resumes in the middle of an epoch.
"""

from rushlight.utils.data.collation import collate, default_collate
from rushlight.utils.data.conversion import default_convert
from rushlight.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from rushlight.utils.data.distributed import DistributedSampler
from rushlight.utils.data.loader import DataLoader
from rushlight.utils.data.progress import progress
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from rushlight.utils.data.sharding import ShardedDataset, shard
from rushlight.utils.data.stats import Stats
from rushlight.utils.data.worker_info import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "ShardedDataset",
    "SharedDict",
    "SharedList",
    "StackDataset",
    "Stats",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "collate",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "progress",
    "random_split",
    "shard",
]


def __getattr__(name: str) -> object:
    if name in {"SharedDict", "SharedList"}:  # they need shared memory, which loads when used
        from rushlight.utils.data import shared

        return getattr(shared, name)
    raise AttributeError(f"module 'rushlight.utils.data' has no attribute '{name}'{_why(name)}")


def _why(name: str) -> str:
    if "DataPipe" in name or "datapipe" in name:
        return ": PyTorch has stopped developing DataPipes; an IterableDataset with shard does it"
    return ""
