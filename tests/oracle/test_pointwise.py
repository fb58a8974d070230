"""Every pointwise operator against PyTorch: shapes, strides, dtypes, special values, errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import rushlight

pytestmark = pytest.mark.oracle

INTS = ["uint8", "int8", "int16", "int32", "int64"]
HALVES = ["float16", "bfloat16"]
FLOATS = ["float32", "float64", *HALVES]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool", *INTS, *FLOATS, *COMPLEX]
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    1e-30,
    3e4,
    -3e4,
    float("inf"),
    -float("inf"),
    float("nan"),
]

# (rtol, atol) per dtype; other dtypes are exact.
TOLERANCE = {
    "float16": (2e-3, 1e-6),
    "bfloat16": (1.6e-2, 1e-6),
    "float32": (1e-6, 1e-7),
    "float64": (1e-13, 1e-15),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-12, 1e-13),
}


def name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def make(shape: tuple[int, ...], dtype: str, seed: int, special: bool = True) -> Any:
    """Random values; floats also hold zeros of both signs, infinities and NaN."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape))
    if dtype == "bool":
        values = rng.integers(0, 2, n).astype(bool)
    elif dtype in INTS:
        values = rng.integers(0 if dtype == "uint8" else -6, 7, n)
    elif dtype in COMPLEX:
        values = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    else:
        values = rng.standard_normal(n) * 3
        if special and n > 2 * len(SPECIAL):
            at = rng.choice(n, len(SPECIAL), replace=False)
            values[at] = SPECIAL
    return torch.from_numpy(np.asarray(values).reshape(shape)).to(getattr(torch, dtype))


# Operators that PyTorch writes as other loops: it returns the input itself, or a contiguous result.
FREE_STRIDES = {
    "log_sigmoid",
    "rrelu",
    "dropout",
    "conj_physical",
    "angle",
    "copy",
    "to",
    "type_as",
}
# Results near zero are differences: their error is that of the numbers subtracted.
ABSOLUTE = {"gelu": 5e-7, "digamma": 1e-5, "special_digamma": 1e-5}
# PyTorch rounds x / (1 - x) to the half type before the logarithm.
HALF_ABSOLUTE = {"logit": 2e-2}


def compare(ours: Any, theirs: Any, what: str) -> None:
    got = torch.from_dlpack(ours)
    name = what.partition("[")[0].partition(".")[0]
    assert got.dtype == theirs.dtype, f"{what}: dtype {got.dtype} is not {theirs.dtype}"
    assert got.shape == theirs.shape, f"{what}: {got.shape} is not {theirs.shape}"
    if name not in FREE_STRIDES:
        assert tuple(got.stride()) == tuple(theirs.stride()), f"{what}: {got.stride()}"
    rtol, atol = TOLERANCE.get(name_of(theirs.dtype), (0, 0))
    if theirs.is_floating_point():
        atol = max(atol, ABSOLUTE.get(name, 0))
    if name_of(theirs.dtype) in HALVES:
        atol = max(atol, HALF_ABSOLUTE.get(name, 0))
    torch.testing.assert_close(
        got, theirs, rtol=rtol, atol=atol, equal_nan=True, msg=lambda m: f"{what}: {m}"
    )


def same(op: str, *args: Any, **kwargs: Any) -> None:
    """The same call on both sides: equal results, or errors on both sides."""
    name, _, overload = op.partition(".")
    overload = overload or "default"
    mine = getattr(getattr(rushlight.ops.aten, name), overload)
    shown = [f"{name_of(a.dtype)}{list(a.shape)}" if torch.is_tensor(a) else a for a in args]
    what = f"{op}{shown}{kwargs or ''}"
    try:
        theirs = getattr(getattr(torch.ops.aten, name), overload)(*args, **kwargs)
    except NotImplementedError:
        return  # this engine may have more dtypes
    except RuntimeError:
        with pytest.raises(RuntimeError):
            mine(*args, **kwargs)
        return
    if theirs.dtype == torch.complex32:
        return  # no such dtype here: float16 with a complex number gives complex64
    if theirs.is_complex() and name.startswith("logaddexp"):
        return
    compare(mine(*args, **kwargs), theirs.resolve_conj(), what)


def layouts(dtype: str, seed: int = 0, special: bool = True) -> Iterator[Any]:
    yield make((), dtype, seed, special)
    yield make((0, 3), dtype, seed, special)
    yield make((1,), dtype, seed, special)
    yield make((67,), dtype, seed, special)
    yield make((5, 7, 11), dtype, seed, special)
    yield make((5, 7, 11), dtype, seed, special).transpose(0, 2)
    yield make((9, 26), dtype, seed, special)[::2, 1::3]
    yield make((2, 3, 5, 7), dtype, seed, special).to(memory_format=torch.channels_last)


