// Special functions, computed in double: rare enough that one copy for all capabilities will do.
//
// Abramowitz, Stegun: "Handbook of Mathematical Functions", 1964, abbreviated A&S below.
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/pointwise.h"

namespace rushlight::kernels::portable::tile {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T, double (*F)(double)>
void loop1(const TileParams&, const void* const* in, void* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    static_cast<T*>(out)[i] = static_cast<T>(F(static_cast<const T*>(in[0])[i]));
}
template <class T, double (*F)(double, double)>
void loop2(const TileParams&, const void* const* in, void* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    static_cast<T*>(out)[i] =
        static_cast<T>(F(static_cast<const T*>(in[0])[i], static_cast<const T*>(in[1])[i]));
}
template <double (*F)(double)>
TileFn unary(DType t) {
  return t == DType::Float32 ? loop1<float, F> : t == DType::Float64 ? loop1<double, F> : nullptr;
}
template <double (*F)(double, double)>
TileFn binary(DType t) {
  return t == DType::Float32 ? loop2<float, F> : t == DType::Float64 ? loop2<double, F> : nullptr;
}

// Modified Bessel functions of the first kind times exp(-|x|), order n = 0 or 1: the power series
// (A&S 9.6.10) has only positive terms; beyond 30 the asymptotic one (9.7.1) is exact enough.
double bessel_i_scaled(int n, double x) {
  const double size = std::abs(x), sign = n == 1 && x < 0 ? -1 : 1;
  if (std::isinf(size)) return 0 * sign;
  if (size <= 30) {
    const double quarter = size * size / 4;
    double term = n == 0 ? 1 : size / 2, sum = term;
    for (int k = 1; term > sum * 1e-17; ++k) {
      term *= quarter / (k * (k + n));
      sum += term;
    }
    return sign * sum * std::exp(-size);
  }
  const double mu = 4.0 * n * n;
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    const double next = term * -(mu - odd * odd) / (k * 8 * size);
    if (std::abs(next) >= std::abs(term)) break;
    sum += term = next;
  }
  return sign * sum / std::sqrt(2 * std::numbers::pi * size);
}
double i0e_of(double x) { return bessel_i_scaled(0, x); }
double i1e_of(double x) { return bessel_i_scaled(1, x); }
// At infinity PyTorch's quotient of infinities is no number.
double i0_of(double x) { return std::isinf(x) ? kNaN : i0e_of(x) * std::exp(std::abs(x)); }
double i1_of(double x) { return std::isinf(x) ? kNaN : i1e_of(x) * std::exp(std::abs(x)); }

// Modified Bessel functions of the second kind times exp(x).
double bessel_k_scaled(int n, double x) {
  if (x < 0 || x != x) return kNaN;
  if (x == 0) return kInf;
  if (x < 50) return std::cyl_bessel_k(n, x) * std::exp(x);
  const double mu = 4.0 * n * n;
  double term = 1, sum = 1;
  for (int k = 1; k < 20; ++k) {
    const double odd = 2 * k - 1;
    sum += term *= (mu - odd * odd) / (k * 8 * x);
  }
  return sum * std::sqrt(std::numbers::pi / (2 * x));
}
double k0e_of(double x) { return bessel_k_scaled(0, x); }
double k1e_of(double x) { return bessel_k_scaled(1, x); }
double k0_of(double x) { return bessel_k_scaled(0, x) * std::exp(-x); }
double k1_of(double x) { return bessel_k_scaled(1, x) * std::exp(-x); }

double spherical_j0_of(double x) {
  if (std::isinf(x)) return 0;
  return std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
}

