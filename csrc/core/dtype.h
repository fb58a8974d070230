// Element types, their properties, and PyTorch's promotion rules.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include "half.h"

namespace rushlight {

enum class DType : uint8_t {
  Bool,
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};
inline constexpr int kDTypeCount = 12;

enum class DTypeCategory : uint8_t { Bool, Integer, Float, Complex };

/// Bytes of one element.
constexpr int64_t item_size(DType t) {
  constexpr int8_t sizes[kDTypeCount] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return sizes[static_cast<int>(t)];
}

constexpr DTypeCategory category(DType t) {
  if (t == DType::Bool) return DTypeCategory::Bool;
  if (t <= DType::Int64) return DTypeCategory::Integer;
  if (t <= DType::Float64) return DTypeCategory::Float;
  return DTypeCategory::Complex;
}
constexpr bool is_integral(DType t) { return category(t) == DTypeCategory::Integer; }
constexpr bool is_floating(DType t) { return category(t) == DTypeCategory::Float; }
constexpr bool is_complex(DType t) { return category(t) == DTypeCategory::Complex; }

/// PyTorch's name: "float32", "bool", …
std::string_view dtype_name(DType t);
/// The inverse of `dtype_name`; nothing for an unknown name.
std::optional<DType> dtype_from_name(std::string_view name);

/// PyTorch's `torch.promote_types` for two tensors of the same priority.
DType promote_types(DType a, DType b);

/// The real type of a complex one (complex64 -> float32); other types unchanged.
constexpr DType real_type(DType t) {
  return t == DType::Complex64 ? DType::Float32 : t == DType::Complex128 ? DType::Float64 : t;
}

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <class T>
struct dtype_of;
// clang-format off
#define RL_FOR_EACH_DTYPE(X)                                                                 \
  X(bool, Bool) X(uint8_t, UInt8) X(int8_t, Int8) X(int16_t, Int16) X(int32_t, Int32)        \
  X(int64_t, Int64) X(Half, Float16) X(BFloat16, BFloat16) X(float, Float32)                 \
  X(double, Float64) X(complex64, Complex64) X(complex128, Complex128)
// clang-format on
#define RL_DTYPE_OF(type, name)                 \
  template <>                                   \
  struct dtype_of<type> {                       \
    static constexpr DType value = DType::name; \
  };
RL_FOR_EACH_DTYPE(RL_DTYPE_OF)
#undef RL_DTYPE_OF

/// Calls `f(T{})` with the C++ type of `t`.
template <class F>
decltype(auto) dispatch_dtype(DType t, F&& f) {
  switch (t) {
#define RL_CASE(type, name) \
  case DType::name:         \
    return f(type{});
    RL_FOR_EACH_DTYPE(RL_CASE)
#undef RL_CASE
  }
  __builtin_unreachable();
}

}  // namespace rushlight
