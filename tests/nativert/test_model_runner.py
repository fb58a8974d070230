"""``rushlight.nativert.ModelRunner``: any library's arrays in and out, threads, state, errors."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import export, nativert
from tests import fixture_calls as fixtures


@pytest.fixture(scope="module")
def linear() -> nativert.ModelRunner:
    return nativert.ModelRunner(fixtures.path_of("linear"))


@pytest.fixture
def x() -> Any:
    return fixtures.flat_inputs("linear", 0)[0]


@pytest.mark.parametrize("form", fixtures.FORMS)
def test_numpy_in_numpy_out(form: str) -> None:
    runner = nativert.ModelRunner(Path(fixtures.path_of("int_bool", form)))
    results = runner.run(*fixtures.flat_inputs("int_bool", 0, form))
    assert isinstance(results, tuple)
    for result, wanted in zip(results, fixtures.flat_outputs("int_bool", 0), strict=True):
        assert isinstance(result, np.ndarray)
        fixtures.check(result, wanted)


def test_tensors_in_tensors_out(linear: nativert.ModelRunner, x: Any) -> None:
    result = linear.run(rushlight.Tensor(x))
    assert isinstance(result, rushlight.Tensor)
    fixtures.check(result, fixtures.flat_outputs("linear", 0)[0])


class Foreign:
    """An array of a library that only speaks DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries(
    linear: nativert.ModelRunner, x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    library: Any = ModuleType("foreign_arrays")
    library.from_dlpack = lambda array: Foreign(np.from_dlpack(array))
    monkeypatch.setitem(sys.modules, "foreign_arrays", library)
    monkeypatch.setattr(Foreign, "__module__", "foreign_arrays")
    result = linear.run(Foreign(x))
    assert isinstance(result, Foreign)
    fixtures.check(result.array, fixtures.flat_outputs("linear", 0)[0])
    monkeypatch.delattr(library, "from_dlpack")
    assert isinstance(linear.run(Foreign(x)), rushlight.Tensor)


def test_array_api_libraries(linear: nativert.ModelRunner, x: Any) -> None:
    class Standard(Foreign):
        def __array_namespace__(self) -> Any:
            return np

    assert isinstance(linear.run(Standard(x)), np.ndarray)


def test_bfloat16_results_stay_ours() -> None:
    runner = nativert.ModelRunner(fixtures.path_of("bf16_mlp"))
    (x,) = fixtures.flat_inputs("bf16_mlp", 0)
    plain, narrow = runner.run(x)
    assert isinstance(plain, np.ndarray)
    assert isinstance(narrow, rushlight.Tensor)
    assert narrow.dtype is rushlight.bfloat16


def test_memory_layout_of_the_input_does_not_matter(linear: nativert.ModelRunner, x: Any) -> None:
    expected = linear.run(x)
    wide = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[:, ::2] = x
    assert np.array_equal(linear.run(wide[:, ::2]), expected)
    assert np.array_equal(linear.run(np.asfortranarray(x)), expected)
    frozen = x.copy()
    frozen.flags.writeable = False
    assert np.array_equal(linear.run(frozen), expected)


def test_results_are_not_overwritten_by_the_next_call(linear: nativert.ModelRunner, x: Any) -> None:
    first = linear.run(x)
    kept = first.copy()
    linear.run(x + 1)
    assert np.array_equal(first, kept)


def test_state_stays_from_call_to_call() -> None:
    runner = nativert.ModelRunner(fixtures.path_of("counter"))
    other = nativert.ModelRunner(fixtures.path_of("counter"))
    for call in range(fixtures.number_of_calls("counter")):
        results = runner.run(*fixtures.flat_inputs("counter", call))
        for result, wanted in zip(results, fixtures.flat_outputs("counter", call), strict=True):
            fixtures.check(result, wanted)
    with np.load(fixtures.FIXTURES / "counter.npz") as arrays:
        fixtures.check(runner.weight("mean"), arrays["state.mean"])
        fixtures.check(runner.weight("calls"), arrays["state.calls"])
    assert other.weight("calls").item() == 0


def test_written_inputs_are_written() -> None:
    for form in fixtures.FORMS:
        runner = nativert.ModelRunner(fixtures.path_of("input_mutation", form))
        total, x = (np.array(v) for v in fixtures.flat_inputs("input_mutation", 0, form))
        before = total.copy()
        runner.run(total, x)
        assert not np.array_equal(total, before)
        total.flags.writeable = False
        with pytest.raises(RuntimeError, match=r"'total'.*read-only"):
            runner.run(total, x)


def test_many_threads_at_once() -> None:
    runner = nativert.ModelRunner(fixtures.path_of("multi_output"))
    given = [fixtures.flat_inputs("multi_output", c) for c in range(2)]
    wanted = [fixtures.flat_outputs("multi_output", c) for c in range(2)]

    def work(k: int) -> None:
        for i in range(25):
            call = (i + k) % 2
            for result, expected in zip(runner.run(*given[call]), wanted[call], strict=True):
                fixtures.check(result, expected)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_takes_an_opened_program(x: Any) -> None:
    program = export.load(fixtures.path_of("linear"))
    runner = nativert.ModelRunner(program, num_threads=1)
    fixtures.check(runner(x), fixtures.flat_outputs("linear", 0)[0])
    fixtures.check(runner.run(input=x), fixtures.flat_outputs("linear", 0)[0])
    assert runner.argument_names == ["input"]
    (flat,) = runner.run_flat([x])
    fixtures.check(flat, fixtures.flat_outputs("linear", 0)[0])


@pytest.mark.parametrize("num_threads", [0, -1])
def test_number_of_threads(num_threads: int) -> None:
    with pytest.raises(ValueError, match=f"num_threads: expected 1 or more, got {num_threads}"):
        nativert.ModelRunner(fixtures.path_of("linear"), num_threads)


def test_inputs_that_do_not_fit(linear: nativert.ModelRunner, x: Any) -> None:
    name = linear.input_names[0]
    with pytest.raises(TypeError, match=f"input '{name}': expected dtype float32, got float64"):
        linear.run(x.astype("f8"))
    with pytest.raises(ValueError, match=f"input '{name}'.*dimensions"):
        linear.run(x[0])
    with pytest.raises(ValueError, match=f"input '{name}', dimension 1: expected {x.shape[1]}"):
        linear.run(x[:, 1:])
    with pytest.raises(TypeError, match=f"input '{name}': expected float32.*got None"):
        linear.run(None)
    with pytest.raises(TypeError, match=f"input '{name}'"):
        linear.run(object())


def test_sizes_that_the_program_does_not_take() -> None:
    runner = nativert.ModelRunner(fixtures.path_of("symbolic_sizes"))
    x, y = fixtures.flat_inputs("symbolic_sizes", 0)
    with pytest.raises(ValueError, match="dimension"):
        runner.run(np.zeros((1, *x.shape[1:]), x.dtype), y)
    with pytest.raises(ValueError, match="dimension"):
        runner.run(np.zeros((2, 42), x.dtype), np.zeros((2, 42), x.dtype))
    with pytest.raises(ValueError, match=r"'y', dimension 1: expected 2\*s44 = 6, got 4"):
        runner.run(x, y[:, :4])
    with pytest.raises(ValueError, match=r"'x', dimension 1: expected 2\*s44 = 6, got 7"):
        runner.run(np.zeros((2, 7), x.dtype), np.zeros((2, 7), x.dtype))


def test_memory_plan(linear: nativert.ModelRunner, x: Any) -> None:
    plan = linear.memory_plan([x])
    assert plan["arena_bytes"] >= 0
    assert sum(plan["steps"].values()) >= 1