// exp(x^2) erfc(x); beyond 25 its asymptotic series (A&S 7.1.23).
double erfcx_of(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double z = 1 / (2 * x * x);
  return (1 - z * (1 - 3 * z * (1 - 5 * z))) / (x * std::sqrt(std::numbers::pi));
}
double ndtr_of(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double log_ndtr_of(double x) {
  if (x < -1) return std::log(erfcx_of(-x / std::numbers::sqrt2) / 2) - x * x / 2;
  return std::log1p(-0.5 * std::erfc(x / std::numbers::sqrt2));
}
// The inverse of ndtr by Newton's method on its logarithm, from the lower tail's asymptote.
double ndtri_of(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  if (p > 0.5) return -ndtri_of(1 - p);
  const double target = std::log(p);
  double x = -std::sqrt(-2 * target) * 0.9;
  if (p > 0.2) x = (p - 0.5) * std::sqrt(2 * std::numbers::pi);
  for (int i = 0; i < 30; ++i) {
    const double value = log_ndtr_of(x);
    const double slope = std::exp(-x * x / 2 - value) / std::sqrt(2 * std::numbers::pi);
    const double step = (value - target) / slope;
    x -= step;
    if (std::abs(step) < 1e-16 * std::abs(x)) break;
  }
  return x;
}

double entr_of(double x) {
  if (x != x) return x;
  return x > 0 ? -x * std::log(x) : x == 0 ? 0 : -kInf;
}

// Hurwitz' zeta function by the Euler-Maclaurin formula (A&S 23.2).
double zeta_of(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1)) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (x != std::floor(x)) return kNaN;
  }
  double sum = 0, a = q;
  for (int k = 0; k < 10 || a <= 9; ++k, a += 1) sum += std::pow(a, -x);
  // Bernoulli numbers B_2k / (2k)!
  constexpr double kCoefficients[] = {1.0 / 12,
                                      -1.0 / 720,
                                      1.0 / 30240,
                                      -1.0 / 1209600,
                                      1.0 / 47900160,
                                      -691.0 / 1307674368000.0,
                                      1.0 / 74724249600.0,
                                      -3617.0 / 10670622842880000.0};
  sum += std::pow(a, 1 - x) / (x - 1) + 0.5 * std::pow(a, -x);
  double factor = x, power = std::pow(a, -x - 1);
  for (int k = 0; k < 8; ++k) {
    sum += kCoefficients[k] * factor * power;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2);
    power /= a * a;
  }
  return sum;
}

// The regularised lower incomplete gamma function: its series (A&S 6.5.29) below a + 1, the
// continued fraction of the upper one (6.5.31, by Lentz' method) above.
double upper_gamma_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double n = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(n * d + b) < kTiny ? kTiny : n * d + b);
    c = std::abs(b + n / c) < kTiny ? kTiny : b + n / c;
    const double factor = c * d;
    h *= factor;
    if (std::abs(factor - 1) < 1e-16) break;
  }
  return h;
}
double lower_gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 100000 && term > sum * 1e-17; ++k) sum += term *= x / (a + k);
  return sum;
}
double incomplete_gamma(double a, double x, bool upper) {
  if (a < 0 || x < 0 || a != a || x != x) return kNaN;
  if (a == 0) return x > 0 ? (upper ? 0 : 1) : kNaN;
  if (x == 0 || std::isinf(a)) {
    if (std::isinf(x)) return kNaN;
    return upper ? 1 : 0;
  }
  if (std::isinf(x)) return upper ? 0 : 1;
  int sign;
  const double scale = std::exp(a * std::log(x) - x - ::lgamma_r(a, &sign));
  if (x < a + 1) {
    const double lower = scale * lower_gamma_series(a, x);
    return upper ? 1 - lower : lower;
  }
  const double part = scale * upper_gamma_fraction(a, x);
  return upper ? part : 1 - part;
}
double igamma_of(double a, double x) { return incomplete_gamma(a, x, false); }
double igammac_of(double a, double x) { return incomplete_gamma(a, x, true); }

}  // namespace

#define RL_SPECIAL1(name, function) \
  TileFn name(DType t, std::string_view) { return unary<function>(t); }
#define RL_SPECIAL2(name, function) \
  TileFn name(DType t, std::string_view) { return binary<function>(t); }
RL_SPECIAL1(i0, i0_of)
RL_SPECIAL1(i0e, i0e_of)
RL_SPECIAL1(i1, i1_of)
RL_SPECIAL1(i1e, i1e_of)
RL_SPECIAL1(bessel_j0, ::j0)
RL_SPECIAL1(bessel_j1, ::j1)
RL_SPECIAL1(bessel_y0, ::y0)
RL_SPECIAL1(bessel_y1, ::y1)
RL_SPECIAL1(bessel_k0, k0_of)
RL_SPECIAL1(bessel_k1, k1_of)
RL_SPECIAL1(bessel_k0_scaled, k0e_of)
RL_SPECIAL1(bessel_k1_scaled, k1e_of)
RL_SPECIAL1(spherical_j0, spherical_j0_of)
RL_SPECIAL1(erfcx, erfcx_of)
RL_SPECIAL1(ndtr, ndtr_of)
RL_SPECIAL1(ndtri, ndtri_of)
RL_SPECIAL1(log_ndtr, log_ndtr_of)
RL_SPECIAL1(entr, entr_of)
RL_SPECIAL2(zeta, zeta_of)
RL_SPECIAL2(igamma, igamma_of)
RL_SPECIAL2(igammac, igammac_of)
#undef RL_SPECIAL1
#undef RL_SPECIAL2

}  // namespace rushlight::kernels::portable::tile
