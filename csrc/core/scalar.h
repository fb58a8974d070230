// A Python number as an operator argument: bool, int, float or complex, remembered exactly.
#pragma once

#include <complex>
#include <cstdint>
#include <variant>

#include "dtype.h"

namespace rushlight {

class Scalar {
 public:
  Scalar() : value_(int64_t{0}) {}
  Scalar(bool v) : value_(v) {}
  Scalar(int v) : value_(int64_t{v}) {}
  Scalar(int64_t v) : value_(v) {}
  Scalar(double v) : value_(v) {}
  Scalar(complex128 v) : value_(v) {}

  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<int64_t>(value_); }
  bool is_float() const { return std::holds_alternative<double>(value_); }
  bool is_complex() const { return std::holds_alternative<complex128>(value_); }

  /// The number as a T, by C++ conversion; a complex number gives its real part to a real T.
  template <class T>
  T to() const {
    return std::visit(
        [](auto v) -> T {
          using V = decltype(v);
          if constexpr (std::is_same_v<V, complex128>) {
            if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
              return T(static_cast<typename T::value_type>(v.real()),
                       static_cast<typename T::value_type>(v.imag()));
            else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
              return T(static_cast<float>(v.real()));
            else
              return static_cast<T>(v.real());
          } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
            return T(static_cast<typename T::value_type>(v));
          } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
            return T(static_cast<float>(v));
          } else {
            return static_cast<T>(v);
          }
        },
        value_);
  }
  double to_double() const { return to<double>(); }
  int64_t to_int() const { return to<int64_t>(); }

  /// The dtype PyTorch gives a tensor made from this number (`torch.tensor(x).dtype`).
  DType dtype() const {
    return is_bool()    ? DType::Bool
           : is_int()   ? DType::Int64
           : is_float() ? DType::Float32
                        : DType::Complex64;
  }
  const std::variant<bool, int64_t, double, complex128>& value() const { return value_; }
  friend bool operator==(const Scalar& a, const Scalar& b) { return a.value_ == b.value_; }

 private:
  std::variant<bool, int64_t, double, complex128> value_;
};

}  // namespace rushlight
