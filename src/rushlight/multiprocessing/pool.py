"""``multiprocessing.pool``: its pools, whose arguments and results share memory here."""

from multiprocessing.pool import Pool, ThreadPool

__all__ = ["Pool", "ThreadPool"]
