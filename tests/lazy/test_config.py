"""Flags of the recorder."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import lazy
from rushlight.lazy import config


def test_a_flag_is_got_set_and_set_for_a_while() -> None:
    before = config.max_trace_calls.get()
    with config.max_trace_calls(10):
        assert config.max_trace_calls.get() == 10
    assert config.max_trace_calls.get() == before
    config.max_trace_calls.set(7)
    config.reset()
    assert config.max_trace_calls.get() == before
    assert repr(config.max_trace_calls) == f"<flag max_trace_calls={before}>"


def test_flags_check_what_they_are_given() -> None:
    with pytest.raises(TypeError, match="max_programs: expected int, got str"):
        config.max_programs.set("3")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="recording: expected bool"):
        config.recording.set(1)
    with pytest.raises(ValueError, match="max_programs: expected 1 or more, got 0"):
        config.max_programs.set(0)


def test_without_recording_operators_run_at_the_call() -> None:
    with config.recording(False):
        y = torch.ones(3) * 2
        assert config.get_force_fallback() == "all"
    assert lazy.metrics.counter_value("RecordedCalls") == 0
    assert lazy.metrics.counter_value("aten::ones") == 1
    assert y.tolist() == [2.0] * 3
    config.set_force_fallback("all")
    assert not config.recording.get()
    config.set_force_fallback("")
    assert config.recording.get()
    with pytest.raises(ValueError, match="expected '' or 'all'"):
        config.set_force_fallback("aten::add")
    config.set_reuse_ir(True)
    with pytest.raises(TypeError):
        config.set_reuse_ir(1)  # type: ignore[arg-type]


def test_the_cache_holds_as_many_programs_as_the_flag_says() -> None:
    with config.max_programs(2):
        for n in (1, 2, 3, 1):
            (torch.ones(n) * 2).tolist()
    assert lazy.metrics.counter_value("CachedRuns") == 0
    assert lazy.explain()[-1].reason == "forgotten" or lazy.explain()[-1].reason == "argument"


def test_the_environment_sets_flags() -> None:
    code = (
        "import rushlight.lazy as l; print(l.config.max_programs.get(), l.config.recording.get())"
    )
    env = os.environ | {"RUSHLIGHT_LAZY_MAX_PROGRAMS": "9", "RUSHLIGHT_LAZY_RECORDING": "0"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout == "9 False\n"
    env["RUSHLIGHT_LAZY_MAX_PROGRAMS"] = "many"
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert "RUSHLIGHT_LAZY_MAX_PROGRAMS: expected a number, got 'many'" in run.stderr