SHAPE_PAIRS = [
    ((), ()),
    ((), (3, 4)),
    ((5, 1), (1, 6)),
    ((0, 4), (1, 4)),
    ((2, 3, 4), (4,)),
    ((3, 1, 300), (2, 1)),
    ((1100,), (1100,)),
]

UNARY = [
    "neg",
    "abs",
    "sign",
    "sgn",
    "reciprocal",
    "square",
    "sqrt",
    "rsqrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sinc",
    "deg2rad",
    "rad2deg",
    "erf",
    "erfc",
    "erfinv",
    "lgamma",
    "digamma",
    "ceil",
    "floor",
    "trunc",
    "frac",
    "round",
    "logical_not",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "bitwise_not",
    "nan_to_num",
    "sigmoid",
    "relu",
    "relu6",
    "silu",
    "mish",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardshrink",
    "softshrink",
    "softplus",
    "log_sigmoid",
    "elu",
    "celu",
    "selu",
    "gelu",
    "leaky_relu",
    "logit",
    "conj_physical",
    "angle",
    "fix",
    "negative",
    "absolute",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "special_expit",
    "special_erf",
    "special_erfc",
    "special_erfinv",
    "special_gammaln",
    "special_digamma",
]

BINARY = [
    "add.Tensor",
    "sub.Tensor",
    "mul.Tensor",
    "div.Tensor",
    "floor_divide",
    "remainder.Tensor",
    "fmod.Tensor",
    "pow.Tensor_Tensor",
    "eq.Tensor",
    "ne.Tensor",
    "lt.Tensor",
    "le.Tensor",
    "gt.Tensor",
    "ge.Tensor",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and.Tensor",
    "bitwise_or.Tensor",
    "bitwise_xor.Tensor",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "max.other",
    "min.other",
    "atan2",
    "hypot",
    "copysign.Tensor",
    "logaddexp",
    "logaddexp2",
    "xlogy.Tensor",
    "special_xlog1py",
    "rsub.Tensor",
    "true_divide.Tensor",
    "__and__.Tensor",
    "__or__.Tensor",
    "__xor__.Tensor",
    "__lshift__.Tensor",
    "__rshift__.Tensor",
    "bitwise_left_shift.Tensor",
    "bitwise_right_shift.Tensor",
    "nextafter",
    "heaviside",
    "gcd",
    "lcm",
    "isclose",
    "clamp_min.Tensor",
    "clamp_max.Tensor",
    "ldexp.Tensor",
    "subtract.Tensor",
    "multiply.Tensor",
    "divide.Tensor",
    "greater.Tensor",
    "less_equal.Tensor",
    "not_equal.Tensor",
]

SCALAR = [
    "add.Scalar",
    "sub.Scalar",
    "mul.Scalar",
    "div.Scalar",
    "floor_divide.Scalar",
    "remainder.Scalar",
    "fmod.Scalar",
    "pow.Tensor_Scalar",
    "eq.Scalar",
    "ne.Scalar",
    "lt.Scalar",
    "le.Scalar",
    "gt.Scalar",
    "ge.Scalar",
    "rsub.Scalar",
    "bitwise_and.Scalar",
    "bitwise_or.Scalar",
    "bitwise_xor.Scalar",
    "__and__.Scalar",
    "__or__.Scalar",
    "__xor__.Scalar",
    "__lshift__.Scalar",
    "__rshift__.Scalar",
    "copysign.Scalar",
    "xlogy.Scalar_Other",
    "clamp_min",
    "clamp_max",
]

# Those whose value depends on the last bit of a difference, or overflow in the reference's own way.
NO_SPECIAL = {"lgamma", "digamma", "special_gammaln", "special_digamma", "sinc"}


@pytest.mark.parametrize("op", UNARY)
def test_unary(op: str) -> None:
    for dtype in ALL:
        if op == "erfinv" and dtype in COMPLEX:
            continue
        for x in layouts(dtype, special=op not in NO_SPECIAL):
            same(op, x)


