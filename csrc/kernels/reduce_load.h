// Bringing elements of any dtype to the type a reduction computes in, a run at a time.
#pragma once

#include "core/tensor.h"

namespace rushlight::kernels {

/// Slots of `scratch` that reductions and normalisations use.
inline constexpr int kReduceSlot = 6;
inline constexpr int kTotalsSlot = 7;

/// What happens to an element on its way.
enum class LoadAs : uint8_t { Value, NonZero, Absolute, NanToZero, IsNumber };

struct Load {
  using Fn = void (*)(const void* src, void* dst, int64_t n);
  Fn fn = nullptr;
  int64_t item = 0;  // bytes of a source element
  /// True when the elements are what the reduction reads, unchanged.
  bool direct() const { return fn == nullptr; }
  void run(const void* src, void* dst, int64_t n) const { fn(src, dst, n); }
};

#ifdef RL_CPU
namespace RL_CPU {

/// From `from` to the compute type `to`: uint8, int64, float32, float64, complex64 or complex128.
/// Absolute takes complex numbers to their modulus.
Load load_for(DType from, DType to, LoadAs as = LoadAs::Value);

}  // namespace RL_CPU
#endif
}  // namespace rushlight::kernels
