#include "dtype.h"

#include <array>

namespace rushlight {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {
    "bool",    "uint8",    "int8",    "int16",   "int32",     "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};

}  // namespace

std::string_view dtype_name(DType t) { return kNames[static_cast<int>(t)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kNames[i] == name) return static_cast<DType>(i);
  return std::nullopt;
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);  // the enumeration is ordered: b is the wider category
  switch (category(b)) {
    case DTypeCategory::Bool:
      return b;
    case DTypeCategory::Integer:
      // uint8 fits no signed type of its own size.
      if (a == DType::UInt8 && b == DType::Int8) return DType::Int16;
      return b;
    case DTypeCategory::Float:
      if (a == DType::Float16 && b == DType::BFloat16) return DType::Float32;
      return b;
    case DTypeCategory::Complex:
      return a == DType::Float64 ? DType::Complex128 : b;
  }
  __builtin_unreachable();
}

}  // namespace rushlight