@pytest.mark.parametrize("op", BINARY)
def test_binary_dtypes(op: str) -> None:
    for a, b in itertools.product(ALL, ALL):
        if "ldexp" in op and a != b:
            continue  # 2 ** other is as exact as other's dtype, the product may be wider
        x, y = make((67,), a, 1), make((67,), b, 2)
        if "floor_divide" in op or "remainder" in op or "fmod" in op:
            y = torch.where(y == 0, torch.ones_like(y), y)
        if "div" in op and "complex" in a + b:
            x, y = make((67,), a, 1, False), make((67,), b, 2, False)  # inf * 0 in other places
        if "shift" in op:
            y = y.abs() if b in INTS else y
        same(op, x, y)
        same(op, x, y[3])


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("shapes", SHAPE_PAIRS, ids=str)
def test_binary_broadcast(op: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    for dtype in ("float32", "int32"):
        x, y = make(shapes[0], dtype, 3, False), make(shapes[1], dtype, 4, False)
        if dtype == "int32":
            y = y.abs() + 1
        same(op, x, y)
        same(op, y, x + 20 if dtype == "int32" else x)


@pytest.mark.parametrize("op", ["add.Tensor", "div.Tensor", "lt.Tensor"])
def test_binary_strides(op: str) -> None:
    for x, y in itertools.product(layouts("float32", 5), layouts("float32", 6)):
        same(op, x, y)


@pytest.mark.parametrize("op", SCALAR)
def test_scalar(op: str) -> None:
    for dtype in ALL:
        for value in (True, 2, -3, 0, 2.5, -0.5, 0.5, 1, 3, -1, -2, 1 + 2j):
            if "shift" in op and (isinstance(value, complex) or value < 0):
                continue
            same(op, make((67,), dtype, 7), value)
            same(op, make((), dtype, 7), value)


def test_scalar_first() -> None:
    for op in ("pow.Scalar", "xlogy.Scalar_Self", "remainder.Scalar_Tensor"):
        for dtype, value in itertools.product(ALL, (2, -3, 2.5, 1)):
            y = make((67,), dtype, 8)
            if "remainder" in op:
                y = torch.where(y == 0, torch.ones_like(y), y)
            same(op, value, y)


@pytest.mark.parametrize("op", ["add.Tensor", "sub.Tensor", "rsub.Tensor"])
def test_alpha(op: str) -> None:
    for dtype in ALL:
        for alpha in (2, -1, 1.5, True, 1j):
            same(op, make((67,), dtype, 1), make((67,), dtype, 2), alpha=alpha)


@pytest.mark.parametrize("mode", [None, "trunc", "floor", "ceil"])
def test_division_modes(mode: str | None) -> None:
    for a, b in itertools.product(["bool", *INTS, *FLOATS], repeat=2):
        x, y = make((67,), a, 1), make((67,), b, 2)
        if b in INTS or b == "bool":
            y = torch.where(y == 0, torch.ones_like(y), y)
        same("div.Tensor_mode", x, y, rounding_mode=mode)
        same("div.Scalar_mode", x, 3, rounding_mode=mode)
        same("div.Scalar_mode", x, -2.5, rounding_mode=mode)


@pytest.mark.parametrize("op", ["floor_divide", "remainder.Tensor", "fmod.Tensor"])
def test_integer_division_by_zero(op: str) -> None:
    same(op, torch.tensor([1, 2]), torch.tensor([1, 0]))


def test_round_decimals() -> None:
    for dtype, decimals in itertools.product([*FLOATS, "int64"], (-1, 0, 1, 2)):
        same("round.decimals", make((67,), dtype, 1, False), decimals=decimals)
    halves = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 1e20, -0.0])
    same("round", halves)
    same("floor", halves)
    same("ceil", halves)


BOUNDS = [(-1, None), (None, 2), (-1, 2), (2, -1), (-0.5, None), (None, 1.5), (float("nan"), 1)]


@pytest.mark.parametrize("op", ["clamp", "clip"])
def test_clamp(op: str) -> None:
    for dtype, (low, high) in itertools.product(ALL, [*BOUNDS, (None, None)]):
        same(op, make((67,), dtype, 1), low, high)
    for dtype in FLOATS + INTS:
        x, low, high = make((5, 7), dtype, 1), make((7,), dtype, 2), make((5, 1), dtype, 3)
        same(f"{op}.Tensor", x, low, high)
        same(f"{op}.Tensor", x, low)
        same(f"{op}.Tensor", x, None, high)


def test_where() -> None:
    condition = make((5, 7), "bool", 1)
    for a, b in itertools.product(ALL, ALL):
        same("where.self", condition, make((5, 7), a, 2), make((7,), b, 3))
        same("where.self", condition, make((), a, 2), make((5, 1), b, 3))
    for dtype in ALL:
        x = make((5, 7), dtype, 2)
        for value in (True, 2, 1.5):
            same("where.ScalarOther", condition, x, value)
            same("where.ScalarSelf", condition, value, x)
    same("where.Scalar", condition, 1, 2)
    same("where.Scalar", condition, 1.0, 2)
    same("where.self", make((5,), "float32", 1), torch.ones(5), torch.ones(5))


def test_masked_fill() -> None:
    mask = make((7,), "bool", 1)
    for dtype in ALL:
        same("masked_fill.Scalar", make((5, 7), dtype, 2), mask, 1)
        same("masked_fill.Tensor", make((5, 7), dtype, 2), mask, torch.tensor(1).to(mask.dtype))
    same("masked_fill.Scalar", make((5, 7), "float32", 2), mask, -float("inf"))
    same("masked_fill.Scalar", make((5, 7), "float32", 2), mask.int(), 1)


