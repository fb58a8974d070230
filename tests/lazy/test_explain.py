"""Why programs were compiled."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight import lazy


def array(*shape: int, dtype: type = np.float32) -> torch.Tensor:
    return torch.tensor(np.ones(shape, dtype))


def program(x: torch.Tensor, more: bool = False, index: int = 0) -> torch.Tensor:
    y = x * 2
    if more:
        y = y.exp()
    return (y[index] + 1).sum()


def reasons(*calls: Callable[[], object]) -> list[lazy.Compilation]:
    for call in calls:
        call()
    return list(lazy.explain())


def test_the_first_time_and_then_not_again() -> None:
    (only,) = reasons(*[lambda: program(array(3, 2)).item()] * 3)
    assert only.reason == "first time" and only.number == 1 and not only.planned_only
    assert only.location == only.start and "test_explain.py" in only.start
    assert only.seconds > 0 and only.operators >= 3


def test_a_size_changed() -> None:
    _, second = reasons(lambda: program(array(3, 2)).item(), lambda: program(array(3, 5)).item())
    assert second.reason == "size"
    assert (second.before, second.after) == ("[3, 2]", "[3, 5]")
    assert second.subject.startswith("self of aten.mul") and second.planned_only
    assert second.location == lazy.explain()[0].location


def test_a_dtype_changed() -> None:
    _, second = reasons(
        lambda: program(array(3)).item(), lambda: program(array(3, dtype=np.float64)).item()
    )
    assert second.reason == "dtype" and not second.planned_only
    assert (second.before, second.after) == ("float32", "float64")


def test_a_layout_changed() -> None:
    _, second = reasons(
        lambda: program(array(3, 3)).item(), lambda: program(array(3, 3).t()).item()
    )
    assert second.reason in ("layout", "argument", "node")
    assert second.before != second.after


def test_a_line_added_an_operator() -> None:
    _, second = reasons(lambda: program(array(3)).item(), lambda: program(array(3), True).item())
    assert second.reason == "node" and second.after == "aten.exp.default"
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = int(second.location.rsplit(":", 1)[1])
    assert source[line - 1].strip() == "y = y.exp()"


def test_an_index_changed() -> None:
    _, second = reasons(lambda: program(array(3)).item(), lambda: program(array(3), index=2).item())
    assert second.reason == "argument" and (second.before, second.after) == ("0", "2")
    assert second.planned_only


def test_other_results_are_alive() -> None:
    def keep(both: bool) -> None:
        a = torch.ones(3).exp()
        b = a * 2
        if not both:
            del a
        b.tolist()

    _, second = reasons(lambda: keep(False), lambda: keep(True))
    assert second.reason == "results" and second.after == "needed"
    assert "aten.exp" in second.subject


def test_a_forgotten_program() -> None:
    with lazy.config.max_programs(1):

        def other() -> None:
            (torch.ones(2).sin() + 1).tolist()

        _, _, third = reasons(
            lambda: program(array(3)).item(), other, lambda: program(array(3)).item()
        )
    assert third.reason == "forgotten"


def test_the_history_is_bounded_and_prints_as_a_table() -> None:
    assert repr(lazy.explain()) == "nothing has been compiled"
    with lazy.config.max_history(4), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(1, 12):
            (torch.ones(n) * 2 + 1).tolist()
        found = lazy.explain()
    assert [c.number for c in found] == [8, 9, 10, 11]
    assert [c.number for c in found[1:3]] == [9, 10]
    table = repr(found).splitlines()
    assert len(table) == 5 and "11 plan" in table[-1] and "10 -> 11" in table[-1]


def test_compiling_one_line_again_and_again_warns_once_with_the_line() -> None:
    def run(n: int) -> None:
        (torch.ones(n) * 2 + 1).tolist()

    with pytest.warns(
        UserWarning, match=r"compiled the program of this line again 8 times"
    ) as seen:
        for n in range(1, 30):
            run(n)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert seen[0].lineno == run.__code__.co_firstlineno + 1


def test_the_warning_can_be_an_error_and_can_be_switched_off() -> None:
    def run(n: int) -> torch.Tensor:
        return torch.ones(n).exp() + 1

    with lazy.config.recompilation_warning(3), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="again 3 times"):
            for n in range(1, 30):
                run(n).tolist()
    lazy.ir_cache.reset()
    with lazy.config.recompilation_warning(0), warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(1, 30):
            assert run(n).tolist() == pytest.approx([np.e + 1] * n)
