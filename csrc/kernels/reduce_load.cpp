#include "kernels/reduce_load.h"

#include <cmath>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace rushlight::kernels::RL_CPU {
namespace {

template <class From>
constexpr bool complex_v = std::is_same_v<From, complex64> || std::is_same_v<From, complex128>;
template <class From>
constexpr bool half_v = std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>;
template <class From>
constexpr bool float_v = std::is_floating_point_v<From> || half_v<From>;

template <class To, LoadAs as, class From>
To convert(From x) {
  if constexpr (half_v<From>) {
    return convert<To, as>(static_cast<float>(x));
  } else if constexpr (as == LoadAs::NonZero) {
    return static_cast<To>(x != From(0));
  } else if constexpr (as == LoadAs::IsNumber) {
    return static_cast<To>(x == x);
  } else if constexpr (as == LoadAs::NanToZero) {
    if constexpr (complex_v<To>)
      return x == x ? To(x) : To(0);
    else
      return static_cast<To>(x == x ? x : From(0));
  } else if constexpr (as == LoadAs::Absolute) {
    return static_cast<To>(std::abs(x));
  } else if constexpr (complex_v<To> && complex_v<From>) {
    return To(x);
  } else if constexpr (complex_v<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (complex_v<From>) {
    return static_cast<To>(x.real());
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To, LoadAs as>
void load_run(const void* src, void* dst, int64_t n) {
  const auto* s = static_cast<const From*>(src);
  auto* d = static_cast<To*>(dst);
  int64_t i = 0;
#ifdef __F16C__
  if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float> && as == LoadAs::Value)
    for (; i + 8 <= n; i += 8)
      _mm256_storeu_ps(d + i,
                       _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i))));
#endif
  for (; i < n; ++i) d[i] = convert<To, as>(s[i]);
}

// The combinations that some reduction asks for; the others are a bug of ours.
template <class From, class To, LoadAs as>
constexpr Load::Fn pick() {
  constexpr bool real_to = std::is_floating_point_v<To>;
  if constexpr (as == LoadAs::Value) {
    return load_run<From, To, as>;
  } else if constexpr (as == LoadAs::NonZero) {
    if constexpr (std::is_integral_v<To>) return load_run<From, To, as>;
  } else if constexpr (as == LoadAs::IsNumber) {
    if constexpr (std::is_same_v<To, int64_t>) return load_run<From, To, as>;
  } else if constexpr (as == LoadAs::Absolute) {
    if constexpr (real_to && (float_v<From> || complex_v<From>)) return load_run<From, To, as>;
  } else if constexpr (as == LoadAs::NanToZero) {
    if constexpr (real_to && !complex_v<From>)
      return load_run<From, To, as>;
    else if constexpr (complex_v<From> && complex_v<To>)
      return load_run<From, To, as>;
  }
  return nullptr;
}

template <class From, class To>
Load::Fn select(LoadAs as) {
  switch (as) {
    case LoadAs::Value:
      return pick<From, To, LoadAs::Value>();
    case LoadAs::NonZero:
      return pick<From, To, LoadAs::NonZero>();
    case LoadAs::Absolute:
      return pick<From, To, LoadAs::Absolute>();
    case LoadAs::NanToZero:
      return pick<From, To, LoadAs::NanToZero>();
    case LoadAs::IsNumber:
      return pick<From, To, LoadAs::IsNumber>();
  }
  return nullptr;
}

}  // namespace

Load load_for(DType from, DType to, LoadAs as) {
  Load load;
  load.item = item_size(from);
  const bool bool_is_byte = from == DType::Bool && to == DType::UInt8;
  if ((from == to && as == LoadAs::Value) || bool_is_byte) return load;
  load.fn = dispatch_dtype(from, [&](auto tag) -> Load::Fn {
    using From = decltype(tag);
    switch (to) {
      case DType::UInt8:
        return select<From, uint8_t>(as);
      case DType::Int64:
        return select<From, int64_t>(as);
      case DType::Float32:
        return select<From, float>(as);
      case DType::Float64:
        return select<From, double>(as);
      case DType::Complex64:
        return select<From, complex64>(as);
      case DType::Complex128:
        return select<From, complex128>(as);
      default:
        return nullptr;
    }
  });
  RL_ASSERT(load.fn, "no loader from ", dtype_name(from), " to ", dtype_name(to));
  return load;
}

}  // namespace rushlight::kernels::RL_CPU
