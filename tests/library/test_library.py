"""Libraries: schemas first, functions later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import rushlight
from rushlight import library


@pytest.fixture
def lib() -> Iterator[library.Library]:
    made = library.Library("library_test", "DEF")
    yield made
    made._destroy()


def test_define_then_impl(lib: library.Library) -> None:
    assert lib.define("twice(Tensor x) -> Tensor") == "twice"
    with pytest.raises(AttributeError, match="library_test"):
        rushlight.ops.library_test.twice  # noqa: B018  # no kernel yet
    lib.impl("twice", lambda x: x * 2, "CPU")
    assert rushlight.ops.library_test.twice(rushlight.ones(2)).tolist() == [2.0, 2.0]


def test_overloads_are_operators_of_their_own(lib: library.Library) -> None:
    for overload, factor in (("a", 2), ("b", 3)):
        lib.define(f"times.{overload}(Tensor x) -> Tensor")
        lib.impl(f"times.{overload}", lambda x, factor=factor: x * factor)
    assert rushlight.ops.library_test.times.a(rushlight.ones(1)).item() == 2
    assert rushlight.ops.library_test.times.b(rushlight.ones(1)).item() == 3
    assert rushlight.ops.library_test.times.overloads() == ["a", "b"]


def test_functions_by_name_and_for_devices(lib: library.Library) -> None:
    library.define("library_test::minus", "(Tensor x) -> Tensor", lib=lib)
    library.impl("library_test::minus", "cuda")(lambda x: x + 100)

    @library.impl("library_test::minus", ["cpu", "cuda"])
    def minus(x: rushlight.Tensor) -> rushlight.Tensor:
        return -x

    assert rushlight.ops.library_test.minus(rushlight.ones(1)).item() == -1
    library.register_kernel("library_test::minus", "cpu", lambda x: x - 5)
    assert rushlight.ops.library_test.minus(rushlight.ones(1)).item() == -4
    library.register_autograd("library_test::minus", lambda ctx, grad: grad)
    lib.impl("minus", lambda x: x.new_empty(x.shape), "Meta")
    assert rushlight.ops.library_test.minus(rushlight.ones(1)).item() == -4


def test_what_libraries_refuse(lib: library.Library) -> None:
    lib.define("one(Tensor x) -> Tensor")
    lib.impl("one", lambda x: x)
    with pytest.raises(RuntimeError, match=r"library_test\.one\.default is defined twice"):
        lib.define("one(Tensor x, int n) -> Tensor")
    with pytest.raises(RuntimeError, match="has a kernel"):
        lib.impl("one", lambda x: x)
    lib.impl("one", lambda x: x + 1, allow_override=True)
    with pytest.raises(RuntimeError, match="has no schema yet"):
        lib.impl("two", lambda x: x)
    with pytest.raises(ValueError, match="'DEF', 'IMPL' or 'FRAGMENT'"):
        library.Library("x", "OTHER")
    with pytest.raises(RuntimeError, match="'IMPL' defines no operators"):
        library.Library("x", "IMPL").define("one(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="rushlight's own"):
        library.Library("aten", "FRAGMENT").define("relu(Tensor x) -> Tensor")
        library.impl("aten::relu", "cpu")(lambda x: x)
    with pytest.raises(ValueError, match="namespace::name"):
        library.define("plain", "(Tensor x) -> Tensor")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("bad(Tensor(a!)[] xs) -> ()", "list of tensors that are written"),
        ("bad(Tensor(a!) x) -> (Tensor(a!), Tensor)", "some results are written"),
        ("bad(Tensor x) -> (int, int)", "one number"),
    ],
)
def test_schemas_that_are_not_run_say_so(lib: library.Library, schema: str, message: str) -> None:
    lib.define(schema)
    with pytest.raises(NotImplementedError, match=message):
        lib.impl("bad", lambda *a: None)


def test_written_arguments_are_returned_when_the_schema_says_so(lib: library.Library) -> None:
    lib.define("fill_(Tensor(a!) x, float v) -> Tensor(a!)")

    def fill(x: rushlight.Tensor, v: float) -> rushlight.Tensor:
        x.fill_(v)
        return x

    lib.impl("fill_", fill)
    x = rushlight.zeros(2)
    assert rushlight.ops.library_test.fill_(x, 3.0) is x
    assert x.tolist() == [3.0, 3.0]
