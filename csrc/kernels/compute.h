// Operands and results of kernels that compute in float32 or float64 whatever the tensors hold.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels {

/// `t`, contiguous and of `dtype`: itself if it already is.
inline Tensor contiguous_as(const Tensor& t, DType dtype) {
  if (t.dtype == dtype) return t.contiguous();
  Tensor out = Tensor::empty(t.sizes, dtype);
  copy_strided(t, out);
  return out;
}

/// An optional parameter (weight, bias, …) as `n` contiguous Ts, or null.
template <class T>
class Parameter {
 public:
  explicit Parameter(const Tensor* t) {
    if (t && t->defined()) tensor_ = contiguous_as(*t, dtype_of<T>::value);
  }
  const T* data() const { return tensor_.defined() ? tensor_.data<T>() : nullptr; }

 private:
  Tensor tensor_;
};

/// Contiguous Ts to write an output into; `store` converts them if the output holds another dtype.
template <class T>
class Result {
 public:
  explicit Result(Tensor& out) : out_(out) {
    direct_ = out.dtype == dtype_of<T>::value && out.is_contiguous();
    if (!direct_) own_ = Tensor::empty(out.sizes, dtype_of<T>::value);
  }
  T* data() { return direct_ ? out_.data<T>() : own_.data<T>(); }
  void store() {
    if (!direct_) copy_strided(own_, out_);
  }

 private:
  Tensor& out_;
  Tensor own_;
  bool direct_;
};

/// Calls `f(float{})` or `f(double{})`: double for float64 only.
template <class F>
decltype(auto) dispatch_float(DType t, F&& f) {
  return t == DType::Float64 ? f(double{}) : f(float{});
}

}  // namespace rushlight::kernels
