"""Type promotion by PyTorch's documented rules, and bfloat16."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.reference import BFloat16Array, call, cast, dtype_of
from rushlight.reference.promotion import promote_types, result_type

f16, f32, f64 = (np.ones(2, name) for name in ("float16", "float32", "float64"))
i32, i64, u8, mask = (np.ones(2, name) for name in ("int32", "int64", "uint8", "bool"))
bf16 = cast(f32, "bfloat16")


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((f32, f64), "float64"),
        ((i64, f32), "float32"),
        ((i64, f16), "float16"),
        ((f16, bf16), "float32"),
        ((u8, np.ones(2, "int8")), "int16"),
        ((mask, u8), "uint8"),
        ((f32, np.array(1.0)), "float32"),  # a 0-d tensor of the same category does not widen
        ((i32, np.array(1.0)), "float64"),  # but a higher category brings its own type
        ((f16, 2.5), "float16"),
        ((i32, 2), "int32"),
        ((i32, 2.5), "float32"),  # a Python float brings the default float
        ((mask, 2), "int64"),
        ((mask, True), "bool"),
        ((f32, 2j), "complex64"),
        ((f64, 2j), "complex128"),
        ((np.array(1, "int32"), 2.5), "float32"),
    ],
)
def test_result_type(operands: tuple[object, ...], expected: str) -> None:
    assert result_type(*operands) == expected  # type: ignore[arg-type]


def test_promotion_is_symmetric_and_has_bool_as_identity() -> None:
    names = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16"]
    names += ["float32", "float64", "complex64", "complex128"]
    for a in names:
        assert promote_types(a, "bool") == a
        for b in names:
            assert promote_types(a, b) == promote_types(b, a)


def test_bfloat16_rounds_to_nearest_even() -> None:
    values = np.float32([1.0, 1.00390625, 1.01171875, 3.1415927, -0.0, np.inf, 3.4e38])
    rounded = np.asarray(cast(values, "bfloat16"))
    expected = np.float32([1.0, 1.0, 1.015625, 3.140625, -0.0, np.inf, np.inf])
    np.testing.assert_array_equal(rounded, expected)
    assert np.isnan(np.asarray(cast(np.float32([np.nan]), "bfloat16")))[0]


def test_bfloat16_lives_through_views_and_writes() -> None:
    x = cast(np.zeros((2, 3)), "bfloat16")
    row = call("aten.select.int", x, 0, 1)
    assert isinstance(row, BFloat16Array)
    call("aten.fill_.Scalar", row, 0.1)
    assert dtype_of(x) == "bfloat16"
    assert np.asarray(x)[1, 0] == np.float32(0.10009765625)


def test_mean_of_integers_is_refused() -> None:
    with pytest.raises(RuntimeError, match="must be either a floating point or complex"):
        call("aten.mean.default", i64)