def test_three_operands() -> None:
    for dtype in ALL:
        x, y, z = (make(s, dtype, i, False) for i, s in enumerate([(5, 7), (7,), (5, 1)]))
        same("addcmul", x, y, z)
        same("addcmul", x, y, z, value=3)
        same("addcdiv", x, y, z, value=2)
        same("lerp.Scalar", x, y, 0.3)
        same("lerp.Scalar", x, y, 0.7)
        same("lerp.Tensor", x, y, z)


ACTIVATIONS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("leaky_relu", (0.2,), {}),
    ("elu", (0.7, 1.3, 0.9), {}),
    ("celu", (0.7,), {}),
    ("gelu", (), {"approximate": "tanh"}),
    ("gelu", (), {"approximate": "exact"}),
    ("hardtanh", (-2, 3), {}),
    ("hardshrink", (0.3,), {}),
    ("softshrink", (0.3,), {}),
    ("softplus", (2, 5), {}),
    ("threshold", (0.5, 20), {}),
    ("logit", (0.1,), {}),
    ("nan_to_num", (1.0, 2.0, -3.0), {}),
    ("nan_to_num", (), {"posinf": 7.0}),
    ("rrelu", (0.1, 0.3, False), {}),
    ("dropout", (0.5, False), {}),
]


@pytest.mark.parametrize("case", ACTIVATIONS, ids=lambda c: f"{c[0]}{c[1]}{c[2] or ''}")
def test_parameters(case: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    op, args, kwargs = case
    for dtype in ALL:
        for x in layouts(dtype, 9):
            same(op, x, *args, **kwargs)


def test_prelu() -> None:
    for dtype in FLOATS:
        for shape in ((4, 3), (2, 3, 5), (2, 3, 5, 7), (6,)):
            x = make(shape, dtype, 1)
            same("prelu", x, make((1,), dtype, 2))
            if len(shape) > 1:
                same("prelu", x, make((3,), dtype, 2))
    same("prelu", torch.ones(2, 3), torch.ones(2))


def test_complex_numbers() -> None:
    for dtype in ("float32", "float64"):
        x, y = make((5, 7), dtype, 1, False), make((7,), dtype, 2, False)
        same("complex", x, y)
        same("polar", x, y)
    same("_conj", make((5,), "complex64", 1))


def test_isclose() -> None:
    x = make((67,), "float32", 1)
    same("isclose", x, x + 1e-6)
    same("isclose", x, x, equal_nan=True)
    same("isclose", x, x * 1.01, rtol=0.02)
    same("isclose", x, x + 0.01, rtol=0.0, atol=0.02)


def test_conversions() -> None:
    for a, b in itertools.product(ALL, ALL):
        x = make((5, 7, 11), a, 1, special=b not in INTS)
        if b == "uint8" and a not in ("bool", "uint8"):
            x = x.abs()
        to = getattr(torch, b)
        mine = getattr(rushlight, b)
        for y in (x, x.transpose(0, 2), x[:, ::2]):
            what = f"to[{a} {b}]"
            expected = torch.ops.aten._to_copy(y, dtype=to)
            compare(rushlight.ops.aten._to_copy(y, dtype=mine), expected, what)
            compare(rushlight.ops.aten.to.dtype(y, mine), torch.ops.aten.to.dtype(y, to), what)
            compare(rushlight.ops.aten.type_as(y, x.to(to)), y.type_as(x.to(to)), what)


def test_overwriting() -> None:
    for x in layouts("float32", 1):
        same("fill.Scalar", x, 3)
        same("fill.Tensor", x, torch.tensor(2.5))
        same("zero", x)
        same("copy", x, make((), "int64", 3))
    same("copy", make((5, 7), "float32", 1), make((7,), "bfloat16", 2))
    same("copy", make((5, 7), "float32", 1), make((3,), "float32", 2))


@pytest.mark.parametrize("op", ["add_.Tensor", "mul_.Tensor", "sub_.Tensor", "lt_.Tensor"])
def test_in_place(op: str) -> None:
    name, _, overload = op.partition(".")
    for a, b in itertools.product(ALL, ALL):
        x, y = make((5, 7), a, 1), make((7,), b, 2)
        mine = rushlight.from_dlpack(x.clone()) if hasattr(rushlight, "from_dlpack") else x.clone()
        call = getattr(getattr(rushlight.ops.aten, name), overload)
        try:
            theirs = getattr(getattr(torch.ops.aten, name), overload)(x, y)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                call(mine, y)
            continue
        compare(call(mine, y), theirs, f"{op} {a} {b}")


def test_in_place_shape_error() -> None:
    same("add_.Tensor", torch.ones(3), torch.ones(2, 3))
