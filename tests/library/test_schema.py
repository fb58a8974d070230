"""Schemas: from annotations, as text, wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight
from rushlight import _C, Tensor, library


def every(
    x: Tensor,
    y: Tensor | None,
    xs: Sequence[Tensor],
    maybe: list[Tensor | None],
    i: int = -1,
    f: float = 1e-5,
    ints: Sequence[int] = (1, 2),
    s: str = 'a "word"',
    *,
    b: bool = True,
    n: int | float | bool = 2,
    d: rushlight.dtype | None = None,
) -> tuple[Tensor, Tensor]:
    raise NotImplementedError


def test_annotations_give_pytorchs_schema() -> None:
    assert library.infer_schema(every, mutates_args={"y"}, op_name="ns::every") == (
        "ns::every(Tensor x, Tensor(a1!)? y, Tensor[] xs, Tensor?[] maybe, SymInt i=-1, "
        'float f=1e-05, SymInt[] ints=[1, 2], str s="a \\"word\\"", *, bool b=True, Scalar n=2, '
        "ScalarType? d=None) -> (Tensor, Tensor)"
    )
    assert _C.check_schema(library.infer_schema(every, mutates_args=(), op_name="ns::every"))


def no_annotation(x) -> Tensor:  # type: ignore[no-untyped-def]
    raise NotImplementedError


def no_result(x: Tensor):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def odd(x: dict[str, int]) -> Tensor:
    raise NotImplementedError


def stars(*xs: Tensor) -> Tensor:
    raise NotImplementedError


def odd_result(x: Tensor) -> dict[str, Tensor]:
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_annotation, "parameter 'x' has no annotation"),
        (no_result, "the result has no annotation"),
        (odd, "parameter 'x' is annotated dict"),
        (stars, r"\*args"),
        (odd_result, "a result annotated dict"),
    ],
)
def test_annotations_without_a_place(function, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        library.infer_schema(function, mutates_args=())


def test_mutates_args_names_parameters() -> None:
    with pytest.raises(ValueError, match="mutates_args names no parameter: z"):
        library.infer_schema(every, mutates_args={"z"})
    with pytest.raises(ValueError, match="'i' is written but is no Tensor"):
        library.infer_schema(every, mutates_args={"i"})


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("", "expected a namespace"),
        ("plain(Tensor x) -> Tensor", "expected '::'"),
        ("a::b", r"expected '\('"),
        ("a::b(Tensor x", "expected ','"),
        ("a::b(Tensor x) Tensor", "expected '->'"),
        ("a::b(Tensor x) -> Tensor junk !", "expected the end"),
        ("a::b(Tensr x) -> Tensor", "column 6: expected a type"),
        ("a::b(Tensor x, Tensor x) -> Tensor", "two arguments are called 'x'"),
        ("a::b(Tensor) -> Tensor", "expected the argument's name"),
        ("a::b(int(a!) x) -> Tensor", "only tensors can be written"),
        ("a::b(int[0] x) -> Tensor", "between 1 and 64"),
        ("a::b(int[9999999999] x) -> Tensor", "between 1 and 64"),
        ("a::b(int x=) -> Tensor", "expected an integer, got"),
        ('a::b(str x="no end) -> Tensor', "does not end"),
    ],
)
def test_text_that_is_no_schema_says_where(schema: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _C.check_schema(schema)


@given(st.text(alphabet='ab:(),->*=?[]!."0 TensorintSym', max_size=60))
def test_any_text_is_a_schema_or_an_error(text: str) -> None:
    try:
        name = _C.check_schema("a::b" + text)
    except ValueError:
        return
    assert name.startswith("a.b")


def test_spaces_do_not_matter() -> None:
    name = library._definitions.add(
        "schema_test :: odd . out ( Tensor  (a!)  x ,  * , int [ 2 ] n = [ 1 , 2 ] )\n -> ( )",
        lambda x, n: x.fill_(n[0] + n[1]),
    )
    try:
        x = rushlight.zeros(1)
        rushlight.ops.schema_test.odd.out(x)
        assert x.tolist() == [3.0]
    finally:
        library._definitions.remove(name)


DEFAULTS = [
    ("int", 9223372036854775807),
    ("int", -9223372036854775808),
    ("int[]", [1, -2]),
    ("float", 1e-5),
    ("float", float("inf")),
    ("float[]", [0.5, 2.0]),
    ("bool", True),
    ("Scalar", 3),
    ("Scalar", -2.5),
    ("Scalar", False),
    ("str", "'"),
    ("str", 'a"b, c'),
    ("str", "back\\slash\nnew line"),
    ("str?", None),
    ("int?", 4),
]


@pytest.mark.parametrize(("kind", "value"), DEFAULTS, ids=repr)
def test_defaults_arrive_as_they_were_written(kind: str, value: object) -> None:
    from rushlight.library._schema import _default_text

    seen: list[object] = []
    name = library._definitions.add(
        f"schema_test::keep(Tensor x, {kind} v={_default_text(value)}, int last=7) -> Tensor",
        lambda x, v, last: seen.extend([v, last]) or x,
    )
    try:
        rushlight.ops.schema_test.keep(rushlight.zeros(1))
    finally:
        library._definitions.remove(name)
    assert seen == [value, 7]
    assert type(seen[0]) is type(value)


@pytest.mark.parametrize(
    ("default", "message"),
    [
        ("int v=9223372036854775808", "fits 64 bits"),
        ("int v=True", "expected an integer"),
        ("int v=1.5", "expected an integer, got a float"),
        ("int v=None", "None is no int"),
        ("bool v=9", "expected True or False"),
        ("str v=1.5", "expected a string in quotes"),
        ("float v=True", "expected a number"),
        ("Scalar v=word", "expected a number"),
        ("ScalarType v=7", "has no default but None"),
        ("int v=[1]", "a list is no int"),
        ("int[] v=[1, True]", "expected an integer"),
    ],
)
def test_defaults_of_another_type_are_refused(default: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _C.check_schema(f"a::b(Tensor x, {default}) -> Tensor")


def test_what_is_no_function_is_refused() -> None:
    for wrong in (3, "name"):
        with pytest.raises(TypeError, match="expected a function"):
            library.custom_op("schema_test::no", mutates_args=(), schema="(Tensor x) -> Tensor")(
                wrong  # type: ignore[arg-type]
            )
