"""Operators from Python functions: called, in programs, replaced, wrong."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import rushlight
from rushlight import Tensor, export, lazy, library, nativert
from rushlight.library import _definitions


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    for name in [n for n in list(_definitions._definitions) if n.startswith("custom_test.")]:
        _definitions.remove(name)


def define_halve() -> library.CustomOpDef:
    @library.custom_op("custom_test::halve", mutates_args=())
    def halve(x: Tensor, times: int = 1, *, offset: float = 0.0) -> Tensor:
        return rushlight.from_numpy(x.numpy() / 2**times + np.float32(offset))

    return halve


def test_calls_take_positions_and_names() -> None:
    halve = define_halve()
    x = rushlight.tensor([8.0, 4.0])
    assert halve(x).tolist() == [4.0, 2.0]
    assert halve(x, 2).tolist() == [2.0, 1.0]
    assert halve(x, times=3, offset=1).tolist() == [2.0, 1.5]
    assert rushlight.ops.custom_test.halve.default(x).tolist() == [4.0, 2.0]
    assert halve((x + 0) * 2).tolist() == [8.0, 4.0]  # what is still to be computed


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "missing required argument 'x'"),
        ((1.5,), {}, "x"),
        ((np.zeros(2, np.float32), 1.5), {}, "times"),
        ((np.zeros(2, np.float32),), {"scale": 1}, "scale"),
    ],
)
def test_wrong_calls_name_the_argument(args: tuple, kwargs: dict, message: str) -> None:
    halve = define_halve()
    with pytest.raises(TypeError, match=message):
        halve(*args, **kwargs)


def test_every_kind_of_argument_arrives() -> None:
    seen: list[object] = []

    @library.custom_op("custom_test::all", mutates_args=())
    def every(
        t: Tensor,
        maybe: Tensor | None,
        many: list[Tensor],
        i: int,
        ints: list[int],
        f: float,
        floats: list[float],
        b: bool,
        s: str,
        d: rushlight.dtype,
        n: int | float | bool,
        missing: int | None = None,
    ) -> Tensor:
        seen.extend([maybe, len(many), i, ints, f, floats, b, s, d, n, missing])
        return t + 1

    t = rushlight.zeros(2)
    every(t, None, [t, t], 3, [1, 2], 1, [0.5], True, "word", rushlight.int64, 2)
    assert seen == [None, 2, 3, [1, 2], 1.0, [0.5], True, "word", rushlight.int64, 2, None]
    assert isinstance(seen[4], float)


def test_several_results_lists_numbers_and_nothing() -> None:
    @library.custom_op("custom_test::both", mutates_args=())
    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, x - 1

    @library.custom_op("custom_test::pieces", mutates_args=())
    def pieces(x: Tensor, n: int) -> list[Tensor]:
        return [x * k for k in range(n)]

    @library.custom_op("custom_test::length", mutates_args=())
    def length(x: Tensor) -> int:
        return len(x)

    called = []

    @library.custom_op("custom_test::note", mutates_args=())
    def note(x: Tensor) -> None:
        called.append(x.tolist())

    x = rushlight.tensor([1.0, 2.0])
    up, down = both(x)
    assert (up.tolist(), down.tolist()) == ([2.0, 3.0], [0.0, 1.0])
    assert [p.tolist() for p in pieces(x, 3)] == [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]
    assert pieces(x, 0) == []
    assert length(x) == 2
    assert note(x) is None
    assert called == [[1.0, 2.0]]


def test_written_arguments_change_in_place_and_through_views() -> None:
    @library.custom_op("custom_test::add_into", mutates_args={"out"})
    def add_into(x: Tensor, out: Tensor) -> None:
        out += x

    base = rushlight.zeros(2, 3)
    assert add_into(rushlight.ones(3), base[1]) is None
    assert base.tolist() == [[0.0] * 3, [1.0] * 3]
    waiting = base * 2
    add_into(rushlight.ones(3), base[0])
    assert waiting.tolist() == [
        [0.0] * 3,
        [2.0] * 3,
    ]  # what was recorded before reads the old values


def test_results_do_not_share_with_arguments() -> None:
    @library.custom_op("custom_test::same", mutates_args=())
    def same(x: Tensor) -> Tensor:
        return x

    x = rushlight.tensor([1.0])
    y = same(x)
    x.add_(1)
    assert y.tolist() == [1.0]


def double_program(path: Path) -> None:
    """A program of its own that calls custom_test::double between two products."""

    @library.custom_op("custom_test::double", mutates_args=())
    def double(x: Tensor) -> Tensor:
        return x * 2

    double.register_fake(lambda x: x.new_empty(x.shape))

    def forward(x: Tensor) -> Tensor:
        return (double(x @ x) @ x).relu()

    export.save(export.export(forward, (rushlight.ones(3, 3),)), path)


def test_programs_call_them(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")
    runner = nativert.ModelRunner(tmp_path / "p.pt2")
    x = np.random.default_rng(0).standard_normal((3, 3)).astype(np.float32)
    expected = np.maximum(2 * (x @ x) @ x, 0)
    for _ in range(3):
        np.testing.assert_allclose(np.asarray(runner.run(x)), expected, rtol=1e-4, atol=1e-5)


def test_programs_that_miss_them_say_so(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")
    _definitions.remove("custom_test.double.default")
    with pytest.raises(NotImplementedError, match=r"custom_test\.double"):
        export.load(tmp_path / "p.pt2")


def test_a_replaced_operator_is_for_programs_loaded_later(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")
    before = nativert.ModelRunner(tmp_path / "p.pt2")

    @library.custom_op("custom_test::double", mutates_args=())
    def triple(x: Tensor) -> Tensor:
        return x * 3

    x = np.eye(3, dtype=np.float32)
    assert np.asarray(before.run(x))[0, 0] == 2
    assert np.asarray(nativert.ModelRunner(tmp_path / "p.pt2").run(x))[0, 0] == 3


def test_kept_arguments_keep_their_values(tmp_path: Path) -> None:
    """What a program computes in between lives in memory that it uses again."""
    kept: list[Tensor] = []

    double_program(tmp_path / "p.pt2")

    @library.custom_op("custom_test::double", mutates_args=())
    def keep(x: Tensor) -> Tensor:
        kept.append(x)
        return x * 2

    runner = nativert.ModelRunner(tmp_path / "p.pt2")
    for k in range(1, 4):
        runner.run(np.full((3, 3), k, np.float32))
    assert [t[0, 0].item() for t in kept] == [3.0, 12.0, 27.0]


def test_errors_keep_their_type_and_name_the_node(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")

    class OwnError(Exception):
        pass

    @library.custom_op("custom_test::double", mutates_args=())
    def fail(x: Tensor) -> Tensor:
        raise OwnError("no luck")

    runner = nativert.ModelRunner(tmp_path / "p.pt2")
    for _ in range(2):
        with pytest.raises(OwnError, match="no luck") as raised:
            runner.run(np.eye(3, dtype=np.float32))
        if sys.version_info >= (3, 11):
            assert raised.value.__notes__ == ["in the custom operator custom_test.double.default"]

    @library.custom_op("custom_test::double", mutates_args=())
    def word(x: Tensor) -> Tensor:
        return "word"  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"custom_test\.double.*returned str, expected a Tensor"):
        nativert.ModelRunner(tmp_path / "p.pt2").run(np.eye(3, dtype=np.float32))


def test_a_fake_function_that_is_wrong_is_found(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")
    library.register_fake("custom_test::double", lambda x: x.new_empty((7,)))
    with pytest.raises(RuntimeError, match=r"gave .*3, 3.* its fake function said .*7"):
        rushlight.ops.custom_test.double(rushlight.ones(3, 3))


def test_sizes_that_depend_on_data() -> None:
    @library.custom_op("custom_test::positive", mutates_args=())
    def positive(x: Tensor) -> Tensor:
        return x[x > 0]

    @positive.register_fake
    def _(x: Tensor) -> Tensor:
        return x.new_empty(library.get_ctx().new_dynamic_size())

    assert positive(rushlight.tensor([1.0, -1.0, 2.0])).tolist() == [1.0, 2.0]


def test_threads_call_at_once(tmp_path: Path) -> None:
    double_program(tmp_path / "p.pt2")
    runner = nativert.ModelRunner(tmp_path / "p.pt2")
    wrong: list[float] = []

    def work(k: int) -> None:
        for _ in range(50):
            got = np.asarray(runner.run(np.full((3, 3), k, np.float32)))[0, 0]
            if got != 18 * k**3:
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


class NoIndex:
    def __index__(self) -> int:
        raise KeyError("no index")


@pytest.mark.parametrize(
    ("returns", "value", "expected"),
    [
        ("int", True, 1),
        ("int", np.int64(3), 3),
        ("int", rushlight.tensor(3), 3),
        ("int", 2.5, "TypeError: .*number_.* returned float, the schema says int"),
        ("int", 2**70, "RuntimeError: .*number_.* more than 64 bits"),
        ("int", None, "TypeError: .* returned NoneType, the schema says int"),
        ("int", NoIndex(), "KeyError: 'no index'"),
        ("float", 2, 2.0),
        ("float", np.float32(2.5), 2.5),
        ("float", 10**400, "OverflowError: int too large"),
        ("float", "x", "TypeError: .* returned str, the schema says float"),
        ("bool", np.bool_(True), True),
        ("bool", [1], "TypeError: .* returned list, the schema says bool"),
        ("Scalar", True, True),
        ("Scalar", 2.5, 2.5),
        ("Scalar", 2, 2),
    ],
)
def test_numbers_are_those_of_the_schema(returns: str, value: object, expected: object) -> None:
    op = library.custom_op(
        "custom_test::number_", lambda: value, mutates_args=(), schema=f"() -> {returns}"
    )
    if isinstance(expected, str):
        with pytest.raises(Exception) as raised:
            op()
        assert re.match(expected, f"{raised.type.__name__}: {raised.value}")
    else:
        got = op()
        assert (type(got), got) == (type(expected), expected)


@pytest.mark.parametrize("returns", ["str", "int[]", "(int, int)", "ScalarType"])
def test_results_that_are_neither_tensors_nor_a_number(returns: str) -> None:
    with pytest.raises(NotImplementedError, match="gives tensors, or one number, not"):
        library.custom_op("custom_test::odd", lambda: 1, mutates_args=(), schema=f"() -> {returns}")


SCALE = rushlight.tensor([3.0])


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: x * 3,
        lambda x: x * (SCALE + 0),
        lambda x: rushlight.from_numpy(x.numpy() * 3),
        lambda x: x.numpy() * 3,
    ],
    ids=["lazy", "closure", "wrapped", "numpy"],
)
def test_lazy_tensors_record_them(kernel: Callable[[Tensor], Tensor]) -> None:
    """Alone in a trace, among other calls, and when the recorded trace runs again."""
    triple = library.custom_op(
        "custom_test::triple", kernel, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    triple.register_fake(lambda x: x.new_empty(x.shape))
    alone = lazy.compile(triple)
    among = lazy.compile(lambda x: triple(x + 1) * 2)
    for k in range(3):
        assert alone(rushlight.tensor([1.0, k])).tolist() == [3.0, 3.0 * k]
        assert among(rushlight.tensor([1.0, k])).tolist() == [12.0, 6.0 * (k + 1)]


def test_what_raises_writes_nothing() -> None:
    @library.custom_op("custom_test::half_done_", mutates_args={"x"})
    def half_done_(x: Tensor) -> None:
        x.add_(1)
        raise KeyError("enough")

    x = rushlight.tensor([1.0, 2.0])
    with pytest.raises(KeyError, match="enough"):
        half_done_(x[1:])
    assert x.tolist() == [1.0, 2.0]
