"""Functions that are recorded once: what they replay, and what they refuse."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import rushlight as torch
from rushlight import lazy
from rushlight.lazy import NotReplayableError

SCALE = 2.0
WEIGHT = torch.tensor([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def globals_as_they_were() -> Iterator[None]:
    global SCALE, WEIGHT
    yield
    SCALE, WEIGHT = 2.0, torch.tensor([1.0, 2.0, 3.0])


def replays() -> int:
    return lazy.metrics.counter_value("Replays") or 0


def same(fn: Callable[..., Any], *calls: tuple[Any, ...], replayed: int) -> None:
    """The compiled function gives what the function gives, call after call."""
    compiled = lazy.compile(fn)
    before = replays()
    for args in calls:
        expected, got = fn(*args), compiled(*args)
        assert torch.equal(got, expected)
    assert replays() - before == replayed


def test_the_third_call_is_replayed_and_records_nothing() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    compiled = lazy.compile(lambda a: (a * SCALE + 1).sum())
    assert [compiled(x).item() for _ in range(2)] == [15.0, 15.0]
    recorded = lazy.metrics.counter_value("RecordedCalls")
    assert [compiled(x * i).item() for i in range(3)] == [3.0, 15.0, 27.0]
    assert lazy.metrics.counter_value("RecordedCalls") == (recorded or 0) + 3  # x * i
    assert replays() == 3


def test_other_layouts_get_their_own_program() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).sum(0)

    a, b = torch.ones(3, 2), torch.ones(4, 5)
    same(fn, (a,), (a,), (b,), (b,), (a,), (b,), (b.t(),), (b.t(),), (b.t(),), replayed=3)


def test_values_of_arguments_are_inputs_and_numbers_are_part_of_the_kind() -> None:
    def fn(x: torch.Tensor, lr: float, times: int = 2) -> torch.Tensor:
        for _ in range(times):
            x = x - lr * x
        return x

    x = torch.ones(3)
    same(fn, *[(x, 0.5)] * 3, *[(x, 0.25)] * 3, *[(x, 0.5, 3)] * 3, (x, 0.5), replayed=4)
    same(fn, *[(x, 0.0)] * 3, (x, -0.0), replayed=1)


def test_globals_are_watched() -> None:
    global SCALE, WEIGHT  # noqa: PLW0603
    compiled = lazy.compile(lambda x: x * SCALE + WEIGHT)
    x = torch.ones(3)
    for _ in range(3):
        assert compiled(x).tolist() == [3.0, 4.0, 5.0]
    assert replays() == 1
    SCALE = 3.0
    for _ in range(3):
        assert compiled(x).tolist() == [4.0, 5.0, 6.0]
    WEIGHT.add_(1)  # the same tensor with other contents is no change
    assert compiled(x).tolist() == [5.0, 6.0, 7.0]
    WEIGHT = torch.zeros(3)
    for _ in range(3):
        assert compiled(x).tolist() == [3.0, 3.0, 3.0]
    SCALE = 2.0
    assert compiled(x).tolist() == [2.0, 2.0, 2.0]


def helper(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE


def test_functions_called_are_watched_too() -> None:
    global SCALE  # noqa: PLW0603
    compiled = lazy.compile(lambda x: helper(x) + 1)
    x = torch.ones(1)
    assert [compiled(x).item() for _ in range(3)] == [3.0] * 3
    SCALE = 5.0
    assert compiled(x).item() == 6.0


def test_closures_and_defaults_are_watched() -> None:
    offset = 1.0
    table = {"a": [torch.ones(2), 4.0]}

    def fn(x: torch.Tensor, more: float = 1.0) -> torch.Tensor:
        return x + offset + table["a"][0] * table["a"][1] + more  # type: ignore[operator]

    compiled = lazy.compile(fn)
    x = torch.zeros(2)
    assert [compiled(x).tolist() for _ in range(3)] == [[6.0, 6.0]] * 3
    offset = 2.0
    assert compiled(x).tolist() == [7.0, 7.0]
    table["a"][1] = 0.0
    assert compiled(x).tolist() == [3.0, 3.0]
    table["a"] = [torch.ones(2), 1.0]
    assert compiled(x).tolist() == [4.0, 4.0]
    fn.__defaults__ = (0.0,)
    assert compiled(x).tolist() == [3.0, 3.0]


class Layer:
    def __init__(self) -> None:
        self.weight = torch.ones(3) * 2
        self.training = True
        self.steps = torch.zeros(1)
        self.unrelated = 0

    def scale(self) -> float:
        return 2.0 if self.training else 1.0

    @lazy.compile
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.steps += 1
        return x * self.weight * self.scale()


def test_methods_watch_attributes_and_write_state() -> None:
    layer = Layer()
    x = torch.ones(3)
    for i in range(5):
        assert layer.forward(x).tolist() == [4.0] * 3
        layer.unrelated = i  # no code of ours looks at it
    assert layer.steps.item() == 5 and replays() == 3
    layer.training = False
    assert layer.forward(x).tolist() == [2.0] * 3
    layer.weight = torch.zeros(3)
    assert layer.forward(x).tolist() == [0.0] * 3
    layer.weight.add_(7)
    assert layer.forward(x).tolist() == [7.0] * 3
    assert layer.steps.item() == 8


def test_writes_into_arguments_views_and_numpy_memory() -> None:
    def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x[0] = y.sum()
        y.mul_(2)
        return x + y

    a, b = (np.zeros(3, np.float32) for _ in range(2))
    expected, compiled = (torch.from_numpy(v) for v in (a, b))
    run = lazy.compile(fn)
    for i in range(4):
        y1, y2 = torch.ones(3) * i, torch.ones(3) * i
        assert fn(expected, y1).tolist() == run(compiled, y2).tolist()
        assert y1.tolist() == y2.tolist() and a.tolist() == b.tolist()
    assert replays() == 2
    data = torch.zeros(4, 3)
    for i in range(4):
        run(data[i], torch.ones(3))
    assert data[:, 0].tolist() == [3.0] * 4


def test_results_that_share_memory_share_it_again() -> None:
    def fn(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y = x * 2
        return y, y[0], x.t()

    compiled = lazy.compile(fn)
    x = torch.ones(2, 2)
    for _ in range(4):
        y, row, view = compiled(x)
        row.add_(5)
        assert y[0].tolist() == [7.0, 7.0] and y[1].tolist() == [2.0, 2.0]
        view[0, 1] = 9
        assert x[1, 0].item() == 9
        x.fill_(1)
    assert replays() == 2


def test_results_of_two_calls_are_not_the_same_memory() -> None:
    compiled = lazy.compile(lambda x: (x + 1, torch.tensor([1.0, 2.0])))
    x = torch.zeros(2)
    results = [compiled(x) for _ in range(4)]
    for y, constant in results:
        y.mul_(3)
        constant.add_(1)
    for y, constant in results:
        assert y.tolist() == [3.0, 3.0] and constant.tolist() == [2.0, 3.0]


def test_overlapping_arguments_are_another_kind() -> None:
    def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return y * 1

    compiled = lazy.compile(fn)
    for _ in range(4):
        assert compiled(torch.zeros(2), torch.zeros(2)).tolist() == [0.0, 0.0]
    for _ in range(4):
        x = torch.zeros(2)
        assert compiled(x, x).tolist() == [1.0, 1.0]
    data = torch.zeros(3)
    assert compiled(data[1:], data[:2]).tolist() == [0.0, 1.0]
    assert compiled(data[:2], data[1:]).tolist() == [2.0, 1.0]


class Pair(NamedTuple):
    a: Any
    b: Any


def test_arguments_and_results_may_be_nested() -> None:
    def fn(batch: dict[str, Any], *, flag: bool) -> Pair:
        x, (y, none) = batch["x"], batch["rest"]
        return Pair({"sum": x + y, "flag": flag}, [none, x.shape[0], "text", 1.5])

    compiled = lazy.compile(fn)
    for i in range(4):
        x = torch.ones(2) * i
        out = compiled({"x": x, "rest": (x, None)}, flag=True)
        assert isinstance(out, Pair) and out.a["sum"].tolist() == [2.0 * i] * 2
        assert out.a["flag"] is True and out.b == [None, 2, "text", 1.5]
    assert replays() == 2


def refused(fn: Callable[..., Any], *args: Any, calls: int = 3) -> str:
    compiled = lazy.compile(fn)
    with pytest.raises(NotReplayableError) as error:
        for _ in range(calls):
            compiled(*args)
    return str(error.value)


def test_branches_on_data_are_refused_with_the_line() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x + 1
        return x - 1

    text = refused(fn, torch.ones(2))
    assert "value of a tensor is read here" in text or "runs at once" in text
    assert f"test_compile.py:{fn.__code__.co_firstlineno + 1}" in text
    assert "read here" in refused(lambda x: x * float(x.tolist()[0]), torch.ones(2))
    assert "read here" in refused(lambda x: x * float(x.numpy()[0]), torch.ones(2))


def test_random_numbers_and_data_dependent_sizes_are_refused() -> None:
    assert "draws random numbers" in refused(lambda x: x + torch.rand(2), torch.ones(2))
    assert "nonzero" in refused(lambda x: x[x > 0], torch.ones(2))


def test_python_state_that_changes_is_refused() -> None:
    count = 0
    kept: list[torch.Tensor] = []
    state = random.Random(0)

    def counts(x: torch.Tensor) -> torch.Tensor:
        nonlocal count
        count += 1
        return x + count

    def keeps(x: torch.Tensor) -> torch.Tensor:
        kept.append(x * 2)
        return x + 1

    x = torch.ones(2)
    assert "changes" in refused(counts, x, calls=8) or "differs" in refused(counts, x, calls=8)
    assert "is kept, but not returned" in refused(keeps, x)
    assert "differs from call to call" in refused(lambda x: x * state.random(), x, calls=8)
    assert "replaying can't make it" in refused(lambda x: object(), x)


class Settings:
    rate = 2.0


class Slotted:
    __slots__ = ("bias",)

    def __init__(self) -> None:
        self.bias = 1.0


def test_classes_slots_namespaces_partials_and_queues_are_watched() -> None:
    slotted, space, queue = Slotted(), SimpleNamespace(a=1.0), deque([1.0, 2.0])
    add = partial(torch.add, alpha=3)

    def fn(x: torch.Tensor) -> torch.Tensor:
        return add(x * Settings.rate + slotted.bias, x) + space.a + queue[1]

    compiled = lazy.compile(fn)
    x = torch.ones(2)

    def check() -> None:
        for _ in range(3):
            assert compiled(x).tolist() == fn(x).tolist()

    try:
        check()
        assert replays() == 1
        Settings.rate = 7.0
        check()
        slotted.bias = 0.0
        check()
        space.a = 4.0
        check()
        queue[1] = 9.0
        check()
        inner = lazy.compile(lambda y: y * Settings.rate)
        compiled = lazy.compile(lambda y: inner(y) + 1)
        for rate in (1.0, 3.0):
            Settings.rate = rate
            for _ in range(3):
                assert compiled(x).tolist() == [rate + 1] * 2
    finally:
        Settings.rate = 2.0


def test_arrays_are_watched() -> None:
    table = np.array([1.0, 2.0], np.float32)
    compiled = lazy.compile(lambda x: x + torch.tensor(table))
    x = torch.zeros(2)
    assert [compiled(x).tolist() for _ in range(3)] == [[1.0, 2.0]] * 3
    table[0] = 5
    assert compiled(x).tolist() == [5.0, 2.0]


def test_with_fallback_it_warns_once_and_stays_right() -> None:
    compiled = lazy.compile(lambda x: x + 1 if x.sum() > 0 else x - 1, fallback=True)
    with pytest.warns(UserWarning, match="calls are recorded") as seen:
        for sign in (1, -1, 1, -1, -1):
            x = torch.ones(2) * sign
            assert compiled(x).tolist() == [2.0 * sign] * 2
    assert len(seen) == 1
    assert "read here" in compiled.obstacle or "at once" in compiled.obstacle


def test_an_exception_leaves_what_happened_before_it() -> None:
    def fn(x: torch.Tensor, fail: bool) -> torch.Tensor:
        x.add_(1)
        if fail:
            raise KeyError("x")
        return x * 1

    compiled = lazy.compile(fn)
    x = torch.zeros(2)
    with pytest.raises(KeyError):
        compiled(x, True)
    assert x.tolist() == [1.0, 1.0]
    for _ in range(4):
        compiled(x, False)
    assert x.tolist() == [5.0, 5.0] and replays() == 2
    with pytest.raises(RuntimeError, match="size"):
        lazy.compile(lambda a: a + torch.ones(7))(x)
    assert (x + 1).tolist() == [6.0, 6.0]


def test_compiled_functions_may_call_each_other() -> None:
    inner = lazy.compile(lambda x: x * 2)
    outer = lazy.compile(lambda x: inner(x) + 1)
    x = torch.ones(2)
    for _ in range(4):
        assert outer(x).tolist() == [3.0, 3.0]
    assert replays() == 2


def test_without_recording_it_is_the_function() -> None:
    compiled = lazy.compile(lambda x: x * 2)
    with lazy.config.recording(False):
        assert [compiled(torch.ones(1)).item() for _ in range(4)] == [2.0] * 4
    assert replays() == 0


def test_what_can_never_be_compiled() -> None:
    def generator(x: torch.Tensor) -> Iterator[torch.Tensor]:
        yield x

    with pytest.raises(TypeError, match="pauses"):
        lazy.compile(generator)
    with pytest.raises(TypeError, match="expected a function, got int"):
        lazy.compile(3)  # type: ignore[arg-type]
