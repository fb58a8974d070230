// Exponentials of a row and their sum, for softmax and attention.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/lanes_math.h"

namespace rushlight::kernels::RL_CPU {

/// Writes e^(x - shift) to `out` unless that is null, and returns the sum of it.
template <class T>
inline T exp_row(const T* x, T* out, int64_t n, T shift) {
  using L = Lanes<T>;
  typename L::type sum = L::splat(T(0)), s = L::splat(shift);
  int64_t i = 0;
  for (; i + L::n <= n; i += L::n) {
    const auto e = lane_exp<T>(L::load(x + i) - s);
    if (out) L::store(out + i, e);
    sum += e;
  }
  if (i < n) {
    alignas(64) T rest[L::n];
    std::fill(rest, rest + L::n, -std::numeric_limits<T>::infinity());
    for (int64_t j = i; j < n; ++j) rest[j - i] = x[j] - shift;
    const auto e = lane_exp<T>(L::load(rest));
    L::store(rest, e);
    if (out) std::copy(rest, rest + (n - i), out + i);
    sum += e;
  }
  return L::sum(sum);
}

}  // namespace rushlight::kernels::RL_CPU
