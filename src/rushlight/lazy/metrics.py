"""What the recorder did: counters, and how long it took: timers.

Counters whose name starts with ``aten::`` are operators that ran at the call instead of being
recorded, as in PyTorch; the others:

- ``RecordedCalls``, ``EagerCalls``: operators recorded; operators that ran at the call
- ``Runs``: traces run; ``CachedRuns`` of them had been compiled before
- ``Compilations``: new programs; ``Replans``: known programs planned for other sizes
- ``Interpretations``: traces run call by call: those of one operator, and those that failed
- ``AutomaticBarriers``: traces run because they had become long
- ``Failures``: runs in which an operator raised; ``Replays``: calls of compiled functions
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from rushlight import _C


class Timing(NamedTuple):
    """How often something was measured, in seconds; the median is that of the latest 1024."""

    count: int  # type: ignore[assignment]  # hides tuple.count
    total: float
    median: float


def _fallback_name(name: str) -> str:
    namespace, operator, *_ = name.split(".")
    return f"{namespace}::{operator}"


def _all_counters() -> dict[str, int]:
    counters = _C.lazy_counters()
    for name, count in _C.lazy_eager_calls().items():
        key = _fallback_name(name)
        counters[key] = counters.get(key, 0) + count
    return counters


def counter_names() -> list[str]:
    """Names of the counters that have counted something."""
    return sorted(name for name, count in _all_counters().items() if count)


def counter_value(name: str) -> int | None:
    """The counter's value; None if nothing of this name has been counted."""
    return _all_counters().get(name)


def timer_names() -> list[str]:
    """Names of the timers that have measured something."""
    return sorted(name for name, (count, *_) in _C.lazy_timers().items() if count)


def timer_value(name: str) -> Timing | None:
    """What a timer has measured; None for other names."""
    found = _C.lazy_timers().get(name)
    if found is None:
        return None
    count, total, latest = found
    return Timing(count, total, median(latest) if latest else 0.0)


def metrics_report() -> str:
    """All timers and counters as text."""
    lines = []
    for name in timer_names():
        timing = timer_value(name)
        assert timing is not None
        lines += [
            f"Metric: {name}",
            f"  TotalSamples: {timing.count}",
            f"  Accumulator: {_duration(timing.total)}",
            f"  Median: {_duration(timing.median)}",
        ]
    for name in counter_names():
        lines += [f"Counter: {name}", f"  Value: {counter_value(name)}"]
    return "\n".join(lines) + ("\n" if lines else "")


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3f}{unit}"
    return f"{seconds * 1e9:.0f}ns"


def reset() -> None:
    """Sets all counters and timers to zero."""
    _C.lazy_reset_metrics()
