"""Flags, counters and programs are as at the start for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rushlight import lazy


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    lazy.wait_device_ops()
    lazy.ir_cache.reset()
    lazy.metrics.reset()
    yield
    lazy.config.reset()
