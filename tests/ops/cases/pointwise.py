"""Element by element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import ALL, COMPLEX, FLOATS, INTEGERS, REALS, Case, Source, serves

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 88.0, -104.0, 1e-30)


FLOAT_FUNCTIONS = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "sigmoid", "erf", "erfc", "erfinv", "reciprocal", "sinc", "deg2rad", "rad2deg",
    "lgamma", "digamma", "i0", "angle",
)  # fmt: skip
ACTIVATIONS = (
    "silu", "mish", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "elu", "celu",
    "selu", "gelu", "softplus", "log_sigmoid", "hardshrink", "softshrink", "frac",
)  # fmt: skip


@serves(*(f"{name}.default" for name in FLOAT_FUNCTIONS))
def float_functions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in FLOATS:
        for array in source.forms(dtype):
            yield (array,), {}
        yield (np.array(0.75, dtype=np.float32),), {}
    yield (source((1000,), "float32", 0, 1),), {}
    yield (np.array(SPECIAL, dtype=np.float32),), {}
    for dtype in (*INTEGERS, "bool"):
        yield (source((2, 3), dtype),), {}


@serves("exp.default", "sqrt.default", "sin.default", "cos.default", "tanh.default",
        "reciprocal.default", "neg.default", "abs.default", "sgn.default", "log.default",
        "square.default", "angle.default", "_conj.default", "real.default", "sigmoid.default",
        "view_as_real.default")  # fmt: skip
def complex_functions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in COMPLEX:
        for shape in ((), (3,), (2, 3)):
            yield (source(shape, dtype),), {}


@serves("abs.default", "neg.default", "sign.default", "sgn.default", "square.default",
        "floor.default", "ceil.default", "trunc.default", "round.default", "relu.default",
        "isnan.default", "isinf.default", "isfinite.default", "logical_not.default",
        "signbit.default", "nan_to_num.default", "clone.default", "alias.default",
        "contiguous.default", "zeros_like.default", "ones_like.default", "relu6.default",
        "detach.default", "lift_fresh_copy.default", "_to_copy.default")  # fmt: skip
def any_reals(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in REALS if operator != "aten.relu6.default" else ("float32", "float64"):
        for array in source.forms(dtype):
            yield (array,), {}
    yield (np.array(SPECIAL, dtype=np.float32),), {}
    yield (np.array([0.5, 1.5, 2.5, -0.5, -1.5], dtype=np.float64),), {}


@serves("isnan.default", "logical_not.default", "bitwise_not.default", "sign.default",
        "clone.default", "zeros_like.default", "ones_like.default")  # fmt: skip
def booleans(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for array in source.forms("bool"):
        yield (array,), {}


@serves("bitwise_not.default")
def integers(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in INTEGERS:
        for array in source.forms(dtype, -100, 100):
            yield (array,), {}


@serves(*(f"{name}.default" for name in ACTIVATIONS))
def activations(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in FLOATS:
        for array in source.forms(dtype, -6, 6):
            yield (array,), {}
    yield (np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1e-30, 100, -100], dtype=np.float32),), {}
    x = source((3, 4), "float32", -5, 5)
    arguments: dict[str, list[Case]] = {
        "hardtanh": [((x, -2.5, 0.5), {}), ((x,), {"min_val": 0, "max_val": 6})],
        "leaky_relu": [((x, 0.2), {})],
        "elu": [((x, 1.5), {}), ((x, 2, 1.5, 0.5), {})],
        "celu": [((x, 2.0), {})],
        "gelu": [((x,), {"approximate": "tanh"}), ((x,), {"approximate": "none"})],
        "softplus": [((x, 2, 1), {}), ((x,), {"beta": 0.5, "threshold": 3})],
        "hardshrink": [((x, 1.0), {})],
        "softshrink": [((x, 1.0), {})],
    }
    yield from arguments.get(operator.split(".")[1], [])


@serves("threshold.default", "prelu.default", "glu.default", "logit.default", "clamp.default",
        "clamp_min.default", "clamp_max.default", "round.decimals", "nan_to_num.default",
        "rrelu.default", "dropout.default")  # fmt: skip
def with_arguments(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((2, 4), "float32")
    number = source((2, 4), "int64")
    p = source((2, 4), "float32", 0, 1)
    table: dict[str, list[Case]] = {
        "threshold.default": [((x, 0.5, -7), {}), ((number, 0, 5), {})],
        "prelu.default": [((x, np.full(1, 0.3, np.float32)), {}),
                          ((x, source((4,))), {}), ((source((2, 3, 4)), source((3,))), {})],
        "glu.default": [((x,), {}), ((x, 0), {}), ((x, -1), {})],
        "logit.default": [((p,), {}), ((p, 0.25), {})],
        "clamp.default": [((x, -1, 1), {}), ((x, None, 0.5), {}), ((x,), {"min": 0}),
                          ((number, -1, 1), {}), ((number, 0.5, None), {}), ((x, 2, 1), {}),
                          ((source((), "float16"), -1, 1), {})],
        "clamp_min.default": [((x, 0.5), {}), ((number, 1), {})],
        "clamp_max.default": [((x, 0.5), {}), ((number, 1), {})],
        "round.decimals": [((x,), {"decimals": 2}), ((x * 100,), {"decimals": -1})],
        "nan_to_num.default": [((np.float32([np.nan, np.inf, -np.inf]), 1.0, 2.0, 3.0), {}),
                               ((np.float16([np.nan, np.inf, -np.inf]),), {})],
        "rrelu.default": [((x,), {}), ((x, 0.1, 0.3, False), {})],
        "dropout.default": [((x, 0.5, False), {})],
    }  # fmt: skip
    yield from table[operator.removeprefix("aten.")]


PAIRS = (((), ()), ((3,), ()), ((), (2, 3)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)),
         ((0,), (1,)), ((2, 0, 3), (1, 1)), ((4, 1, 3), (2, 1)))  # fmt: skip
MIXED = (("float32", "float64"), ("int64", "float32"), ("bool", "int32"), ("uint8", "int8"),
         ("float16", "bfloat16"), ("int32", "int64"), ("bool", "float16"))  # fmt: skip

ARITHMETIC = ("add.Tensor", "sub.Tensor", "rsub.Tensor", "mul.Tensor", "div.Tensor",
              "maximum.default", "minimum.default", "fmax.default", "fmin.default")  # fmt: skip
COMPARISONS = tuple(f"{name}.Tensor" for name in ["eq", "ne", "lt", "le", "gt", "ge"])
LOGIC = tuple(f"logical_{name}.default" for name in ("and", "or", "xor"))


@serves(*ARITHMETIC, *COMPARISONS, *LOGIC, "true_divide.Tensor", "xlogy.Tensor", "atan2.default",
        "hypot.default", "copysign.Tensor", "logaddexp.default", "pow.Tensor_Tensor")  # fmt: skip
def binary(operator: str) -> Iterator[Case]:
    source = Source(operator)
    floats_only = operator.split(".")[1] in ("hypot", "logaddexp")
    low = 0 if "pow" in operator else -3
    dtypes = ("float32", "float64") if floats_only else FLOATS
    for dtype in dtypes:
        for a, b in PAIRS:
            yield (source(a, dtype, low), source(b, dtype, low)), {}
    x = source((4, 3), "float32", low)
    yield (x.T, source((3, 4), "float32", low)), {}
    yield (x[::2], source((6,), "float32", low)[::2]), {}
    specials = np.array(SPECIAL, dtype=np.float32)
    yield (specials[:, None], specials), {}
    if floats_only:
        return
    for dtype in (*INTEGERS, "bool"):
        if (dtype == "bool" and "sub" in operator) or (dtype == "bool" and "pow" in operator):
            continue
        yield (source((2, 3), dtype, low), source((3,), dtype, max(low, 0))), {}
    for a_type, b_type in MIXED:
        if "bool" in (a_type, b_type) and "sub" in operator:
            continue
        for a, b in (((2, 3), (3,)), ((2, 3), ()), ((), (3,)), ((), ())):
            yield (source(a, a_type, low), source(b, b_type, max(low, 0))), {}


@serves("add.Tensor", "sub.Tensor", "rsub.Tensor")
def with_alpha(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x, y = source((2, 3)), source((3,))
    yield (x, y), {"alpha": 2}
    yield (x, y), {"alpha": -0.5}
    yield (source((3,), "int64"), source((3,), "int64")), {"alpha": 3}
    yield (source((3,), "bfloat16"), source((3,), "bfloat16")), {"alpha": 0.3}


@serves(*(name.replace("Tensor", "Scalar") for name in (*COMPARISONS, "add.Tensor", "sub.Tensor",
        "rsub.Tensor", "mul.Tensor", "div.Tensor", "remainder.Tensor", "fmod.Tensor")),
        "pow.Tensor_Scalar")  # fmt: skip
def with_scalar(operator: str) -> Iterator[Case]:
    source = Source(operator)
    low = 1 if any(name in operator for name in ("remainder", "fmod", "pow")) else -3
    for dtype in REALS:
        for number in (2, 3) if dtype in INTEGERS else (2, 0.5, -1.5):
            for array in source.forms(dtype, low):
                yield (array, number), {}
    yield (source((2, 3), "int64", low), 2.5), {}
    yield (source((2, 3), "int32", low), 0.5), {}
    if low < 0 and "sub" not in operator:
        yield (source((3,), "bool"), 2), {}
        yield (source((3,), "bool"), 1.5), {}


@serves("pow.Tensor_Scalar", "pow.Scalar")
def powers(operator: str) -> Iterator[Case]:
    source = Source(operator)
    x = source((2, 3), "float32", 0, 3)
    if operator.endswith("Tensor_Scalar"):
        for exponent in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5, 1 / 3):
            yield (x, exponent), {}
        yield (source((3,), "int64"), 3), {}
        return
    for base in (2, 0.5, 1, -2.0):
        yield (base, x), {}
    yield (2, source((3,), "int64", 0, 5)), {}


@serves("remainder.Tensor", "fmod.Tensor", "floor_divide.default")
def remainders(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        yield (source((4, 5), dtype), source((5,), dtype)), {}
    yield (np.array([5.5, -5.5, 3, -3, np.inf, 1], np.float32),
           np.array([2, 2, -2, -2, 2, np.inf], np.float32)), {}  # fmt: skip
    for dtype in INTEGERS:
        low = 0 if dtype == "uint8" else -9
        yield (source((4, 5), dtype, low, 9), source((5,), dtype, 1, 4)), {}
        if dtype != "uint8":
            yield (source((4, 5), dtype, low, 9), source((5,), dtype, -4, -1)), {}


@serves("div.Tensor_mode", "div.Scalar_mode")
def divisions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for mode in ("floor", "trunc", None):
        for dtype in ("float32", "float16", "int64", "int32"):
            x = source((3, 4), dtype, -9, 9)
            other = source((4,), dtype, 1, 4) if operator.endswith("Tensor_mode") else 3
            yield (x, other), {"rounding_mode": mode}


BITS = tuple(f"bitwise_{n}.Tensor" for n in ("and", "or", "xor")) + tuple(
    f"__{n}__.Tensor" for n in ("and", "or", "xor")
)


@serves(*BITS)
def bits(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in (*INTEGERS, "bool"):
        for a, b in PAIRS:
            yield (source(a, dtype, -100, 100), source(b, dtype, -100, 100)), {}
    yield (source((3,), "int64"), source((3,), "bool")), {}


@serves(*(name.replace("Tensor", "Scalar") for name in BITS))
def bits_with_scalar(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in INTEGERS:
        yield (source((2, 3), dtype, -100, 100), 5), {}
    yield (source((3,), "bool"), True), {}


@serves("__lshift__.Scalar", "__rshift__.Scalar", "__lshift__.Tensor", "__rshift__.Tensor",
        "bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor")  # fmt: skip
def shifts(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("int64", "int32", "uint8"):
        x = source((2, 3), dtype, -9, 9)
        yield (x, 2 if operator.endswith("Scalar") else source((3,), dtype, 0, 3)), {}


@serves("addcmul.default", "addcdiv.default", "lerp.Scalar", "lerp.Tensor", "where.self",
        "clamp.Tensor", "isclose.default", "where.ScalarOther", "where.ScalarSelf",
        "where.Scalar", "masked_fill.Scalar", "masked_fill.Tensor")  # fmt: skip
def ternary(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.removeprefix("aten.")
    for dtype in (*FLOATS, "int64") if "where" in name or "masked" in name else FLOATS:
        for a, b, c in (((2, 3), (3,), (2, 1)), ((), (), ()), ((0, 3), (1, 3), (3,)),
                        ((2, 3), (2, 3), (2, 3))):  # fmt: skip
            x, y, z = source(a, dtype), source(b, dtype), source(c, dtype, 1, 3)
            mask = source(b, "bool")
            if name.startswith("addc"):
                yield (x, y, z), {}
                yield (x, y, z), {"value": 0.5}
            elif name == "lerp.Scalar":
                yield (x, y, 0.3), {}
                yield (x, y, 0.8), {}
            elif name == "lerp.Tensor":
                yield (x, y, source(c, dtype, 0, 1)), {}
            elif name == "where.self":
                yield (mask, x, z), {}
                yield (mask, x, source((), "float64")), {}
            elif name == "where.ScalarOther":
                yield (mask, x, 2.5), {}
            elif name == "where.ScalarSelf":
                yield (mask, 2, x), {}
            elif name == "where.Scalar":
                yield (mask, 1.0, 0.0), {}
                yield (mask, 1, 0), {}
            elif name == "masked_fill.Scalar":
                yield (x, mask, -1), {}
            elif name == "masked_fill.Tensor":
                yield (x, mask, np.array(2, dtype=np.float32) if dtype != "int64" else
                       np.array(2)), {}  # fmt: skip
            elif name == "clamp.Tensor":
                yield (x, y, z), {}
                yield (x, None, z), {}
                yield (x, y, None), {}
            else:
                yield (x, y), {}
                yield (x, y, 0.5, 0.1, True), {}


@serves("to.dtype", "view.dtype", "full_like.default", "type_as.default", "copy.default",
        "fill.Scalar", "fill.Tensor", "complex.default")  # fmt: skip
def conversions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    if operator == "aten.complex.default":
        yield (source((2, 3)), source((3,))), {}
        yield (source((3,), "float64"), source((3,), "float64")), {}
        return
    if operator == "aten.view.dtype":
        yield (source((2, 4)), "int32"), {}
        yield (source((2, 4)), "int16"), {}
        yield (source((2, 4), "int8", -100, 100), "int32"), {}
        yield (source((2, 4), "bfloat16"), "int16"), {}
        return
    for a in ALL:
        for b in ALL:
            x = source((2, 3), a, 0, 3)
            if operator == "aten.to.dtype":
                yield (x, b), {}
            elif operator == "aten.full_like.default":
                yield (x, 2), {"dtype": b}
            elif operator in ("aten.type_as.default", "aten.copy.default"):
                yield (x, source((2, 3) if "type_as" in operator else (3,), b, 0, 3)), {}
        if operator == "aten.fill.Scalar":
            yield (source((2, 3), a), 1), {}
        elif operator == "aten.fill.Tensor":
            yield (source((2, 3), a), np.array(1)), {}
