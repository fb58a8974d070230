// PyTorch's order of values, and slices along one dimension as contiguous rows.
#pragma once

#include <type_traits>

#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

/// The type values are compared as.
template <class T>
using Comparable =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

template <class T>
bool is_nan([[maybe_unused]] T v) {
  if constexpr (std::is_floating_point_v<Comparable<T>>)
    return static_cast<Comparable<T>>(v) != static_cast<Comparable<T>>(v);
  else
    return false;
}

/// a < b, where NaN is greater than every number.
template <class T>
bool less(T a, T b) {
  using C = Comparable<T>;
  return static_cast<C>(a) < static_cast<C>(b) || (is_nan(b) && !is_nan(a));
}

/// Calls `f(T{})` with the C++ type of a real dtype.
template <class F>
void dispatch_real(DType t, F&& f) {
  dispatch_dtype(t, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      RL_FAIL(Runtime, "not implemented for complex dtypes");
    else
      f(zero);
  });
}

/// `t` with `dim` moved last.
inline Tensor dim_last(const Tensor& t, int64_t dim) {
  if (t.rank() == 0) return restrided(t, Dims{1}, Dims{1});
  TensorMeta meta = t;
  std::rotate(meta.sizes.begin() + dim, meta.sizes.begin() + dim + 1, meta.sizes.end());
  std::rotate(meta.strides.begin() + dim, meta.strides.begin() + dim + 1, meta.strides.end());
  return t.view(meta);
}

/// Contiguous memory to compute rows of `out` in: that of `out` itself when its `dim` is the last
/// one, else a buffer that `store` copies over afterwards.
class RowBuffer {
 public:
  RowBuffer(Tensor& out, int64_t dim) : target_(dim_last(out, dim)) {
    rows_ = target_.is_contiguous() ? target_ : Tensor::empty(target_.sizes, target_.dtype);
  }
  template <class T>
  T* data() const {
    return rows_.data<T>();
  }
  void store() const {
    if (rows_.raw() != target_.raw()) copy_strided(rows_, target_);
  }

 private:
  Tensor target_, rows_;
};

}  // namespace rushlight::kernels::portable
