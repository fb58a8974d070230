"""Where PyTorch keeps the queues; `rushlight.multiprocessing.queues` has ours."""

from multiprocessing.queues import SimpleQueue

from rushlight.multiprocessing.queues import JoinableQueue, Queue

__all__ = ["JoinableQueue", "Queue", "SimpleQueue"]
