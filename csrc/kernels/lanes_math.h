// Exponential, logistic function and hyperbolic tangent on registers of floats and doubles.
#pragma once

#include <cmath>

#include "kernels/lanes.h"

namespace rushlight::kernels::RL_CPU {
namespace lane_math {

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  using Bits = int32_t;
  static constexpr int kDegree = 7, kMantissa = 23, kBias = 127;
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLow = -105.0f, kHigh = 89.0f;
  static constexpr float kLn2High = 0.693145751953125f, kLn2Low = 1.42860682030941723212e-6f;
};
template <>
struct ExpConstants<double> {
  using Bits = int64_t;
  static constexpr int kDegree = 13, kMantissa = 52, kBias = 1023;
  static constexpr double kRound = 6755399441055744.0;
  static constexpr double kLow = -746.0, kHigh = 710.0;
  static constexpr double kLn2High = 6.93147180369123816490e-01,
                          kLn2Low = 1.90821492927058770002e-10;
};

constexpr double inverse_factorial(int k) {
  double v = 1;
  for (int i = 2; i <= k; ++i) v /= i;
  return v;
}

}  // namespace lane_math

/// e^x within about one unit in the last place; subnormal results, 0, infinity and NaN included.
template <class T>
inline typename Lanes<T>::type lane_exp(typename Lanes<T>::type x) {
  using C = lane_math::ExpConstants<T>;
  using V = typename Lanes<T>::type;
  using I = typename Lanes<typename C::Bits>::type;
  x = x < C::kLow ? C::kLow - V{} : x;
  x = x > C::kHigh ? C::kHigh - V{} : x;
  // x = n ln 2 + r with |r| <= ln 2 / 2; Taylor's polynomial of that degree is exact enough.
  const V shifted =
      multiply_add(x, Lanes<T>::splat(T(1.44269504088896340736)), Lanes<T>::splat(C::kRound));
  const V n = shifted - C::kRound;
  V r = multiply_add(n, Lanes<T>::splat(-C::kLn2High), x);
  r = multiply_add(n, Lanes<T>::splat(-C::kLn2Low), r);
  V p = Lanes<T>::splat(T(lane_math::inverse_factorial(C::kDegree)));
#pragma GCC unroll 16
  for (int k = C::kDegree - 1; k >= 0; --k)
    p = multiply_add(p, r, Lanes<T>::splat(T(lane_math::inverse_factorial(k))));
  // 2^n in two factors, each a normal number.
  const I whole = (I)shifted - (I)Lanes<T>::splat(C::kRound);
  const I half = whole >> 1;
  const I first = (half + C::kBias) << C::kMantissa;
  const I second = (whole - half + C::kBias) << C::kMantissa;
  return p * (V)first * (V)second;
}

/// 1 / (1 + e^-x).
template <class T>
inline typename Lanes<T>::type lane_sigmoid(typename Lanes<T>::type x) {
  return T(1) / (T(1) + lane_exp<T>(-x));
}

/// Lambert's continued fraction near 0, where 1 - 2 / (e^2x + 1) would cancel.
inline FloatLanes lane_tanh(FloatLanes x) {
  const FloatLanes z = x * x;
  const FloatLanes near = x * (135135.0f + z * (17325.0f + z * (378.0f + z))) /
                          (135135.0f + z * (62370.0f + z * (3150.0f + z * 28.0f)));
  const FloatLanes far = 1.0f - 2.0f / (lane_exp<float>(x + x) + 1.0f);
  return z < 0.49f ? near : far;
}
inline DoubleLanes lane_tanh(DoubleLanes x) {
  for (int64_t l = 0; l < Lanes<double>::n; ++l) x[l] = std::tanh(x[l]);
  return x;
}

}  // namespace rushlight::kernels::RL_CPU
