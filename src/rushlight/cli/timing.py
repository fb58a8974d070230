"""Measured times as the numbers that reports show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    n = len(ordered)
    return ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2


def summary(seconds: Sequence[float]) -> dict[str, Any]:
    """Median, 90th percentile (the smallest time that 90 % of the calls do not exceed), minimum
    and mean in milliseconds, and the number of calls."""
    ms = sorted(1e3 * s for s in seconds)
    return {
        "median": median(ms),
        "p90": ms[-(-9 * len(ms) // 10) - 1],
        "min": ms[0],
        "mean": sum(ms) / len(ms),
        "calls": len(ms),
    }
