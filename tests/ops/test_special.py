"""Special functions by identities between them and known values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.ops import aten

X = np.float64([1e-3, 0.1, 0.5, 1, 2.5, 7, 20, 29, 31, 49, 51, 80])


def close(got: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(got), expected, rtol=tolerance, atol=1e-300)


def test_bessel_functions_satisfy_their_wronskians() -> None:
    i0, i1 = np.asarray(aten.special_i0e(X)), np.asarray(aten.special_i1e(X))
    k0 = np.asarray(aten.special_scaled_modified_bessel_k0(X))
    k1 = np.asarray(aten.special_scaled_modified_bessel_k1(X))
    close(i0 * k1 + i1 * k0, 1 / X)
    close(aten.i0(X), i0 * np.exp(X))
    j0, j1 = np.asarray(aten.special_bessel_j0(X)), np.asarray(aten.special_bessel_j1(X))
    y0, y1 = np.asarray(aten.special_bessel_y0(X)), np.asarray(aten.special_bessel_y1(X))
    close(j1 * y0 - j0 * y1, 2 / (np.pi * X), 1e-11)
    close(aten.special_spherical_bessel_j0(X), np.sin(X) / X)
    assert np.asarray(aten.special_i1(-X)).tolist() == (-np.asarray(aten.special_i1(X))).tolist()


def test_the_normal_distribution() -> None:
    x = np.float64([-30, -8, -3, -1, -0.1, 0, 0.4, 2, 5])
    p = np.asarray(aten.special_ndtr(x))
    close(p + np.asarray(aten.special_ndtr(-x)), 1.0)
    close(aten.special_log_ndtr(x), np.log(p), 1e-9)
    close(aten.special_ndtri(p[1:]), x[1:], 1e-7)
    assert np.asarray(aten.special_ndtri(np.float64([0, 1]))).tolist() == [-np.inf, np.inf]
    close(
        np.asarray(aten.special_erfcx(X[:6])) * np.exp(-(X[:6] ** 2)), np.asarray(aten.erfc(X[:6]))
    )
    # erfcx tends to 1 / (x sqrt(pi)).
    close(aten.special_erfcx(np.float64([1e5])), 1 / (1e5 * np.sqrt(np.pi)), 1e-9)


def test_zeta_and_incomplete_gamma() -> None:
    close(aten.special_zeta.other_scalar(np.float64([2, 4]), 1), [np.pi**2 / 6, np.pi**4 / 90])
    s, q = np.float64([1.5, 3, 7.2]), np.float64([0.3, 2, 11])
    shifted = np.asarray(aten.special_zeta(s, q + 1))
    close(np.asarray(aten.special_zeta(s, q)) - q**-s, shifted, 1e-11)
    for a in (0.5, 1.0, 3.0, 40.0):
        low, high = aten.igamma(np.full_like(X, a), X), aten.igammac(np.full_like(X, a), X)
        close(np.asarray(low) + np.asarray(high), 1.0)
    close(aten.igamma(np.ones_like(X), X), -np.expm1(-X))
    # P(a + 1, x) = P(a, x) - x^a exp(-x) / gamma(a + 1), here for a = 3.
    three, four = np.full_like(X, 3.0), np.full_like(X, 4.0)
    difference = np.asarray(aten.igammac(four, X)) - np.asarray(aten.igammac(three, X))
    np.testing.assert_allclose(difference, X**3 * np.exp(-X) / 6, rtol=1e-9, atol=1e-14)


def test_entropy_and_dtypes() -> None:
    x = np.float32([0, 1, 0.5, -1, np.nan])
    np.testing.assert_allclose(
        np.asarray(aten.special_entr(x)), [0, 0, 0.5 * np.log(2), -np.inf, np.nan], rtol=1e-6
    )
    assert np.asarray(aten.i0(np.int32([0]))).tolist() == [1.0]
    with pytest.raises(NotImplementedError, match="ComplexFloat"):
        aten.i0(np.complex64([1]))
