// The operations that reductions are made of (see reduce.h), and where their results go.
#pragma once

#include "kernels/reduce.h"

namespace rushlight::kernels::RL_CPU {

template <class T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <class T>
struct SumOp {
  using In = T;
  using Total = WideSum<T>;
  static constexpr T identity = T(0);
  template <class V>
  static V map(V x, V) {
    return x;
  }
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
};

/// Sum of (x - shift)²; without a shift the sum of squares.
template <class T>
struct SquareSumOp : SumOp<T> {
  template <class V>
  static V map(V x, V shift) {
    return (x - shift) * (x - shift);
  }
};

template <class T>
struct ProdOp {
  using In = T;
  using Total = T;
  static constexpr T identity = T(1);
  template <class V>
  static V map(V x, V) {
    return x;
  }
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
};

/// NaN is larger than every number, so that it wins.
template <class T>
struct MaxOp {
  using In = T;
  using Total = T;
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? -std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::lowest();
  template <class V>
  static V map(V x, V) {
    return x;
  }
  template <class V>
  static V combine(V a, V b) {
    return ((b > a) | (b != b)) ? b : a;
  }
};

template <class T>
struct MinOp {
  using In = T;
  using Total = T;
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::max();
  template <class V>
  static V map(V x, V) {
    return x;
  }
  template <class V>
  static V combine(V a, V b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

/// Memory for `n` results: the output itself where types and layout agree.
template <class Total>
class Results {
 public:
  explicit Results(Tensor& out, int slot = kTotalsSlot) : out_(out) {
    direct_ = out.dtype == dtype_of<Total>::value && out.is_contiguous();
    data =
        direct_
            ? out.data<Total>()
            : static_cast<Total*>(scratch(static_cast<size_t>(out.numel()) * sizeof(Total), slot));
  }
  /// Converts the results to the output's dtype and writes them.
  void store() {
    if (direct_) return;
    TensorMeta meta;
    meta.set(dtype_of<Total>::value, out_.sizes);
    auto* bytes = reinterpret_cast<std::byte*>(data);
    copy_strided(Tensor(meta, out_.storage(), bytes), out_);
  }
  Total* data;

 private:
  Tensor& out_;
  bool direct_;
};

}  // namespace rushlight::kernels::RL_CPU
