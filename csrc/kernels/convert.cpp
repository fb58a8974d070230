// The conversion loops, once per capability. portable/convert.cpp chooses among them.
#include "kernels/convert.h"

#include <cstring>
#include <type_traits>

#include "cpu/vec_half.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// C++ conversion, except: anything to bool asks whether it is zero; a complex number gives its real
// part to a real one; a float becomes uint8 by way of int64, so that -1.0 wraps to 255.
template <class To, class From>
To convert_value(From v) {
  if constexpr (is_half_type<From>) {
    return convert_value<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (is_complex_type<From> && is_complex_type<To>) {
    using R = typename To::value_type;
    return To(static_cast<R>(v.real()), static_cast<R>(v.imag()));
  } else if constexpr (is_complex_type<From>) {
    return convert_value<To>(v.real());
  } else if constexpr (is_complex_type<To>) {
    return To(static_cast<typename To::value_type>(v));
  } else if constexpr (is_half_type<To>) {
    return To(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, uint8_t> && std::is_floating_point_v<From>) {
    return static_cast<uint8_t>(static_cast<int64_t>(v));
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
void convert(const void* src, void* dst, int64_t n) {
  const auto* s = static_cast<const From*>(src);
  auto* d = static_cast<To*>(dst);
  if constexpr (std::is_same_v<From, To>) {
    if (src != dst) std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(To));
  } else if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) {
    simd::half_to_float(reinterpret_cast<const uint16_t*>(s), d, n);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) {
    simd::float_to_half(s, reinterpret_cast<uint16_t*>(d), n);
  } else if constexpr (std::is_same_v<From, BFloat16> && std::is_same_v<To, float>) {
    simd::bfloat16_to_float(reinterpret_cast<const uint16_t*>(s), d, n);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat16>) {
    simd::float_to_bfloat16(s, reinterpret_cast<uint16_t*>(d), n);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d[i] = convert_value<To>(s[i]);
  }
}

template <class From>
std::array<ConvertFn, kDTypeCount> row() {
  return {convert<From, bool>,    convert<From, uint8_t>,   convert<From, int8_t>,
          convert<From, int16_t>, convert<From, int32_t>,   convert<From, int64_t>,
          convert<From, Half>,    convert<From, BFloat16>,  convert<From, float>,
          convert<From, double>,  convert<From, complex64>, convert<From, complex128>};
}

}  // namespace

ConvertTable convert_table() {
  ConvertTable table;
#define RL_ROW(type, name) table[static_cast<size_t>(DType::name)] = row<type>();
  RL_FOR_EACH_DTYPE(RL_ROW)
#undef RL_ROW
  return table;
}

}  // namespace rushlight::kernels::RL_CPU
